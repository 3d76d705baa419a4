import type { Job } from '../../api/jobs.ts';
import type { LastRefresh, Module } from '../../api/modules.ts';
import { Problem } from '../../api/problem.ts';
import { contentHashOf, storedAs } from '../../core/tables/stored-table.ts';
import type { AsnSource } from '../../sources/asn/source.ts';
import type { FetchOptions } from '../../sources/fetch/fetch.ts';
import { listAsEntriesToCollect, recordAsOutcomes } from '../../store/as-entries.ts';
import { listSourcesToCollect, recordCdnOutcome } from '../../store/cdn-sources.ts';
import { loadStored, type StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listDomainsToCollect, recordDomainOutcomes } from '../../store/domain-entries.ts';
import { readAllIpRanges } from '../../store/ip-range-entries.ts';
import { findOpenJob } from '../../store/jobs.ts';
import { findModule, getModule, recordRefresh } from '../../store/modules.ts';
import {
  addPendingBuild,
  dropCollects,
  listPendingCollects,
  settleCollects,
} from '../../store/pending-changes.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { getSetting } from '../../store/settings.ts';
import {
  findGoodSnapshot,
  saveSnapshot,
  type GoodSnapshot,
  type SnapshotNotes,
} from '../../store/snapshots.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { withoutEntries } from '../guards/guard-revision.ts';
import { type Cause, causeOf, isOneOfSeveral, leaveRevision } from '../revisions/build-together.ts';
import { collectAsEntries, questionOf } from './collect-as-entries.ts';
import { collectSources, rebase, type Collection, type EntryLists } from './collect-module.ts';
import { collectDomains, type DomainCollection, readDomains, resettle } from './collect-domains.ts';
import { findEdited } from './edited-sources.ts';
import { commitRevision } from '../revisions/commit-revision.ts';
import { type JobCommit, type JobContext, JobFailure, type JobQueue, type JobResult } from '../job.ts';
import { buildDraft, draftReader, draftRevision } from '../revisions/revision-draft.ts';
import { losesStaleEntries } from './stale-entries.ts';
import { notesOf, rebaseNotes } from './snapshot-notes.ts';
import { tellTurns } from './tell-turns.ts';
import { storeContent } from '../revisions/store-content.ts';
import { buildSnapshot, buildSnapshotOfRanges, groupSnapshot } from '../revisions/table-threads.ts';
import type { EncodedContent } from '../revisions/table-work.ts';

/** Entries of which the result of the job tells; the entries themselves tell of all. */
const MAX_TOLD = 1_000;

export interface RefreshTools {
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  readonly fetch: Omit<FetchOptions, 'signal'>;
  /** Where AS numbers are resolved. */
  readonly asnSource: AsnSource;
}

/**
 * Queues a refresh of the module; where one is queued that no worker has taken yet, that is the one. It will read what it reads later
 * than now.
 */
export async function requestRefresh(
  tx: TenantTx,
  queue: JobQueue,
  moduleId: string,
  actor: string,
  cause: Cause = 'refresh',
): Promise<Job> {
  const { resource: module } = await getModule(tx, moduleId);
  if (!module.enabled) {
    throw new Problem(
      'conflict',
      `The module ${module.name} is disabled. Enable it (PATCH {"enabled": true}) to refresh it.`,
    );
  }
  await lockTenant(tx, 'refresh'); // two requests at once must not both find none
  const queued = await findOpenJob(tx, { type: 'module_refresh', resourceId: module.id, isQueued: true });
  if (queued !== null) return queued;
  return queue.enqueue(tx, {
    type: 'module_refresh',
    input: { module_id: module.id, cause },
    resource: { type: 'module', id: module.id },
    requestedBy: actor,
    parentId: null,
  });
}

/**
 * The job `module_refresh`: collects the module's entries, keeps the last good prefixes of those that fail, and builds the
 * revision of all enabled modules, or leaves that to one job for all when it is not the only refresh. Snapshot, entry states,
 * revision and the queued apply commit together; all that takes long is done before that transaction, and done again within it
 * only when it no longer fits.
 */
