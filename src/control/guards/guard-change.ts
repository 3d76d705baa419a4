/** How much of a module changed by itself: measured between two of its snapshots, over the entries that no operator touched. */
import type { Finding } from '../../api/revisions/revisions.ts';
import { type Family, widthOf } from '../../core/address.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import { PrefixSetBuilder, type PrefixSet, subtract } from '../../core/sets/prefix-set.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt, type PrefixList } from '../../core/prefix.ts';
import { groupByLabel, listsByLabel } from '../../core/tables/rows-by-label.ts';
import { type ChangeLimits, excessOf } from './change-limits.ts';
import { type Extent, FEW, extentOf } from './extent.ts';
import { MAXIMUM_EXAMPLES } from './guard.ts';

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
 * @param limits from which on the entry that changed most is looked for
 */
export function measureChange(
  before: PrefixTable,
  after: PrefixTable,
  entryIds: readonly string[],
  families: readonly Family[],
  limits: ChangeLimits,
): FamilyChange[] {
  const contributed = new Set(before.labelSets.flat());
  const counted = new Set(entryIds.filter((id) => contributed.has(id)));
  // An entry that has nothing any more was allowed that, or it would have kept what it had. A small list is soon most of a module.
  const contributes = new Set(after.labelSets.flat());
  const left = new Set([...counted].filter((id) => contributes.has(id)));
  return families.map((family) => {
    const whole = changeOf(setOf(before, family, counted), setOf(after, family, counted));
    const isSmall = whole.before.prefixes < FEW && left.size < counted.size;
    const measured = isSmall ? left : counted;
    const change = isSmall ? changeOf(setOf(before, family, left), setOf(after, family, left)) : whole;
    if (excessOf(change, limits) === null) return change;
    return { ...change, entryId: changedMost(before, after, measured, family) };
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

/** The module, as a finding names it. */
export interface ChangedModule {
  readonly id: string;
  readonly name: string;
}

/**
 * What the guardrail `guard_max_change_percent` has against the change, or null. A change of exactly the limit is good. Only the worst
 * of appeared and vanished, of prefixes and addresses, is reported.
 */
export function judgeChange(
  change: FamilyChange,
  limits: ChangeLimits,
  module: ChangedModule,
): Finding | null {
  const excess = excessOf(change, limits);
  if (excess === null) return null;
  const { measured, limit, sentence } = excess;
  const detail = `Module ${module.name}: ${sentence}. See what changed with the difference; let it through with override if it is right, or fix or disable the source.`;
  return {
    ...{ code: 'max_change_exceeded', detail, module_id: module.id, entry_id: change.entryId },
    ...{ community: null, examples: [...change.examples], measured, limit },
  };
}
