import { LRUCache } from 'lru-cache';
import type {
  ChangePageQuery,
  CommunityChanges,
  DiffSummary,
  ModuleChanges,
  RevisionChange,
  RevisionDiff,
  RevisionDiffQuery,
} from '../../api/revisions/diff.ts';
import { Problem } from '../../api/problems/problem.ts';
import type { RevisionPrefix } from '../../api/revisions/revisions.ts';
import { Slices } from '../../concurrency/slices.ts';
import type { TableDiff } from '../../core/tables/diff.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import { type PrefixTable, emptyTable } from '../../core/tables/prefix-table.ts';
import { Cursors } from '../../store/database/cursors.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findModuleNames } from '../../store/modules/modules.ts';
import type { CountedDiff } from '../tables/diff-work.ts';
import { diffOf } from '../tables/difference-threads.ts';
import { differingTables } from '../tables/table-cache.ts';
import { changeFilter } from './change-filter.ts';
import { type ChangedRow, changedRows } from './changed-rows.ts';
import { countByCommunity, familySummary, summaryOf } from './diff-summary.ts';
import { changesByModule, type CountsOfModule } from './module-uses.ts';
import { requireRevision, type StoredRevision } from '../../store/revisions/stored-revisions.ts';

const DEFAULT_PAGE = 1_000;
const PLACE_BYTES = 4;
/** Rows that are looked at between two looks at the clock. */
const LOOK = 1_024;

/** Counts by module of two revisions, which never change: the pages of a difference ask for the same. */
const byModule = new LRUCache<string, CountsOfModule[]>({ max: 64 });

/**
 * What a router would hear when it goes from revision `a` to revision `b`: IPv4 before IPv6, by address. Contents never change,
 * so a place in that order is a cursor, good for these two contents and filters.
 * @throws {Problem} `not_found`, `revision_not_ready`, `invalid_cursor`, `validation_failed`
 */
export async function diffRevisions(
  tx: TenantTx,
  a: string,
  b: string,
  query: RevisionDiffQuery,
): Promise<RevisionDiff> {
  const { before, after, diff, labels } = await readSides(tx, a, b);
  const { cursor, limit, ...filters } = query;
  const wanted = await changeFilter(tx, before, after, filters);
  const names = [before.content_hash, after.content_hash, ...Object.entries(filters).sort().flat(2)];
  const places = { cursor, limit, cursors: cursorsOf(names) };
  const page =
    wanted === null
      ? { matching: summaryOf(diff), ...(await pageOfRows(before, after, diff, places)) }
      : await filteredPage(before, after, diff, places, wanted);
  const summary = {
    ...summaryOf(diff),
    by_family: { ipv4: familySummary(diff.ipv4), ipv6: familySummary(diff.ipv6) },
    by_community: countByCommunity(before, after, labels),
    by_module: await countedByModule(tx, before, after),
  };
  return { summary, ...page };
}

/** What differs, as {@link diffRevisions}, without counts by module. */
export async function changesBetween(
  tx: TenantTx,
  a: string,
  b: string,
  query: ChangePageQuery,
): Promise<ChangePage> {
  const { before, after, diff } = await readSides(tx, a, b);
  return pageOf(before, after, diff, query);
}

/** What two revisions differ in, as {@link breakdownOf}. @throws {Problem} `not_found`, `revision_not_ready` */
export async function breakdownBetween(
  tx: TenantTx,
  a: string,
  b: string,
  limit: number,
): Promise<ChangeBreakdown> {
  const { before, after, ...compared } = await readSides(tx, a, b);
  return breakdown(before, after, compared, limit);
}

/** All that differs, for whoever sends it on: memory never holds all of it. */
export async function changesOneByOne(tx: TenantTx, a: string, b: string): Promise<Iterable<RevisionChange>> {
  const { before, after, diff } = await readSides(tx, a, b);
  const present = presenter(before, after);
  function* presented(): Generator<RevisionChange> {
    for (const row of changedRows(before.table, after.table, diff)) yield present(row);
  }
  return presented();
}

