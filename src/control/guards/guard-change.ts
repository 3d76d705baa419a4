/** How much of a module changed by itself: measured between two of its snapshots, over the entries that no operator touched. */
import type { Finding } from '../../api/revisions/revisions.ts';
import { type Family, widthOf } from '../../core/address.ts';
import { lazily } from '../../core/lazily.ts';
import { PrefixBuffer } from '../../core/prefix-buffer.ts';
import { PrefixSetBuilder, type PrefixSet, subtract } from '../../core/sets/prefix-set.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt, type PrefixList } from '../../core/prefix.ts';
import { type RowsOfLabel, groupByLabel, listsByLabel } from '../../core/tables/rows-by-label.ts';
import { type ChangeLimits, excessOf } from './change-limits.ts';
import { type Extent, FEW, extentOf } from './extent.ts';
import { MAXIMUM_EXAMPLES } from './guard.ts';

/** Entries of which findings say one by one that they changed too much, in each family. */
const MAXIMUM_ENTRIES = 10;

/** What appeared and what vanished in one family. */
export interface FamilyChange {
  readonly family: Family;
  readonly before: Extent;
  readonly appeared: Extent;
  readonly vanished: Extent;
  readonly examples: readonly string[];
  /** Those of the examples that vanish. */
  readonly lost: readonly string[];
  /** What was measured: the entries together, or one of them. */
  readonly of: 'module' | 'entry';
  /** The entry that was measured, or that changed most, where the change is too much. */
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
 * Measures the change of what these entries contributed together, and lists single entries that changed too much where all together did
 * not: a small one is little beside a large one. An entry that had contributed nothing before is new, even if it was there: what it
 * brings first is what it was added for. O(rows).
 * @param limits from which on entries are looked for
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
  const lists = lazily(() => [before, after].map((table) => listsByLabel(groupByLabel(table))));
  const entriesOf = (ids: ReadonlySet<string>, family: Family): FamilyChange[] =>
    changesOfEntries(lists(), ids, family);
  return families.flatMap((family) => {
    const whole = changeOf(setOf(before, family, counted), setOf(after, family, counted));
    const isSmall = whole.before.prefixes < FEW && left.size < counted.size;
    const measured = isSmall ? left : counted;
    const change = isSmall ? changeOf(setOf(before, family, left), setOf(after, family, left)) : whole;
    if (excessOf(change, limits) !== null)
      return [{ ...change, entryId: changedMost(entriesOf(measured, family)) }];
    // What is true of the only entry has just been found. What one lost and another has is no change.
    if (counted.size < 2 || prefixesIn(whole) === 0) return [change];
    const alone = entriesOf(counted, family).filter(
      (entry) => left.has(entry.entryId!) || entry.before.prefixes >= FEW,
    );
    return [change, ...alone.filter((entry) => excessOf(entry, limits) !== null).slice(0, MAXIMUM_ENTRIES)];
  });
}

/** What each entry changed by, of those that changed at all, the one with most prefixes first. */
function changesOfEntries(
  [then, now]: readonly ReadonlyMap<string, RowsOfLabel>[],
  ids: ReadonlySet<string>,
  family: Family,
): FamilyChange[] {
  const changes: FamilyChange[] = [];
  for (const id of ids) {
    const [old, fresh] = [then!.get(id)?.[family], now!.get(id)?.[family]];
    if (isSameList(old, fresh)) continue;
    const change = changeOf(setOfList(old, family), setOfList(fresh, family));
    if (prefixesIn(change) > 0) changes.push({ ...change, of: 'entry', entryId: id });
  }
  return changes.sort((one, other) => prefixesIn(other) - prefixesIn(one));
}

function changedMost([most]: readonly FamilyChange[]): string | null {
  return most?.entryId ?? null;
}

/** That appeared or vanished. */
function prefixesIn({ appeared, vanished }: FamilyChange): number {
  return appeared.prefixes + vanished.prefixes;
}

/** Most entries of a module are as they were, and nothing has to be measured of them. */
function isSameList(one: PrefixList | undefined, other: PrefixList | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  const isSame = (a: Uint8Array | Uint32Array, b: Uint8Array | Uint32Array): boolean =>
    a.every((value, i) => value === b[i]);
  return one.size === other.size && isSame(one.words, other.words) && isSame(one.lengths, other.lengths);
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
  const examplesOf = (set: PrefixSet): string[] =>
    Array.from({ length: Math.min(set.size, MAXIMUM_EXAMPLES / 2) }, (_, i) => formatPrefixAt(set, i));
  const lost = examplesOf(vanished);
  return {
    family: before.family,
    before: extentOf(before),
    appeared: extentOf(appeared),
    vanished: extentOf(vanished),
    examples: [...lost, ...examplesOf(appeared)],
    lost,
    of: 'module',
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
    ...{ community: null, examples: [...change.examples], lost: [...change.lost], measured, limit },
  };
}
