import type { Finding } from '../../api/revisions/revisions.ts';
import type { RoutesPart } from '../../bundle/routes-part.ts';
import { type IdTable, idCount } from '../../core/stored/id-table.ts';
import type { IdEdit } from '../../core/stored/patch-id-table.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { type RowsOfLabel, joinLists, listsByLabel } from '../../core/tables/rows-by-label.ts';
import { buffersOf } from '../../core/tables/table-buffers.ts';
import type { EncodedTable } from '../../core/stored/table-codec.ts';
import { type FitAnswer, type RoutesToFit, fitRoutes } from '../../core/fitting/fit-routes.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import { INLINE_ROWS } from '../../store/contents/read-table.ts';
import type { FeedRecipe } from '../../api/feeds/served-feed.ts';
import type { FamilyChange } from '../guards/guard-change.ts';
import type { Withdrawal } from '../guards/guard-withdrawal.ts';
import type { Guardrails } from '../guards/guardrails.ts';
import type { Contributed } from './build-revision.ts';
import { type RowsOfEntries, countRows } from './count-rows.ts';
import { type FeedAnswer, type FeedTask, makeFeed } from './feed-work.ts';
import { idTables } from './id-tables.ts';
import { type LeftTask, leaveRoutes } from './left-work.ts';
import { patchRanges } from './range-work.ts';
import { type RuleSources, ruleSets } from './rule-sets.ts';
import { routesIn, rowsOf, run } from './table-pool.ts';
import type {
  BuiltContent,
  ChangeTask,
  JudgeTask,
  JudgedShare,
  ModuleSnapshot,
  ReleasedContent,
  RevisionTask,
  TableAnswers,
} from './table-tasks.ts';
import { change, contribute, group, inspect, judge, makeRevision, makeSnapshot } from './table-work.ts';
import type { Snapshot } from './encoded-content.ts';
import { type WithdrawTask, withdraw } from './withdraw-work.ts';
import { writeRoutes, writeRoutesDelta, writeWhole } from './write-content.ts';

/** How many are looked for in a millisecond. */
const INLINE_EDITS = 100;
/** Text of some thousand ranges, which are read in a few milliseconds. */
const INLINE_RANGES_LENGTH = 256 * 1024;

