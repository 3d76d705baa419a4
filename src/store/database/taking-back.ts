import { sql } from 'kysely';
import { databaseProblem } from './database-problem.ts';
import type { TenantTx } from './database.ts';

/**
 * Runs `work`. When it throws, only what it wrote itself is taken back, and the transaction can go on.
 * @throws {Problem} such as `quota_exceeded`, and what `work` throws
 */
export async function takingBackFaults<T>(tx: TenantTx, work: () => Promise<T>): Promise<T> {
  const told = tx.told?.length ?? 0;
  await sql`SAVEPOINT attempt`.execute(tx.sql);
  try {
    return await work();
  } catch (error) {
    await sql`ROLLBACK TO SAVEPOINT attempt`.execute(tx.sql);
    if (tx.told !== undefined) tx.told.length = told;
    throw databaseProblem(error);
  } finally {
    await sql`RELEASE SAVEPOINT attempt`.execute(tx.sql);
  }
}

/** Runs `work` and takes back all that it wrote, what listeners and operators would have been told included. */
export async function takingBack<T>(tx: TenantTx, work: () => Promise<T>): Promise<T> {
  const told = tx.told?.length ?? 0;
  await sql`SAVEPOINT trial`.execute(tx.sql);
  const result = await work();
  await sql`ROLLBACK TO SAVEPOINT trial`.execute(tx.sql);
  // What was rolled back to stays, and would hide the savepoint of a trial that this one is part of.
  await sql`RELEASE SAVEPOINT trial`.execute(tx.sql);
  if (tx.told !== undefined) tx.told.length = told;
  return result;
}
