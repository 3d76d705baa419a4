/** How much of a module changed by itself: measured between two of its snapshots, over the entries that no operator touched. */
import type { Finding } from '../../api/revisions/revisions.ts';
import { type Family, widthOf } from '../../core/address.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import { PrefixSetBuilder, type PrefixSet, coveredAddresses, subtract } from '../../core/sets/prefix-set.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt, type PrefixList } from '../../core/prefix.ts';
import { groupByLabel, listsByLabel } from '../../core/tables/rows-by-label.ts';
import { MAXIMUM_EXAMPLES, familyName } from './guard.ts';

/** Fewer prefixes than this change by a number of prefixes, which is the same number, and not by percent. */
export const FEW = 100;

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
  /** The entry that changed most, where the change is too much. */
  readonly entryId: string | null;
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

/** The list `before` with the versions that its entries have in `now`, where they are still in it. */
export function withVersionsOf(now: string, before: string): string {
  const versions = new Map(now.split(',').map((entry) => [entry.slice(0, entry.indexOf(' ')), entry]));
  return before
    .split(',')
    .map((entry) => versions.get(entry.slice(0, entry.indexOf(' '))) ?? entry)
    .join(',');
}

/**
 * Measures the change of what these entries contributed together. An entry that had contributed nothing before is new, even if it
 * was there: what it brings first is what it was added for. O(rows).
 * @param percent from which share on the entry that changed most is looked for
 */
export function measureChange(
  before: PrefixTable,
  after: PrefixTable,
  entryIds: readonly string[],
  families: readonly Family[],
  percent: number,
): FamilyChange[] {
  const contributed = new Set(before.labelSets.flat());
  const counted = new Set(entryIds.filter((id) => contributed.has(id)));
  return families.map((family) => {
    const change = changeOf(setOf(before, family, counted), setOf(after, family, counted));
    if (worstOf(change, percent) === null) return change;
    return { ...change, entryId: changedMost(before, after, counted, family) };
  });
}

/** The entry of which most prefixes appeared or vanished. */
function changedMost(
  before: PrefixTable,
  after: PrefixTable,
  counted: ReadonlySet<string>,
  family: Family,
): string | null {
  const [then, now] = [before, after].map((table) => listsByLabel(groupByLabel(table)));
  let most: { readonly id: string; readonly prefixes: number } | null = null;
  for (const id of counted) {
    const [old, fresh] = [then!, now!].map((lists) => setOfList(lists.get(id)?.[family], family));
    const prefixes = subtract(old!, fresh!).size + subtract(fresh!, old!).size;
    if (prefixes > (most?.prefixes ?? 0)) most = { id, prefixes };
  }
  return most?.id ?? null;
}

function setOfList(list: PrefixList | undefined, family: Family): PrefixSet {
  const builder = new PrefixSetBuilder(family);
  if (list !== undefined) builder.addSet(list);
  return builder.build();
}

/** The addresses of the rows that carry one of the labels. */
export function setOf(table: PrefixTable, family: Family, labels: ReadonlySet<string>): PrefixSet {
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
    entryId: null,
  };
}

export function extentOf(set: PrefixSet): Extent {
  return { prefixes: set.size, addresses: coveredAddresses(set) };
}

/** The module, as a finding names it. */
export interface ChangedModule {
  readonly id: string;
  readonly name: string;
}

/**
 * What the guardrail `guard_max_change_percent` has against the change, or null. A change of exactly the limit is good. Only the worst
 * of appeared and vanished, of prefixes and addresses, is told.
 */
export function judgeChange(change: FamilyChange, percent: number, module: ChangedModule): Finding | null {
  const worst = worstOf(change, percent);
  if (worst === null) return null;
  const { before, family, examples, entryId } = change;
  const { measured, direction, what, limit } = worst;
  const unit = before.prefixes < FEW ? '' : ' %';
  const detail = `Module ${module.name}: ${measured}${unit} of the ${before.prefixes} ${familyName(family)} prefixes${what} that were accepted of its unchanged entries ${direction} by themselves, and ${limit}${unit} is the most. See what changed with the difference; let it through with override if it is right, or mend or disable the source.`;
  return {
    ...{ code: 'max_change_exceeded', detail, module_id: module.id, entry_id: entryId, community: null },
    ...{ examples: [...examples], measured, limit },
  };
}

interface Worst extends Measure {
  readonly direction: 'appeared' | 'vanished';
  readonly limit: number;
}

/** The measure that is most over its limit; null: none is. */
function worstOf(change: FamilyChange, percent: number): Worst | null {
  const directions = (['vanished', 'appeared'] as const).flatMap((direction) =>
    measuresOf(change.before, change[direction]).map((measure) => ({ ...measure, direction })),
  );
  const limit = limitOf(change.before, percent);
  const [worst] = directions.filter(({ isOver }) => isOver(limit)).sort((a, b) => b.measured - a.measured);
  return worst === undefined ? null : { ...worst, limit };
}

/** Of prefixes where there are few, else in percent. */
function limitOf(before: Extent, percent: number): number {
  return before.prefixes < FEW ? FEW : percent;
}

export interface Measure {
  readonly measured: number;
  readonly what: string;
  readonly isOver: (limit: number) => boolean;
}

/** How much the part is of what there was, in prefixes and in addresses. */
export function measuresOf(before: Extent, { prefixes, addresses }: Extent): readonly Measure[] {
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
