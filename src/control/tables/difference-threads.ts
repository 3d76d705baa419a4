/** What two contents differ in: worked out in threads where they are large. */
import type { DiffSummary } from '../../api/revisions/diff.ts';
import type { Prefix } from '../../core/prefix.ts';
import type { PrefixSet } from '../../core/sets/prefix-set.ts';
import type { ChangePiece } from '../../core/stored/change-list.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import { INLINE_ROWS } from '../../store/contents/read-table.ts';
import { writeDifference } from './change-work.ts';
import { countByModule } from './count-by-module.ts';
import { type CountedDiff, countedDiff } from './diff-work.ts';
import { type MapCells, drawMap } from './map-work.ts';
import { type SetDifference, setDifference } from './rule-sets.ts';
import { routesIn, rowsOf, run } from './table-pool.ts';
import type { Use } from './used-snapshots.ts';

/** What differs between two tables, row by row, and how often which label sets took the place of which. */
export async function diffOf(before: PrefixTable, after: PrefixTable): Promise<CountedDiff> {
  const task = { kind: 'table_diff', before, after } as const;
  return routesIn(before) + routesIn(after) <= INLINE_ROWS ? countedDiff(task) : run(task, [], undefined);
}

/** A snapshot that a revision was built from, and what of it counted. */
export type StoredUse = Use & { readonly content: StoredContent };

/** Of each module, how many of the rows in which two revisions differ have addresses of it. */
export async function countChangesByModule(
  differing: { readonly before: PrefixTable; readonly after: PrefixTable },
  modules: readonly (readonly StoredUse[])[],
): Promise<readonly DiffSummary[]> {
  const task = {
    ...({ kind: 'module_counts', ...differing } as const),
    modules: modules.map((uses) => uses.map(({ content, ...use }) => ({ ...use, stored: content.stored }))),
  };
  const { before, after } = differing;
  const differences = before.ipv4.size + before.ipv6.size + after.ipv4.size + after.ipv6.size;
  if (differences === 0) return modules.map(() => ({ announced: 0, withdrawn: 0, changed: 0 }));
  const rows = modules.flat().reduce((sum, { content }) => sum + rowsOf(content), differences);
  return rows <= INLINE_ROWS ? countByModule(task) : run(task, [], undefined);
}

/** What a content covers inside a prefix; beside another one, what is added and what is removed. */
export function drawMapOf(
  content: StoredContent,
  before: StoredContent | null,
  within: Prefix,
): Promise<MapCells> {
  const task = { kind: 'map', stored: content.stored, before: before?.stored ?? null, within } as const;
  const isSmall = rowsOf(content) + rowsOf(before) <= INLINE_ROWS;
  return isSmall ? Promise.resolve(drawMap(task)) : run(task, [], undefined);
}

/** What differs between two contents, in pieces by address. */
export async function differenceBetween(
  before: StoredContent,
  after: StoredContent,
  signal?: AbortSignal,
): Promise<readonly ChangePiece[]> {
  const task = { kind: 'difference', before: before.stored, after: after.stored } as const;
  return rowsOf(before) + rowsOf(after) <= INLINE_ROWS ? writeDifference(task) : run(task, [], signal);
}

/** What makes the second set out of the first. */
export async function differenceOf(before: PrefixSet, after: PrefixSet): Promise<SetDifference> {
  const task = { kind: 'set_difference', before, after } as const;
  return before.size + after.size <= INLINE_ROWS ? setDifference(task) : run(task, [], undefined);
}