async function readSides(
  tx: TenantTx,
  a: string,
  b: string,
): Promise<CountedDiff & { readonly before: RevisionSide; readonly after: RevisionSide }> {
  const before = withContent(await requireRevision(tx, a));
  const after = withContent(await requireRevision(tx, b));
  const isSame = before.content_hash === after.content_hash;
  const none = { before: emptyTable(), after: emptyTable() };
  const {
    before: left,
    after: right,
    ...compared
  } = isSame
    ? { ...none, ...(await diffOf(none.before, none.after)) }
    : await differingTables(tx, before.content_hash, after.content_hash);
  return { before: { ...before, table: left }, after: { ...after, table: right }, ...compared };
}

async function countedByModule(
  tx: TenantTx,
  before: RevisionSide,
  after: RevisionSide,
): Promise<ModuleChanges[]> {
  if (before.content_hash === after.content_hash) return [];
  const pair = `${tx.tenantId} ${before.id} ${after.id}`;
  const differing = { before: before.table, after: after.table };
  const counts = byModule.get(pair) ?? (await changesByModule(tx, [before.id, after.id], differing));
  byModule.set(pair, counts);
  const names = await findModuleNames(
    tx,
    counts.map(({ module_id: id }) => id),
  );
  return counts.map(({ module_id: id, ...rest }) => ({
    module_id: id,
    name: names.get(id) ?? null,
    ...rest,
  }));
}

/** A content, as far as it may differ from another. */
export interface DiffSide extends Pick<StoredRevision, 'communities'> {
  readonly content_hash: string;
  readonly table: PrefixTable;
}

type RevisionSide = DiffSide & Pick<StoredRevision, 'id'>;

type Items = Pick<RevisionDiff, 'items' | 'next_cursor' | 'has_more'>;
export type ChangePage = Items & { readonly summary: DiffSummary };
export type ChangeBreakdown = Omit<ChangePage, 'next_cursor'> & {
  readonly by_community: CommunityChanges[];
};

/** A page of the difference of two contents. @throws {Problem} `invalid_cursor` */
export async function pageOfDiff(
  before: DiffSide,
  after: DiffSide,
  query: ChangePageQuery,
): Promise<ChangePage> {
  const { diff } = await diffOf(before.table, after.table);
  return pageOf(before, after, diff, query);
}

/**
 * Counts of all that differs, and at most `limit` changes by name: those that are withdrawn before others, since whoever looks at a change must not
 * miss them among many that are announced; in the order of {@link diffRevisions}.
 */
export async function breakdownOf(
  before: DiffSide,
  after: DiffSide,
  limit: number,
): Promise<ChangeBreakdown> {
  return breakdown(before, after, await diffOf(before.table, after.table), limit);
}

async function breakdown(
  before: DiffSide,
  after: DiffSide,
  { diff, labels }: CountedDiff,
  limit: number,
): Promise<ChangeBreakdown> {
  const summary = summaryOf(diff);
  const all = summary.announced + summary.withdrawn + summary.changed;
  const room = { withdrawn: Math.min(summary.withdrawn, limit), others: 0 };
  room.others = Math.min(all - summary.withdrawn, limit - room.withdrawn);
  const present = presenter(before, after);
  const items: RevisionChange[] = [];
  const slices = new Slices();
  let place = 0;
  for (const row of changedRows(before.table, after.table, diff)) {
    if (place++ % LOOK === LOOK - 1) await slices.pause();
    if (room.withdrawn + room.others === 0) break;
    const kind = row.change === 'withdrawn' ? 'withdrawn' : 'others';
    if (room[kind] === 0) continue;
    room[kind]--;
    items.push(present(row));
  }
  const by_community = countByCommunity(before, after, labels);
  return { summary, by_community, items, has_more: all > items.length };
}

async function pageOf(
  before: DiffSide,
  after: DiffSide,
  diff: TableDiff,
  { cursor, limit }: ChangePageQuery,
): Promise<ChangePage> {
  const cursors = cursorsOf([before.content_hash, after.content_hash]);
  return { summary: summaryOf(diff), ...(await pageOfRows(before, after, diff, { cursor, limit, cursors })) };
}

