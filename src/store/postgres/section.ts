import { sql } from 'kysely';
import pg from 'pg';
import type { SystemTx } from '../database/database.ts';

/** What cannot be seen, and why. */
export interface Unavailable {
  readonly member: string;
  readonly reason: string;
}

/** Reads one part so that the others are read as well when this one is refused. */
export async function readSection<T>(
  tx: SystemTx,
  member: string,
  unavailable: Unavailable[],
  read: (tx: SystemTx) => Promise<T>,
): Promise<T | null> {
  await sql`SAVEPOINT section`.execute(tx.sql);
  try {
    const value = await read(tx);
    await sql`RELEASE SAVEPOINT section`.execute(tx.sql);
    return value;
  } catch (error) {
    // A connection that broke is no matter of what may be seen.
    if (!(error instanceof pg.DatabaseError)) throw error;
    await sql`ROLLBACK TO SAVEPOINT section`.execute(tx.sql);
    unavailable.push({ member, reason: error.message });
    return null;
  }
}