export async function refreshModule(context: JobContext, tools: RefreshTools): Promise<JobCommit> {
  const { db, tenantId, job, signal, progress } = context;
  const moduleId = (context.input as { module_id: string }).module_id;
  const cause = causeOf(context.input);
  const found = await db.inTenant(tenantId, (tx) => readModule(tx, moduleId, tools.secrets));
  if (found === null) return () => Promise.resolve(DELETED);
  const { pending, module, seen, noted, bogons, mayBeEmpty, ...entries } = found;
  const advance = (done: number, total: number | null): void => progress('collect', done, total);
  const { sources, networks, domains } = entries;
  advance(0, sources.length + networks.length + (domains?.entries.length ?? 0) || null);
  const previous =
    seen === null || module.type === 'IP_RANGES' ? NOTHING : await listsOf(seen, noted.left_out, signal);
  const resolved =
    domains === null
      ? null
      : await collectDomains(domains, previous, { ...tools.fetch, signal, bogons }, advance);
  const collected =
    resolved ??
    (module.type === 'AS_PREFIXES'
      ? await collectAsEntries(networks, previous, tools.asnSource, { signal, bogons, mayBeEmpty }, advance)
      : await collectSources(sources, previous, { ...tools.fetch, signal, bogons, mayBeEmpty }, advance));
  signal.throwIfAborted();
  progress('build', 0, null);
  const snapshot =
    module.type === 'IP_RANGES'
      ? await buildSnapshotOfRanges(entries.ranges, seen, signal)
      : await buildSnapshot(collected.lists, seen, signal);
  const { outcomes } = collected;
  const notes = module.type === 'IP_RANGES' ? NO_NOTES : notesOf(module, outcomes, noted);
  const content = {
    stored: storedAs(snapshot.encoded, seen?.stored ?? null),
    prefixCount: snapshot.prefixCount,
  };
  const own = { ...snapshot, moduleId, content, entries: notes.entries };
  const draft = await db.inTenant(tenantId, async (tx) =>
    (await isOneOfSeveral(tx, job.id)) ? null : draftRevision(tx, own),
  );
  const prepared = draft === null ? null : await buildDraft(draft, draftReader(db, tenantId), signal);
  return async (tx) => {
    await lockTenant(tx, 'revision');
    const now = await findModule(tx, moduleId);
    if (now === null) return DELETED;
    // Ranges are read again.
    const edits = module.type === 'IP_RANGES' ? await listPendingCollects(tx, moduleId) : pending;
    const newer = resolved === null ? null : await resettledSince(tx, module, resolved);
    const edited = await findEdited(tx, moduleId, sources, tools.secrets);
    const read: ReadModule = { module, ranges: entries.ranges, seen, outcomes, snapshot, notes };
    const current = await upToDate(tx, read, newer, edited);
    await tellTurns(
      tx,
      module,
      current.outcomes.filter(({ id }) => !edited.has(id)),
    );
    if (module.type === 'AS_PREFIXES')
      await recordAsOutcomes(tx, current.outcomes, questionOf(tools.asnSource, bogons));
    else if (resolved !== null)
      await recordDomainOutcomes(tx, current.outcomes, (newer ?? resolved).addresses);
    else {
      const ofNow = current.outcomes.filter(({ id }) => !edited.has(id));
      await recordCdnOutcomes(tx, ofNow, bogons);
    }
    const status = refreshStatus(current.outcomes);
    const isGood = status.status !== 'failed';
    // What is held can still be looked at and released: sources that fail have nothing to say about it.
    const isKept = !isGood && now.held !== null;
    if (!isKept) {
      const contentHash = await storeContent(tx, current.snapshot, current.parent);
      await saveSnapshot(tx, moduleId, contentHash, current.notes);
    }
    const { prefixCount } = isKept ? { prefixCount: now.prefix_count } : current.snapshot;
    await recordRefresh(tx, moduleId, { ...status, job_id: job.id }, prefixCount, isGood);
    const told = { entries: current.outcomes.slice(0, MAX_TOLD).map(tell), status: status.status };
    if (!isGood) return failRefresh(tx, module, edits, { ...status, told });
    await settleCollects(tx, edits);
    const trigger = {
      kind: cause,
      module_id: moduleId,
      job_id: job.id,
      actor: job.requested_by,
    } as const;
    const revision =
      prepared === null || (await isOneOfSeveral(tx, job.id))
        ? await leaveRevision(tx, tools.queue, job, cause)
        : await commitRevision(tx, tools.queue, prepared, trigger, job.id);
    return { ...revision, ...told };
  };
}

