import { sql } from 'kysely';
import type { SystemTx, TenantTx } from './database.ts';
import { forgetRead } from './read-once.ts';

/**
 * Runs `work`. If it throws, only its own writes are rolled back, and the transaction can continue, unless its connection broke.
 * @throws what `work` throws
 */
export async function takingBackFaults<T>(tx: SystemTx | TenantTx, work: () => Promise<T>): Promise<T> {
  const savepoint = await setSavepoint(tx);
  let result;
  try {
    result = await work();
  } catch (error) {
    await savepoint.goBack().catch(() => {
      throw error;
    });
    throw error;
  }
  await savepoint.release();
  return result;
}

/** Runs `work` and rolls back everything that it wrote, including its notifications and events. */
export async function takingBack<T>(tx: TenantTx, work: () => Promise<T>): Promise<T> {
  const savepoint = await setSavepoint(tx);
  const result = await work();
  await savepoint.goBack();
  return result;
}

async function setSavepoint(
  tx: SystemTx | TenantTx,
): Promise<{ goBack: () => Promise<void>; release: () => Promise<void> }> {
  const kept = 'system' in tx ? [] : [tx.events ?? [], tx.atEnd ?? []];
  const before = kept.map(({ length }) => length);
  const release = async (): Promise<void> => {
    await sql`RELEASE SAVEPOINT taking_back`.execute(tx.sql);
  };
  await sql`SAVEPOINT taking_back`.execute(tx.sql);
  return {
    release,
    goBack: async () => {
      await sql`ROLLBACK TO SAVEPOINT taking_back`.execute(tx.sql);
      // ROLLBACK TO keeps the savepoint, which would hide the one around it.
      await release();
      for (const [place, list] of kept.entries()) list.length = before[place]!;
      forgetRead(tx);
    },
  };
}
