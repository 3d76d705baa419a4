/** How much operators' own edits would take away from a speaker: pure measures, for threads and tests alike. */
import { counted } from '../../api/shapes/counted.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { type PrefixSet, intersect, setOfRows, subtract } from '../../core/sets/prefix-set.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { Contribution } from '../../core/tables/revision-table.ts';
import { unionOf } from './coverage.ts';
import { MAXIMUM_EXAMPLES, familyName } from './guard.ts';
import { type Extent, FEW, type Share, extentOf, extentOfLoss, sharesOf } from './extent.ts';
import { setOf } from './guard-change.ts';

/** What would leave a speaker in one family. */
export interface Withdrawal {
  readonly family: Family;
  readonly before: Extent;
  /** Prefixes of before that lose something. */
  readonly vanished: Extent;
  readonly examples: readonly string[];
  /** The module of which most would leave. */
  readonly moduleId: string | null;
  /** What would stay if one module after the other stayed as it was. */
  readonly slips: readonly Slip[];
  /** Modules that would lose something, which somebody has let through. */
  readonly releasedIds: readonly string[];
}

/** A module that may stay as it was. */
export interface Slip {
  readonly moduleId: string;
  readonly isHeld: boolean;
  /** What its edits take away. */
  readonly lost: Extent;
  readonly examples: readonly string[];
  /** What vanishes nonetheless if it stays, and those before it. */
  readonly left: Extent;
}

/** A module in what a speaker runs, and in what comes. */
export interface ModuleMove {
  readonly id: string;
  /** What it was when the speaker's revision was built, and what it is now; null: it is not there. */
  readonly before: ModuleSide | null;
  readonly after: ModuleSide | null;
  /** Entries that nobody touched: what they contribute changed by itself. */
  readonly unchanged: readonly string[];
  /** Entries that left by themselves: nothing could be read of them for too long, or their time was over. */
  readonly stale: readonly string[];
  /** What may be done about it: it was let through; it may stay as it was, and was held for that before, or not; null: nothing. */
  readonly way: 'released' | 'held' | 'holdable' | null;
  /** What somebody let through of it before later edits; null: that it is away. Only what these take away beside that counts. */
  readonly released?: ModuleSide | null;
}

export interface ModuleSide {
  readonly purpose: 'announce' | 'exclude';
  readonly table: PrefixTable;
  /** Null: not known, and so as if all of its table counted. */
  readonly contributions: readonly Contribution[] | null;
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
    const some = gone.size === 0 ? [] : moves;
    const losses = some.map((move) => ({ move, lost: intersect(gone, lossOf(move, family)) }));
    const released = losses
      .map(({ move, lost }) => ({ move, lost: releasedLoss(move, lost, family) }))
      .filter(({ lost }) => lost.size > 0);
    const excused = [
      ...some.flatMap((move) => movedByItself(move, family)),
      ...released.map(({ lost }) => lost),
    ];
    const vanished = excused.length === 0 ? gone : subtract(gone, unionOf(family, excused));
    const counted = losses
      .map(({ move, lost }) => ({ move, lost: intersect(lost, vanished) }))
      .sort((a, b) => b.lost.size - a.lost.size);
    const most = counted.find(({ move }) => move.before?.purpose === 'announce');
    return {
      ...{ family, before: extentOf(before), vanished: extentOfLoss(before, vanished) },
      examples: examplesOf(vanished),
      moduleId: most === undefined || most.lost.size === 0 ? null : most.move.id,
      slips: slipsOf(before, vanished, counted),
      releasedIds: released.map(({ move }) => move.id),
    };
  });
}

interface Loss {
  readonly move: ModuleMove;
  readonly lost: PrefixSet;
}

/** Those that are held already first, then those that lose most. */
function slipsOf(before: PrefixSet, vanished: PrefixSet, losses: readonly Loss[]): Slip[] {
  const of = (way: ModuleMove['way']): Loss[] => losses.filter(({ move }) => move.way === way);
  let left = vanished;
  return [...of('held'), ...of('holdable')].flatMap(({ move: { id, way }, lost }) => {
    const own = intersect(left, lost);
    if (own.size === 0) return [];
    left = subtract(left, own);
    const slip = { moduleId: id, isHeld: way === 'held', examples: examplesOf(own) };
    return { ...slip, lost: extentOfLoss(before, own), left: extentOfLoss(before, left) };
  });
}

