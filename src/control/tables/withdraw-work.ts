/** What a content takes away of another, module by module: for threads. */
import { type StoredTable, decodeStoredTable } from '../../core/stored/stored-table.ts';
import {
  type ModuleMove,
  type ModuleSide,
  type Withdrawal,
  measureWithdrawal,
} from '../guards/guard-withdrawal.ts';
import { type ModulePolicy, contributionsOf } from './build-revision.ts';

/** Measures what the next content takes away of an applied one, but for what moved by itself. */
export interface WithdrawTask {
  readonly kind: 'withdraw';
  readonly applied: StoredTable;
  readonly next: StoredTable;
  readonly moves: readonly StoredMove[];
}

export type StoredMove = Omit<ModuleMove, 'before' | 'after' | 'released'> & {
  readonly before: StoredSide | null;
  readonly after: StoredSide | null;
  readonly released?: StoredSide | null;
};

export interface StoredSide extends Pick<ModuleSide, 'purpose'> {
  readonly stored: StoredTable;
  /** Null: not known. */
  readonly policy: ModulePolicy | null;
}

export function withdraw({ applied, next, moves }: WithdrawTask): Withdrawal[] {
  return measureWithdrawal(
    decodeStoredTable(applied),
    decodeStoredTable(next),
    moves.map(({ released, ...move }) => ({
      ...{ ...move, before: sideOf(move.before), after: sideOf(move.after) },
      ...(released === undefined ? {} : { released: sideOf(released) }),
    })),
  );
}

function sideOf(side: StoredSide | null): ModuleSide | null {
  if (side === null) return null;
  const { purpose, policy } = side;
  const table = decodeStoredTable(side.stored);
  return { purpose, table, contributions: policy === null ? null : contributionsOf(policy, table) };
}
