/** How much of a module changed by itself: measured between two of its snapshots, over the entries that no operator touched. */
import type { Finding } from '../../api/revisions.ts';
import { type Family, widthOf } from '../../core/address.ts';
import { PrefixBuffer } from '../../core/text/prefix-buffer.ts';
import { PrefixSetBuilder, type PrefixSet, coveredAddresses, subtract } from '../../core/prefix-set.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import { MAXIMUM_EXAMPLES, familyName } from './guard.ts';

/** Fewer prefixes than this change by a number of prefixes, which is the same number, and not by percent. */
const FEW = 100;

/** A set of addresses in both measures: the fewest prefixes that write it, and the addresses themselves. */
export interface Extent {
  readonly prefixes: number;
  readonly addresses: bigint;
}

/** What appeared and what vanished in one family. */
export interface FamilyChange {
  readonly family: Family;
  readonly before: Extent;
  readonly appeared: Extent;
  readonly vanished: Extent;
  readonly examples: readonly string[];
}

/**
 * The entries that both lists have in the same version: what they contribute changed by itself, if it did. Whatever else differs
 * between the snapshots is what an operator added, edited, enabled or removed.
 * @param before `id version,id version…`, as {@link after}
 */
export function unchangedEntries(before: string, after: string): string[] {
  const now = new Set(after.split(','));
  const same = before.split(',').filter((entry) => entry !== '' && now.has(entry));
  return same.map((entry) => entry.slice(0, entry.indexOf(' ')));
}

/**
 * Measures the change of what these entries contributed together. An entry that had contributed nothing before is new, even if it
 * was there: what it brings first is what it was added for. O(rows).
 */
export function measureChange(
  before: PrefixTable,
  after: PrefixTable,
  entryIds: readonly string[],
  families: readonly Family[],
): FamilyChange[] {
  const contributed = new Set(before.labelSets.flat());
  const counted = new Set(entryIds.filter((id) => contributed.has(id)));
  return families.map((family) => changeOf(setOf(before, family, counted), setOf(after, family, counted)));
}

/** The addresses of the rows that carry one of the labels. */
function setOf(table: PrefixTable, family: Family, labels: ReadonlySet<string>): PrefixSet {
  const rows = table[family];
  const width = widthOf(family);
  const isCounted = table.labelSets.map((set) => set.some((label) => labels.has(label)));
  const counted = new PrefixBuffer(family);
  for (let row = 0; row < rows.size; row++) {
    if (isCounted[rows.labels[row]!]!) counted.push(rows.words, row * width, rows.lengths[row]!);
  }
  const builder = new PrefixSetBuilder(family);
  builder.addSet(counted.toView());
  return builder.build();
}

function changeOf(before: PrefixSet, after: PrefixSet): FamilyChange {
  const appeared = subtract(after, before);
  const vanished = subtract(before, after);
  const examples = [vanished, appeared].flatMap((set) =>
    Array.from({ length: Math.min(set.size, MAXIMUM_EXAMPLES / 2) }, (_, i) => formatPrefixAt(set, i)),
  );
  return {
    family: before.family,
    before: extentOf(before),
    appeared: extentOf(appeared),
    vanished: extentOf(vanished),
    examples,
  };
}

function extentOf(set: PrefixSet): Extent {
  return { prefixes: set.size, addresses: coveredAddresses(set) };
}

/** The module, as a finding names it. */
export interface ChangedModule {
  readonly id: string;
  readonly name: string;
}

/**
 * What the rail `guard_max_change_percent` has against the change, or null. A change of exactly the limit is good. Only the worst
 * of appeared and vanished, of prefixes and addresses, is told.
 */
export function judgeChange(change: FamilyChange, percent: number, module: ChangedModule): Finding | null {
  const { before, family, examples } = change;
  const directions = (['vanished', 'appeared'] as const).flatMap((direction) =>
    measuresOf(change, direction).map((measure) => ({ ...measure, direction })),
  );
  const limit = before.prefixes < FEW ? FEW : percent;
  const [worst] = directions.filter(({ isOver }) => isOver(limit)).sort((a, b) => b.measured - a.measured);
  if (worst === undefined) return null;
  const { measured, direction, what } = worst;
  const unit = before.prefixes < FEW ? '' : ' %';
  const detail = `${measured}${unit} of the ${before.prefixes} ${familyName(family)} prefixes${what} that the unchanged entries of the module ${module.name} contributed to the last applied revision ${direction} by themselves, and ${limit}${unit} is the most. See what changed with the difference of the two revisions; apply with override if it is right, or mend or disable the source.`;
  return {
    ...{ code: 'max_change_exceeded', detail, module_id: module.id, entry_id: null, community: null },
    ...{ examples: [...examples], measured, limit },
  };
}

interface Measure {
  readonly measured: number;
  readonly what: string;
  readonly isOver: (limit: number) => boolean;
}

function measuresOf(
  { before, ...change }: FamilyChange,
  direction: 'appeared' | 'vanished',
): readonly Measure[] {
  const { prefixes, addresses } = change[direction];
  if (before.prefixes < FEW) return [{ measured: prefixes, what: '', isOver: (limit) => prefixes > limit }];
  // Whole numbers on both sides, so that a change of exactly the limit is no more than the limit.
  return [
    {
      measured: percentOf(BigInt(prefixes), BigInt(before.prefixes)),
      what: '',
      isOver: (limit) => prefixes * 100 > limit * before.prefixes,
    },
    {
      measured: percentOf(addresses, before.addresses),
      what: ', by the addresses they cover,',
      isOver: (limit) => addresses * 100n > BigInt(limit) * before.addresses,
    },
  ];
}

/** With two digits behind the point, rounded up: what is over a limit never reads as the limit. */
function percentOf(part: bigint, whole: bigint): number {
  return Number((part * 10_000n + whole - 1n) / whole) / 100;
}