/**
 * Ends a refresh that brought nothing: what it has learned of its entries stays, and no revision is made. Only what has become too old
 * meanwhile leaves, where the tenant wants that.
 */
async function failRefresh(
  tx: TenantTx,
  { id, name }: Module,
  edits: readonly number[],
  { error, told }: Pick<LastRefresh, 'error'> & { readonly told: JobResult },
): Promise<JobFailure> {
  await dropCollects(tx, edits);
  if (await losesStaleEntries(tx, id)) await addPendingBuild(tx, id);
  const kept = 'No revision was made; the last good prefixes stay.';
  return new JobFailure('refresh_failed', `${name}: ${error} ${kept}`, told);
}

const NOTHING: EntryLists = new Map();
const NO_NOTES = { entries: null, warnings: [], left_out: [] };

/** What the entries contributed that may stay when they fail: of those left out nothing was accepted. */
async function listsOf(
  content: StoredContent,
  leftOut: readonly string[],
  signal?: AbortSignal,
): Promise<EntryLists> {
  const lists = await groupSnapshot(content, signal);
  if (leftOut.length === 0) return lists;
  const gone = new Set(leftOut);
  return new Map([...lists].filter(([id]) => !gone.has(id)));
}

function goodNotes(snapshot: GoodSnapshot | null): SnapshotNotes & Pick<GoodSnapshot, 'left_out'> {
  if (snapshot === null) return NO_NOTES;
  const { entries, warnings, left_out } = snapshot;
  return { entries: entries === null ? null : withoutEntries(entries, left_out), warnings, left_out };
}

/** What a refresh answers whose module was deleted meanwhile: nothing is left to do, and nobody's fault. */
const DELETED: JobResult = { status: 'deleted', revision_id: null, apply_job_id: null };

/** What a refresh needs to know of its module; of its entries, those of its type. Null: it was deleted. */
async function readModule(tx: TenantTx, moduleId: string, secrets: SecretBox) {
  const pending = await listPendingCollects(tx, moduleId); // before the edits themselves
  const module = await findModule(tx, moduleId);
  if (module === null) return null;
  const snapshot = await findGoodSnapshot(tx, moduleId);
  return {
    ...{ pending, module },
    sources: module.type === 'CDN_SOURCES' ? await listSourcesToCollect(tx, moduleId, secrets) : [],
    networks: module.type === 'AS_PREFIXES' ? await listAsEntriesToCollect(tx, moduleId) : [],
    domains: module.type === 'DOMAINS' ? await readDomains(tx, module, secrets) : null,
    ranges: module.type === 'IP_RANGES' ? await readAllIpRanges(tx, moduleId) : '',
    seen: snapshot === null ? null : await loadStored(tx, snapshot.content_hash),
    noted: goodNotes(snapshot),
    bogons: await getSetting(tx, 'guard_bogons'),
    mayBeEmpty: module.can_be_empty || (await getSetting(tx, 'guard_empty_result')) === 'allow',
  };
}

/** A module as a refresh has read it. */
interface ReadModule {
  readonly module: Module;
  readonly ranges: string;
  /** The snapshot that there was. */
  readonly seen: StoredContent | null;
  readonly outcomes: Collection['outcomes'];
  readonly snapshot: EncodedContent;
  readonly notes: SnapshotNotes;
}

/** A module as it is to be stored. */
interface CurrentModule extends Pick<ReadModule, 'outcomes' | 'snapshot' | 'notes'> {
  /** What the snapshot was encoded after. */
  readonly parent: StoredContent | null;
}

