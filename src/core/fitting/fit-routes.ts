/** Routes of a peer in fewer prefixes, or what it keeps of those that it has. */
import { FAMILIES } from '../address.ts';
import { CannotFit } from '../sets/fit.ts';
import { type FittedTable, fitTable, keepCover, type TableToFit } from './fit-table.ts';
import type { PrefixTable } from '../tables/prefix-table.ts';
import { type ForbiddenAddresses, forbiddenOf } from './forbidden-addresses.ts';

export type RoutesToFit = Omit<TableToFit, 'forbidden'> & {
  readonly forbidden: ForbiddenAddresses;
  /** A cover that adds more of either family's own addresses is not allowed. */
  readonly maxAddedPercent: number;
  /** That the peer has now; null: none. */
  readonly cover: PrefixTable | null;
};

export interface FitAnswer {
  /** Null: no cover of so few prefixes leaves out what it must. */
  readonly fitted: FittedTable | null;
  readonly isAllowed: boolean;
  /** What the peer may go on with of the cover that it has, where a new one is not allowed; null: it has none. */
  readonly kept: PrefixTable | null;
}

export function fitRoutes({ forbidden: rules, maxAddedPercent, cover, ...task }: RoutesToFit): FitAnswer {
  const forbidden = { ipv4: forbiddenOf('ipv4', rules), ipv6: forbiddenOf('ipv6', rules) };
  const fitted = fitOrNull({ ...task, forbidden });
  const isAllowed =
    fitted !== null && FAMILIES.every((family) => fitted.added[family].percent <= maxAddedPercent);
  const kept = isAllowed || cover === null ? null : keepCover({ ...task, forbidden }, cover);
  return { fitted, isAllowed, kept };
}

function fitOrNull(task: TableToFit): FittedTable | null {
  try {
    return fitTable(task);
  } catch (error) {
    if (error instanceof CannotFit) return null;
    throw error;
  }
}
