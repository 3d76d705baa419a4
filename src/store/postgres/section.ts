import pg from 'pg';
import type { SystemTx } from '../database/database.ts';
import { takingBackFaults } from '../database/taking-back.ts';

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
  try {
    return await takingBackFaults(tx, () => read(tx));
  } catch (error) {
    // A connection that broke is no matter of what may be seen.
    if (!(error instanceof pg.DatabaseError)) throw error;
    unavailable.push({ member, reason: error.message });
    return null;
  }
}