/** What was resolved, on top of what another refresh of the module has seen since it was read; null: none has ended. */
async function resettledSince(
  tx: TenantTx,
  module: Module,
  resolved: DomainCollection,
): Promise<DomainCollection | null> {
  const now = await findModule(tx, module.id);
  if (now?.last_refresh?.job_id === module.last_refresh?.job_id) return null;
  return resettle(resolved, await listDomainsToCollect(tx, module.id));
}

/**
 * What was read, on top of what operators, or another refresh of the module, may have changed meanwhile.
 * @param newer takes the place of what was read, where that would undo what the other refresh has seen
 * @param edited sources of which nothing was read, only of what they were
 */
async function upToDate(
  tx: TenantTx,
  { module, ranges, seen, outcomes: read, snapshot, notes }: ReadModule,
  newer: Collection | null,
  edited: ReadonlySet<string>,
): Promise<CurrentModule> {
  if (module.type === 'IP_RANGES') {
    const current = await readAllIpRanges(tx, module.id);
    const isSame = current === ranges;
    return {
      ...{ outcomes: read, notes, parent: seen },
      snapshot: isSame ? snapshot : await buildSnapshotOfRanges(current, seen),
    };
  }
  const outcomes = read.map((outcome) => (edited.has(outcome.id) ? passedOver(outcome) : outcome));
  const current = await findGoodSnapshot(tx, module.id);
  const noted = goodNotes(current);
  const seenHash = seen === null ? undefined : contentHashOf(seen.stored);
  const isAsRead = newer === null && edited.size === 0;
  if (isAsRead && current === null) return { outcomes, snapshot, notes, parent: seen };
  if (isAsRead && current?.content_hash === seenHash)
    return { outcomes, snapshot, notes: notesOf(module, outcomes, noted), parent: seen };
  const others = current === null ? null : await loadStored(tx, current.content_hash);
  const lists = (): Promise<EntryLists> =>
    groupSnapshot({
      stored: storedAs(snapshot.encoded, seen?.stored ?? null),
      prefixCount: snapshot.prefixCount,
    });
  const rebased = rebase(
    newer ?? { lists: await lists(), outcomes },
    others === null ? NOTHING : await listsOf(others, noted.left_out),
  );
  return {
    outcomes: rebased.outcomes,
    snapshot: await buildSnapshot(rebased.lists, others),
    notes: rebaseNotes(module, rebased.outcomes, noted),
    parent: others,
  };
}

/** Of an entry that stays as it is, and is no fault of the refresh. */
function passedOver(outcome: Collection['outcomes'][number]): Collection['outcomes'][number] {
  const prefixCount = { ipv4: 0, ipv6: 0 };
  return { ...outcome, status: 'ok', error: null, modified: false, rejected: 0, bogons: 0, prefixCount };
}

/** @param bogons by which rule the sources were read */
async function recordCdnOutcomes(
  tx: TenantTx,
  outcomes: Collection['outcomes'],
  bogons: 'drop' | 'allow',
): Promise<void> {
  for (const outcome of outcomes) await recordCdnOutcome(tx, outcome);
  // Who changes the rule has every source forget its validators: from here on they wait for us, and what they changed before is seen.
  if ((await getSetting(tx, 'guard_bogons')) === bogons) return;
  for (const outcome of outcomes) await recordCdnOutcome(tx, { ...outcome, etag: null, lastModified: null });
}

function refreshStatus(outcomes: Collection['outcomes']): Omit<LastRefresh, 'job_id'> {
  const failed = outcomes.filter((outcome) => outcome.status !== 'ok');
  if (failed.length === 0) return { status: 'ok', error: null };
  const error = `${failed.length} of ${outcomes.length} sources failed. ${failed[0]!.error}`;
  // Of a name something may be known anew although not all resolvers could tell.
  const isInVain = failed.length === outcomes.length && !outcomes.some(({ modified }) => modified);
  return { status: isInVain ? 'failed' : 'partial', error };
}

function tell(outcome: Collection['outcomes'][number]) {
  const { id, status, error, prefixCount, rejected, bogons, modified } = outcome;
  return { id, status, error, modified, prefix_count: prefixCount, rejected, bogons };
}