/** What each entry contributed to the snapshot. Large ones are read in a thread, as all work here. */
export async function groupSnapshot(
  snapshot: StoredContent,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, RowsOfLabel>> {
  const task = { kind: 'group', stored: snapshot.stored } as const;
  return listsByLabel(rowsOf(snapshot) <= INLINE_ROWS ? group(task) : await run(task, [], signal));
}

/**
 * The snapshot of a module whose entries contribute these lists. Lists that are alone in their memory are handed over: who asks
 * may not use them afterwards.
 */
export async function buildSnapshot(
  lists: ReadonlyMap<string, RowsOfLabel>,
  parent: StoredContent | null,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const entries = joinLists(lists);
  const task = { kind: 'snapshot', entries, parent: parent?.stored ?? null } as const;
  const collected = entries.reduce((sum, { rows }) => sum + rows.size, 0);
  if (collected + rowsOf(parent) <= INLINE_ROWS) return makeSnapshot(task);
  const owned = entries.map(({ rows }) => rows).filter(ownsItsMemory);
  return run(task, buffersOf(...owned), signal);
}

/** The snapshot of a module whose entries are these ranges, as `id cidr,id cidr…`. */
export async function buildSnapshotOfRanges(
  ranges: string,
  parent: StoredContent | null,
  signal?: AbortSignal,
): Promise<Snapshot> {
  const task = { kind: 'snapshot', entries: ranges, parent: parent?.stored ?? null } as const;
  const isSmall = ranges.length <= INLINE_RANGES_LENGTH && rowsOf(parent) <= INLINE_ROWS;
  return remembered(isSmall ? makeSnapshot(task) : await run(task, [], signal));
}

/**
 * The snapshot of a module whose ranges were those of `before` and have been edited since. `parent` is that one as it is stored.
 * @returns null: it has to be made of all ranges
 */
export async function patchSnapshotOfRanges(
  before: IdTable,
  edits: readonly IdEdit[],
  parent: StoredContent,
  signal?: AbortSignal,
): Promise<Snapshot | null> {
  const task = { kind: 'patch', before, edits, parent: parent.stored } as const;
  const isSmall = idCount(before) <= INLINE_ROWS && edits.length <= INLINE_EDITS;
  const made = isSmall ? patchRanges(task) : await run(task, [], signal);
  return made === null ? null : remembered(made);
}

function remembered(snapshot: Snapshot): Snapshot {
  if ('ids' in snapshot.table) idTables.set(snapshot.contentHash, snapshot.table);
  return snapshot;
}

/** The revision of the modules, whose snapshots hold this many `rows` together. Tables of snapshots are handed over. */
export async function buildRevisionContent(
  { modules, communities, guardrails }: Pick<RevisionTask, 'modules' | 'communities' | 'guardrails'>,
  rows: number,
  parent: StoredContent | null,
  signal?: AbortSignal,
): Promise<BuiltContent> {
  const task = {
    kind: 'revision',
    modules,
    communities,
    guardrails,
    parent: parent?.stored ?? null,
  } as const;
  if (rows + rowsOf(parent) <= INLINE_ROWS) return makeRevision(task);
  const unstored = modules.flatMap((module) =>
    'snapshot' in module && 'labelSets' in module.snapshot ? [module.snapshot] : [],
  );
  return run(task, buffersOf(...unstored), signal);
}

/** What modules contribute, whose snapshots hold this many `rows` together. Tables of snapshots are handed over. */
export async function contributionsOfModules(
  modules: readonly ModuleSnapshot[],
  rows: number,
  signal?: AbortSignal,
): Promise<readonly Contributed[]> {
  if (modules.length === 0) return [];
  const task = { kind: 'contribute', modules } as const;
  if (rows <= INLINE_ROWS) return contribute(task);
  const unstored = modules.flatMap(({ snapshot }) => ('labelSets' in snapshot ? [snapshot] : []));
  return run(task, buffersOf(...unstored), signal);
}

/** The guardrails that each of the modules breaks by itself. */
export async function judgeShares(
  modules: readonly JudgedShare[],
  rest: Pick<JudgeTask, 'exclusions' | 'guardrails'>,
  signal?: AbortSignal,
): Promise<readonly (readonly Finding[])[]> {
  if (modules.length === 0) return [];
  const task = { kind: 'judge', modules, ...rest } as const;
  const sets = modules.flatMap(({ module }) => module.contributions.map(({ set }) => set));
  const rows = [...sets, ...rest.exclusions].reduce((sum, { size }) => sum + size, 0);
  return rows <= INLINE_ROWS ? judge(task) : run(task, [], signal);
}

/** What the next content takes away of an applied one, but for what moved by itself. */
export async function measureWithdrawals(
  applied: StoredContent,
  next: StoredContent,
  moves: WithdrawTask['moves'],
  signal?: AbortSignal,
): Promise<readonly Withdrawal[]> {
  const task = { kind: 'withdraw', applied: applied.stored, next: next.stored, moves } as const;
  const isSmall = rowsOf(applied) + rowsOf(next) <= INLINE_ROWS && moves.length === 0;
  return isSmall ? withdraw(task) : run(task, [], signal);
}

/** The guardrails about routes that a revision's table breaks, but for what was let through. */
export async function inspectContent(
  content: StoredContent,
  guardrails: Guardrails,
  released: readonly ReleasedContent[] = [],
): Promise<readonly Finding[]> {
  const task = { kind: 'inspect', stored: content.stored, guardrails, released } as const;
  const isSmall = rowsOf(content) <= INLINE_ROWS && released.length === 0;
  return isSmall ? inspect(task) : run(task, [], undefined);
}

/** How much of a module changed by itself between two of its snapshots. */
export async function measureSnapshots(
  before: StoredContent,
  after: StoredContent,
  rest: Pick<ChangeTask, 'entries' | 'families' | 'limits'>,
  signal?: AbortSignal,
): Promise<readonly FamilyChange[]> {
  const task = { kind: 'change', before: before.stored, after: after.stored, ...rest } as const;
  return rowsOf(before) + rowsOf(after) <= INLINE_ROWS ? change(task) : run(task, [], signal);
}

/** How many rows of a snapshot any of these entries has contributed to, by who else has. */
export async function countRowsOf(
  snapshot: StoredContent,
  entryIds: readonly string[],
): Promise<readonly RowsOfEntries[]> {
  const task = { kind: 'count', stored: snapshot.stored, entryIds } as const;
  return rowsOf(snapshot) <= INLINE_ROWS ? countRows(task) : run(task, [], undefined);
}

/** The content as it is stored when it needs no other one. */
export async function encodeWhole(content: StoredContent): Promise<EncodedTable> {
  const task = { kind: 'whole', stored: content.stored } as const;
  return rowsOf(content) <= INLINE_ROWS ? writeWhole(task) : run(task, [], undefined);
}

/** The content as bundles carry it. */
export async function routesOf(content: StoredContent): Promise<RoutesPart> {
  const task = { kind: 'routes', stored: content.stored } as const;
  return rowsOf(content) <= INLINE_ROWS ? writeRoutes(task) : run(task, [], undefined);
}

/** What makes the second content out of the first, as bundles carry it; null when that is too much. */
export async function routesDeltaOf(before: StoredContent, after: StoredContent): Promise<Uint8Array | null> {
  const task = { kind: 'routes_delta', before: before.stored, after: after.stored } as const;
  return rowsOf(before) + rowsOf(after) <= INLINE_ROWS ? writeRoutesDelta(task) : run(task, [], undefined);
}

/** What a firewall rule lists. */
export async function ruleSetsOf({
  revision,
  modules,
  ...rest
}: StoredSources): Promise<TableAnswers['rule_sets']> {
  const sources: RuleSources = {
    ...rest,
    revision: revision?.stored ?? null,
    modules: modules.map(({ snapshot, ...module }) => ({ ...module, snapshot: snapshot.stored })),
  };
  const contents = [revision, ...modules.map(({ snapshot }) => snapshot)];
  const rows = contents.reduce((sum, one) => sum + rowsOf(one), 0);
  const task = { kind: 'rule_sets', sources } as const;
  return rows + sources.cidrs.length <= INLINE_ROWS ? ruleSets(task) : run(task, [], undefined);
}

/** {@link RuleSources} as the store has them. */
export type StoredSources = Omit<RuleSources, 'revision' | 'modules'> & {
  readonly revision: StoredContent | null;
  readonly modules: readonly (Omit<RuleSources['modules'][number], 'snapshot'> & {
    readonly snapshot: StoredContent;
  })[];
};

/** What a feed has, and what it is made of, as the store has it. */
export interface StoredFeed {
  readonly recipe: FeedRecipe;
  readonly revision: StoredContent;
  readonly communities: readonly string[];
  readonly isWhole: boolean;
  readonly modules: StoredSources['modules'];
  readonly excluded: readonly StoredContent[];
}

/** What a feed serves, or why it cannot. */
export async function feedOf(feed: StoredFeed, since: StoredFeed | null = null): Promise<FeedAnswer> {
  const { task, rows } = feedTask(feed, since);
  return rows <= INLINE_ROWS && task.fit === null ? makeFeed(task) : run(task, [], undefined);
}

/** With what it takes to make it in rows. */
function feedTask(
  feed: StoredFeed,
  since: StoredFeed | null,
): { readonly task: FeedTask; readonly rows: number } {
  const { recipe, revision, communities, isWhole, modules, excluded } = feed;
  const { name, number, families, format, max_prefixes: maximum, fit } = recipe;
  const sources: RuleSources = {
    ...{ revision: revision.stored, communities, cidrs: [] },
    modules: modules.map(({ snapshot, ...module }) => ({ ...module, snapshot: snapshot.stored })),
  };
  const before = since === null ? null : feedTask(since, null);
  const task = {
    ...({ kind: 'feed', sources, isWhole, name, number, families, format, maximum } as const),
    fit:
      fit === null
        ? null
        : {
            ...{ maxAddedPercent: fit.max_added_percent, avoidsBogons: fit.avoids_bogons },
            avoidsOthers: fit.avoids_others ?? false,
            ...{ protected: fit.protected, excluded: excluded.map(({ stored }) => stored) },
          },
    since: before?.task ?? null,
  };
  const contents = [revision, ...excluded, ...modules.map(({ snapshot }) => snapshot)];
  const rows = contents.reduce((sum, one) => sum + rowsOf(one), before?.rows ?? 0);
  return { task, rows };
}

/** What a reverted peer goes on with of the routes that it holds, beside those that its speaker announces: the same table where nothing leaves. */
export async function leftBeside(
  held: PrefixTable,
  latest: PrefixTable,
  sent: LeftTask['sent'],
): Promise<PrefixTable> {
  const [{ labels, families }, rows] = [sent, routesIn(held) + routesIn(latest)];
  const task = { kind: 'left', held, latest, sent: { labels, families } } as const;
  return (rows <= INLINE_ROWS ? leaveRoutes(task) : await run(task, [], undefined)) ?? held;
}

/** The routes of a peer in fewer prefixes. */
export async function fitRoutesOf(routes: RoutesToFit): Promise<FitAnswer> {
  if (routesIn(routes.table) <= FITTED_INLINE) return fitRoutes(routes);
  return run({ kind: 'fit', ...routes }, [], undefined);
}

/** What the exact way through so few takes is a few milliseconds. */
const FITTED_INLINE = 256;

function ownsItsMemory({ words, lengths }: Pick<PrefixTable['ipv4'], 'words' | 'lengths'>): boolean {
  return words.byteLength === words.buffer.byteLength && lengths.byteLength === lengths.buffer.byteLength;
}
