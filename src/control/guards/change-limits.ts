/** How much of a list may change by itself: in shares, where it is long enough for shares to mean something. */
import { counted } from '../../api/shapes/counted.ts';
import type { Family } from '../../core/address.ts';
import { percentRoundedUp } from '../../core/percent.ts';
import { unicastAddresses } from './coverage.ts';
import { type Extent, FEW, sharesOf } from './extent.ts';
import { familyName } from './guard.ts';

/** Lists of so few prefixes are kept by hand, and the next edit of their file may leave nothing as it was. */
const HANDWRITTEN = 3;

/** Percent of a small list that may vanish, at least: one prefix is a large share of it. */
const SMALL_PERCENT = 50;

/**
 * Percent of a family's unicast space by which a small list may grow, whatever it covered: nearly four million IPv4 addresses, more
 * than the largest of the small lists that providers publish.
 */
const SMALL_GROWTH_PERCENT = 0.1;

/** Of one entry among others: fewer prefixes that come or go are an ordinary day, as of an AS number with a dozen of them. */
const NOISE = 10;

export interface ChangeLimits {
  /** The setting `guard_max_change_percent`. */
  readonly percent: number;
  /** Whether a small list may change entirely: the addresses of domains do, in ordinary life. */
  readonly mayBeReplaced: boolean;
}

/** What appeared and what vanished of a list, in one family. */
interface Change {
  readonly family: Family;
  /** Of the entries of a module together, or of one of them. */
  readonly of: 'module' | 'entry';
  readonly before: Extent;
  readonly appeared: Extent;
  readonly vanished: Extent;
}

/** How a change breaks its limit. */
export interface Excess {
  readonly measured: number;
  readonly limit: number;
  /** Without its full stop. */
  readonly sentence: string;
}

/** What sentences call the list. */
const WHOSE = { module: 'its lists', entry: 'one of its lists' } as const;
/** What became of it. */
const VERB = { vanished: 'lost', appeared: 'grew by' } as const;

/** The measure that is most over its limit; null: none is. An entry is measured as if its module had no other. */
export function excessOf(change: Change, limits: ChangeLimits): Excess | null {
  if (change.of === 'entry' && isExcused(change, limits)) return null;
  const found = change.before.prefixes < FEW ? excessOfSmall(change, limits) : excessOfLarge(change, limits);
  const [worst] = found.sort(
    (a, b) => b.measured * a.limit - a.measured * b.limit || b.measured - a.measured,
  );
  return worst ?? null;
}

/** An entry that had nothing in the family is new there, and a domain with few addresses may have others at any time. */
function isExcused({ before }: Change, { mayBeReplaced }: ChangeLimits): boolean {
  return before.prefixes === 0 || (mayBeReplaced && before.prefixes < FEW);
}

function excessOfLarge(change: Change, { percent }: ChangeLimits): Excess[] {
  return (['vanished', 'appeared'] as const).flatMap((direction) => sharesOver(change, direction, percent));
}

/** A hundred prefixes may appear, as long as they do not cover far more than there was, and most of what there was must stay. */
function excessOfSmall(change: Change, { percent, mayBeReplaced }: ChangeLimits): Excess[] {
  if (mayBeReplaced || change.before.prefixes <= HANDWRITTEN) return prefixesOver(change, percent);
  const limit = Math.max(percent, SMALL_PERCENT);
  return [
    ...sharesOver(change, 'vanished', limit),
    ...prefixesOver(change, percent),
    ...growthOver(change, limit),
  ];
}

function sharesOver(change: Change, direction: 'vanished' | 'appeared', limit: number): Excess[] {
  const { before, family, of: list } = change;
  if (list === 'entry' && change[direction].prefixes < NOISE) return [];
  return sharesOf(before, direction === 'vanished' ? lostOf(change) : change.appeared)
    .filter(({ isOver }) => isOver(limit))
    .map(({ unit, measured, of }) => {
      const accepted = counted(before.prefixes, `${familyName(family)} prefix`);
      const isInParts = unit === 'prefixes' && direction === 'vanished' && isLostInParts(change);
      const what = isInParts
        ? `lost addresses that take ${counted(change.vanished.prefixes, 'prefix')} to write, where all that was accepted before took ${accepted}: that counts as ${measured} % of the prefixes`
        : `${VERB[direction]} ${measured} % of the ${of(accepted)} accepted before`;
      return {
        measured,
        limit,
        sentence: `without any edit, ${WHOSE[list]} ${what}, and ${limit} % is the most`,
      };
    });
}

/** Of what there was some is left, although what is lost has as many prefixes. */
function isLostInParts({ before, vanished }: Change): boolean {
  return vanished.prefixes >= before.prefixes && vanished.addresses < before.addresses;
}

/** What a prefix has lost is written in several: of a list that is lost as a whole, no more prefixes are lost than it had. */
function lostOf({ before, vanished }: Change): Extent {
  return { ...vanished, prefixes: Math.min(vanished.prefixes, before.prefixes) };
}

function prefixesOver({ before, appeared, family, of: list }: Change, percent: number): Excess[] {
  const measured = appeared.prefixes;
  // Of one entry, whoever lets lists grow many times over means that.
  const limit = list === 'entry' ? Math.max(FEW, Math.floor((before.prefixes * percent) / 100)) : FEW;
  if (measured <= limit) return [];
  const sentence = `without any edit, ${WHOSE[list]} gained ${counted(measured, `${familyName(family)} prefix`)} beside the ${before.prefixes} accepted before, and ${limit} is the most`;
  return [{ measured, limit, sentence }];
}

function growthOver({ before, appeared, family, of: list }: Change, percent: number): Excess[] {
  const space = unicastAddresses(family);
  const ofBefore = (before.addresses * BigInt(percent)) / 100n;
  const most = max(ofBefore, (space * BigInt(SMALL_GROWTH_PERCENT * 10)) / 1_000n);
  if (appeared.addresses <= most) return [];
  const measured = Math.min(100, percentRoundedUp(appeared.addresses, space));
  const limit = percentRoundedUp(most, space);
  const sentence = `without any edit, ${WHOSE[list]} gained ${measured} % of what is routed on the Internet beside the ${counted(before.prefixes, `${familyName(family)} prefix`)} accepted before, and ${limit} % is the most`;
  return [{ measured, limit, sentence }];
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
