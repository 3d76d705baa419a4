import type { TenantTx } from '../store/database/database.ts';
import { readEventRange } from '../store/events.ts';

/** Where somebody begins to read the tenant's events. */
export interface EventPosition {
  /** The number of the last event before the stream. */
  readonly after: number;
  /** The request cannot be satisfied: some events in between were removed. */
  readonly isReset: boolean;
}

/**
 * Finds where a reader goes on.
 * @param lastEventId the id of the last event that it has seen; null: it begins now
 */
export async function findEventPosition(tx: TenantTx, lastEventId: string | null): Promise<EventPosition> {
  const { last, pruned } = await readEventRange(tx);
  if (lastEventId === null) return { after: last, isReset: false };
  const seen = /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : -1;
  // A number that was not given yet comes from a database of which this one is an older copy.
  const isThere = seen >= pruned && seen <= last;
  return isThere ? { after: seen, isReset: false } : { after: last, isReset: true };
}
