/**
 * What a transaction has read and need not read again. A write of it forgets it, and so does waiting for a lock: what others committed
 * meanwhile counts from there on.
 */
import type { SystemTx, TenantTx } from './database.ts';

/** What `read` answers, or has answered in this transaction since the name was {@link forgetRead | forgotten}. */
export async function readOnce<T>(tx: TenantTx, name: string, read: () => Promise<T>): Promise<T> {
  if (tx.memo?.has(name) === true) return tx.memo.get(name) as T;
  const found = await read();
  tx.memo?.set(name, found);
  return found;
}

/** The next {@link readOnce} of the name, or without one of any, reads again. */
export function forgetRead(tx: SystemTx | TenantTx, name?: string): void {
  if (!('memo' in tx)) return;
  if (name === undefined) tx.memo?.clear();
  else tx.memo?.delete(name);
}

/** The next {@link readOnce} of the name answers this, which was read with something else. */
export function noteRead(tx: TenantTx, name: string, found: unknown): void {
  tx.memo?.set(name, found);
}
