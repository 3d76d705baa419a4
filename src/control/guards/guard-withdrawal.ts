/** How much operators' own edits would take away from a speaker: pure measures, for threads and tests alike. */
import type { Finding } from '../../api/revisions/revisions.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { type PrefixSet, intersect, setOfRows, subtract } from '../../core/sets/prefix-set.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { unionOf } from './coverage.ts';
import { MAXIMUM_EXAMPLES, familyName } from './guard.ts';
import { type Extent, FEW, type Share, extentOf, sharesOf } from './extent.ts';
import { setOf } from './guard-change.ts';

/** What would leave a speaker in one family. */
export interface Withdrawal {
  readonly family: Family;
  readonly before: Extent;
  readonly vanished: Extent;
  readonly examples: readonly string[];
  /** The module of which most would leave. */
  readonly moduleId: string | null;
}

/** A module in what a speaker runs, and in what comes. */
export interface ModuleMove {
  readonly id: string;
  readonly purpose: 'announce' | 'exclude';
  /** What it was when the speaker's revision was built, and what it is now; null: it is not there any more. */
  readonly before: PrefixTable | null;
  readonly after: PrefixTable | null;
  /** Entries that nobody touched: what they contribute changed by itself. */
  readonly unchanged: readonly string[];
  /** Entries that left by themselves: nothing could be read of them for too long, or their time was over. */
  readonly stale: readonly string[];
}

/**
 * Measures what the second table takes away of the first, but for what sources took away by themselves: the guardrail about changes
 * looks at that. O(rows).
 */
export function measureWithdrawal(
  applied: PrefixTable,
  next: PrefixTable,
  moves: readonly ModuleMove[] = [],
): Withdrawal[] {
  return FAMILIES.map((family) => {
    const before = setOfRows(applied[family]);
    const gone = subtract(before, setOfRows(next[family]));
    const byThemselves = moves.flatMap((move) => (gone.size === 0 ? [] : movedByItself(move, family)));
    const vanished = byThemselves.length === 0 ? gone : subtract(gone, unionOf(family, byThemselves));
    return {
      ...{ family, before: extentOf(before), vanished: extentOf(vanished) },
      examples: Array.from({ length: Math.min(vanished.size, MAXIMUM_EXAMPLES) }, (_, row) =>
        formatPrefixAt(vanished, row),
      ),
      moduleId: moduleOf(vanished, moves),
    };
  });
}

/** What an announcing module lost, or an excluding one took on, without an operator. */
function movedByItself(
  { purpose, before, after, unchanged, stale }: ModuleMove,
  family: Family,
): PrefixSet[] {
  if (before === null || after === null) return [];
  const then = setOf(before, family, new Set(unchanged));
  const now = setOf(after, family, new Set(unchanged));
  const moved = purpose === 'announce' ? subtract(then, now) : subtract(now, then);
  const left = purpose === 'announce' ? [setOf(before, family, new Set(stale))] : [];
  return [moved, ...left];
}

/** The announcing module that had contributed most of these addresses. */
function moduleOf(vanished: PrefixSet, moves: readonly ModuleMove[]): string | null {
  const shares = moves.flatMap(({ id, purpose, before }) => {
    if (before === null || purpose === 'exclude') return [];
    return { id, size: intersect(vanished, setOfRows(before[vanished.family])).size };
  });
  const [most] = shares.sort((a, b) => b.size - a.size);
  return most === undefined || most.size === 0 ? null : most.id;
}

export function isTooMuch(withdrawal: Withdrawal, percent: number): boolean {
  return worstOf(withdrawal, percent) !== null;
}

/** The measure that is most over the limit; null: none is. A list of few may be emptied by hand. */
function worstOf({ before, vanished }: Withdrawal, percent: number): Share | null {
  if (before.prefixes < FEW) return null;
  const over = sharesOf(before, vanished).filter(({ isOver }) => isOver(percent));
  return over.sort((a, b) => b.measured - a.measured)[0] ?? null;
}

/** What the guardrail `guard_max_withdraw_percent` has against it, or null. Exactly the limit is good. */
export function judgeWithdrawal(
  withdrawal: Withdrawal,
  percent: number,
  names: ReadonlyMap<string, string>,
): Finding | null {
  const { before, family, examples, moduleId } = withdrawal;
  const worst = worstOf(withdrawal, percent);
  if (worst === null) return null;
  const name = moduleId === null ? undefined : names.get(moduleId);
  const source = name === undefined ? 'a module that was deleted' : `the module ${name}`;
  const where = moduleId === null ? '' : ` Most of it came from ${source}.`;
  const detail = `Edits take away ${worst.measured} % of the ${before.prefixes} ${familyName(family)} prefixes${worst.what} that a speaker runs, and guard_max_withdraw_percent is ${percent}.${where} Undo the edit, or apply the revision with override and a reason if it is meant.`;
  return {
    ...{ code: 'large_withdrawal', detail, module_id: moduleId, entry_id: null, community: null },
    ...{ examples: [...examples], measured: worst.measured, limit: percent },
  };
}