function examplesOf(set: PrefixSet): string[] {
  return Array.from({ length: Math.min(set.size, MAXIMUM_EXAMPLES) }, (_, row) => formatPrefixAt(set, row));
}

/** What the module announces no more, and what it has begun to take out of every list. */
function lossOf({ before, after }: ModuleMove, family: Family): PrefixSet {
  const announced = sideOf(before, 'announce', family);
  const announces = sideOf(after, 'announce', family);
  const excluded = sideOf(before, 'exclude', family);
  const excludes = sideOf(after, 'exclude', family);
  return unionOf(family, [subtract(announced, announces), subtract(excludes, excluded)]);
}

/** What may leave of what the module loses, since somebody has let it through. */
function releasedLoss(move: ModuleMove, lost: PrefixSet, family: Family): PrefixSet {
  if (move.way === 'released') return lost;
  if (move.released === undefined) return unionOf(family, []);
  return intersect(lost, lossOf({ ...move, after: move.released }, family));
}

function sideOf(side: ModuleSide | null, purpose: ModuleSide['purpose'], family: Family): PrefixSet {
  if (side?.purpose !== purpose) return unionOf(family, []);
  const { contributions, table } = side;
  if (contributions === null) return setOfRows(table[family]);
  return unionOf(
    family,
    contributions.flatMap(({ set }) => (set.family === family ? [set] : [])),
  );
}

/** What an announcing module lost, or an excluding one took on, without an operator. */
function movedByItself({ before, after, unchanged, stale }: ModuleMove, family: Family): PrefixSet[] {
  if (before === null || before.purpose !== after?.purpose) return [];
  const then = setOf(before.table, family, new Set(unchanged));
  const now = setOf(after.table, family, new Set(unchanged));
  if (before.purpose === 'exclude') return [subtract(now, then)];
  return [subtract(then, now), setOf(before.table, family, new Set(stale))];
}

/** How much there was, and how much of it is gone. */
type Measured = Pick<Withdrawal, 'before' | 'vanished'>;

export function isTooMuch(withdrawal: Measured, percent: number): boolean {
  return worstOf(withdrawal, percent) !== null;
}

/** The measure that is most over the limit; null: none is. A list of few may be emptied by hand. */
function worstOf({ before, vanished }: Measured, percent: number): Share | null {
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
  const runs = worst.of(counted(before.prefixes, `${familyName(family)} prefix`));
  const detail = `Edits take away ${worst.measured} % of the ${runs} that a speaker runs, and guard_max_withdraw_percent is ${percent}.${where} Undo the edit, or apply the revision with override and a reason if it is meant.`;
  return {
    ...{ code: 'large_withdrawal', detail, module_id: moduleId, entry_id: null, community: null },
    ...{ examples: [...examples], lost: [...examples], measured: worst.measured, limit: percent },
  };
}

/** Why the module stays as it was: this is what its edits take away, with those of others that do not stay. */
export function judgeSlip(
  { before, vanished, family }: Withdrawal,
  { moduleId, lost, examples }: Slip,
  percent: number,
  name: string,
): Finding {
  const worst = worstOf({ before, vanished }, percent);
  const own = sharesOf(before, lost);
  const { measured, of } = worst ?? own[0]!;
  // In the same measure.
  const share = own.find((one) => one.unit === worst?.unit) ?? own[0]!;
  const runs = of(counted(before.prefixes, `${familyName(family)} prefix`));
  const whole = `Edits take away ${measured} % of the ${runs} that a speaker runs, and guard_max_withdraw_percent is ${percent}`;
  const detail = `Module ${name}: ${whole}. This module takes away ${share.measured} %, and stays as it was. Undo the edit, or release the module with override and a reason if it is meant.`;
  return {
    ...{ code: 'large_withdrawal', detail, module_id: moduleId, entry_id: null, community: null },
    ...{ examples: [...examples], lost: [...examples], measured, limit: percent },
  };
}
