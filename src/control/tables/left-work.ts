/** What a reverted peer goes on with beside newer routes: done in a thread where they are many. Pure. */
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { leftOf, type SentRoutes } from '../../speakers/still-held.ts';

export interface LeftTask {
  readonly kind: 'left';
  /** Which routes the peer holds. */
  readonly held: PrefixTable;
  /** Which routes its speaker announces. */
  readonly latest: PrefixTable;
  readonly sent: SentRoutes;
}

/** Null: all of it, so that no table has to pass between threads. */
export function leaveRoutes({ held, latest, sent }: LeftTask): PrefixTable | null {
  const left = leftOf(held, latest, sent);
  return left === held ? null : left;
}