interface Places {
  readonly cursor: string | undefined;
  readonly limit: number | undefined;
  /** What the cursor is for. */
  readonly cursors: Cursors;
}

async function pageOfRows(
  before: DiffSide,
  after: DiffSide,
  diff: TableDiff,
  { cursor, limit = DEFAULT_PAGE, cursors }: Places,
): Promise<Items> {
  const start = cursor === undefined ? 0 : readPlace(cursors, cursor);
  const present = presenter(before, after);
  const items: RevisionChange[] = [];
  const slices = new Slices();
  let place = 0;
  for (const row of changedRows(before.table, after.table, diff)) {
    if (place % LOOK === LOOK - 1) await slices.pause();
    if (place++ < start) continue;
    if (items.length === limit) return page(items, cursors.write(placeBytes(place - 1)));
    items.push(present(row));
  }
  return page(items, null);
}

/** Goes through all differences, since it counts those that the filter leaves. */
async function filteredPage(
  before: DiffSide,
  after: DiffSide,
  diff: TableDiff,
  { cursor, limit = DEFAULT_PAGE, cursors }: Places,
  isWanted: (row: ChangedRow) => boolean,
): Promise<Items & Pick<RevisionDiff, 'matching'>> {
  const start = cursor === undefined ? 0 : readPlace(cursors, cursor);
  const present = presenter(before, after);
  const items: RevisionChange[] = [];
  const matching = { announced: 0, withdrawn: 0, changed: 0 };
  let [place, next] = [0, null as number | null];
  const slices = new Slices();
  for (const row of changedRows(before.table, after.table, diff)) {
    if (place % LOOK === LOOK - 1) await slices.pause();
    if (isWanted(row)) {
      matching[row.change]++;
      if (place >= start && items.length < limit) items.push(present(row));
      else if (place >= start) next ??= place;
    }
    place++;
  }
  return { matching, ...page(items, next === null ? null : cursors.write(placeBytes(next))) };
}

export type RevisionWithContent = StoredRevision & { readonly content_hash: string };

/** @throws {Problem} `revision_not_ready` */
export function withContent(revision: StoredRevision): RevisionWithContent {
  const { content_hash: hash, number, state } = revision;
  if (hash !== null) return { ...revision, content_hash: hash };
  throw new Problem('revision_not_ready', `Revision ${number} is ${state} and has no content yet.`);
}

function page(items: RevisionChange[], cursor: string | null): Items {
  return { items, next_cursor: cursor, has_more: cursor !== null };
}

type Communities = RevisionPrefix['communities'];

/** For each label set of the table, its communities as the revision names them. */
function communitiesBySet({ table, communities }: DiffSide): Communities[] {
  const known = new Map(
    communities.map(({ prefix_count: _, ...community }) => [community.community, community]),
  );
  return table.labelSets.map((labels) => labels.flatMap((text) => known.get(text) ?? []));
}

function presenter(before: DiffSide, after: DiffSide): (row: ChangedRow) => RevisionChange {
  const [was, is] = [communitiesBySet(before), communitiesBySet(after)];
  return (row) => {
    const { rows, index } = (row.after ?? row.before)!;
    return {
      prefix: formatPrefixAt(rows, index),
      change: row.change,
      communities_before: row.before === null ? [] : was[row.before.rows.labels[row.before.index]!]!,
      communities_after: row.after === null ? [] : is[row.after.rows.labels[row.after.index]!]!,
    };
  };
}

function cursorsOf(names: readonly unknown[]): Cursors {
  return new Cursors(['diff', ...names], {
    list: 'the difference of these two contents with these filters',
    kept: 'the filters',
  });
}

function placeBytes(row: number): Buffer {
  const bytes = Buffer.alloc(PLACE_BYTES);
  bytes.writeUInt32BE(row);
  return bytes;
}

function readPlace(cursors: Cursors, cursor: string): number {
  return cursors.read(cursor, PLACE_BYTES).readUInt32BE();
}
