import type { EntryRefreshResult, ModuleRefreshResult } from '../../api/activity/job-results.ts';
import type { Job } from '../../api/activity/jobs.ts';
import type { LastRefresh, Module } from '../../api/lists/modules.ts';
import { Problem } from '../../api/problems/problem.ts';
import { counted } from '../../api/shapes/counted.ts';
import type { PrefixCount } from '../../api/shapes/page.ts';
import { storedAs } from '../../core/stored/stored-table.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { findOpenJob } from '../../store/jobs/jobs.ts';
import { findModuleToCollect } from '../../store/modules/module-to-collect.ts';
import { findModule, getModuleOnce } from '../../store/modules/modules.ts';
import { addPendingBuild, dropCollects, settleCollects } from '../../store/modules/pending-changes.ts';
import { recordRefresh } from '../../store/modules/snapshots.ts';
import type { EntryOutcome } from '../collectors/collect-sources.ts';
import type { CollectTools } from '../collectors/reading.ts';
import type { UnstoredSnapshot } from '../drafts/draft-module.ts';
import { buildDraft } from '../drafts/build-draft.ts';
import { draftReader } from '../drafts/draft-reader.ts';
import { draftRevision } from '../drafts/revision-draft.ts';
import {
  type BeginningHandler,
  type JobCommit,
  type JobContext,
  JobFailure,
  type JobQueue,
  holding,
} from '../job.ts';
import {
  type Cause,
  causeOf,
  isOneOfSeveral,
  leaveRevision,
  readPendingBeside,
} from '../revisions/coalesced-build.ts';
import { commitRevision, isBuiltInCommit } from '../revisions/commit-revision.ts';
import { losesStaleEntries } from '../revisions/stale-entries.ts';
import { storeContent } from '../revisions/store-content.ts';
import { type MadeSnapshot, type SnapshotMaker, beginSnapshot } from './module-snapshot.ts';
import { emitRejects } from './reject-events.ts';
import { emitSourceChanges } from './source-events.ts';

/** Entries listed in the result of the job; the entries themselves show all. */
const MAX_LISTED = 1_000;

export interface RefreshTools extends CollectTools {
  readonly queue: JobQueue;
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
  const { resource: module } = await getModuleOnce(tx, moduleId);
  if (!module.enabled) {
    throw new Problem(
      'conflict',
      `The module ${module.name} is disabled. Enable it (PATCH {"enabled": true}) to refresh it.`,
    );
  }
  return queueRefresh(tx, queue, module.id, actor, cause);
}

/** {@link requestRefresh} of a module that had edits a moment ago. One that was deleted or disabled since needs none. */
export async function refreshIfEnabled(
  tx: TenantTx,
  queue: JobQueue,
  moduleId: string,
  actor: string,
  cause: Cause,
): Promise<void> {
  const module = await findModule(tx, moduleId);
  if (module?.enabled === true) await queueRefresh(tx, queue, module.id, actor, cause);
}

async function queueRefresh(
  tx: TenantTx,
  queue: JobQueue,
  moduleId: string,
  actor: string,
  cause: Cause,
): Promise<Job> {
  await lockTenant(tx, 'refresh'); // two requests at once must not both find none
  const queued = await findOpenJob(tx, { type: 'module_refresh', resourceId: moduleId, isQueued: true });
  if (queued !== null) return queued;
  return queue.enqueue(tx, {
    type: 'module_refresh',
    input: { module_id: moduleId, cause },
    resource: { type: 'module', id: moduleId },
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
export function refreshing(tools: RefreshTools): BeginningHandler<ModuleRefreshResult> {
  return {
    async begin(tx, { input }) {
      const maker = await beginSnapshot(tx, (input as { module_id: string }).module_id, tools);
      if (maker === null) return () => Promise.resolve(() => Promise.resolve(DELETED));
      return (context) => refreshModule(context, tools, maker);
    },
  };
}

async function refreshModule(
  context: JobContext,
  tools: RefreshTools,
  maker: SnapshotMaker,
): Promise<JobCommit<ModuleRefreshResult>> {
  const { db, tenantId, job, signal, progress } = context;
  const cause = causeOf(context.input);
  const { module } = maker;
  const moduleId = module.id;
  const advance = (done: number, total: number | null): void => progress('collect', done, total);
  advance(0, maker.count || null);
  await maker.collect(signal, advance);
  signal.throwIfAborted();
  progress('build', 0, null);
  const made = await maker.make(signal);
  const isSmall = isBuiltInCommit(maker.others + countOf(made.snapshot.prefixCount));
  const draft = isSmall
    ? null
    : await db.inTenant(tenantId, async (tx) =>
        (await isOneOfSeveral(tx, job.id)) ? null : draftRevision(tx, unstored(moduleId, made, maker.seen)),
      );
  const prepared = draft === null ? null : await buildDraft(draft, draftReader(db, tenantId), signal);
  return holding('revision', async (tx) => {
    const now = await findModuleToCollect(tx, moduleId);
    if (now === null) return DELETED;
    const { held } = now.module;
    const current = await maker.update(tx, made, now);
    const { edits, edited } = current;
    const read = current.outcomes.filter(({ id }) => !edited.has(id));
    await emitSourceChanges(tx, module, read);
    await emitRejects(tx, module, read);
    await maker.record(tx, read);
    const status = refreshStatus(current.outcomes);
    const isGood = status.status !== 'failed';
    // What is held can still be looked at and released: sources that fail have nothing to say about it. Nor does one of several that fails
    // correct what a rollback took back: it only keeps what it had before.
    const isKept = held !== null && (!isGood || (status.status === 'partial' && isRolledBack(held)));
    const last = { ...status, job_id: job.id };
    if (isKept) await recordRefresh(tx, moduleId, last, now.module.prefix_count, isGood);
    else {
      const { snapshot, parent, notes, before } = current;
      const contentHash = await storeContent(tx, snapshot, parent, before?.content_hash ?? null);
      const collected = { contentHash, notes, storedEntries: before?.entries ?? null };
      await recordRefresh(tx, moduleId, last, snapshot.prefixCount, isGood, collected);
    }
    const result = { entries: current.outcomes.slice(0, MAX_LISTED).map(toResult), status: status.status };
    if (!isGood) return failRefresh(tx, module, edits, { ...status, result });
    await settleCollects(tx, edits);
    const trigger = {
      kind: cause,
      module_id: moduleId,
      job_id: job.id,
      actor: job.requested_by,
    } as const;
    const { isOne, ...pending } = await readPendingBeside(tx, job.id);
    if (isOne || (prepared === null && !isSmall))
      return { ...(await leaveRevision(tx, tools.queue, job, cause)), ...result };
    const own = isKept ? null : unstored(moduleId, current, current.parent);
    const revision = await commitRevision(tx, tools.queue, prepared ?? { own }, trigger, pending);
    return { ...revision, ...result };
  });
}

/** The snapshot as the draft of a revision takes it. */
function unstored(
  moduleId: string,
  { snapshot, notes }: MadeSnapshot,
  parent: StoredContent | null,
): UnstoredSnapshot {
  const content = {
    stored: storedAs(snapshot.encoded, parent?.stored ?? null),
    prefixCount: snapshot.prefixCount,
  };
  return { ...snapshot, moduleId, content, entries: notes.entries };
}

function countOf({ ipv4, ipv6 }: PrefixCount): number {
  return ipv4 + ipv6;
}

/**
 * Ends a refresh that brought nothing: what it has learned of its entries stays, and no revision is made. Only what has become too old
 * meanwhile leaves, where the tenant wants that.
 */
async function failRefresh(
  tx: TenantTx,
  { id, name }: Module,
  edits: readonly number[],
  { error, result }: Pick<LastRefresh, 'error'> & { readonly result: ModuleRefreshResult },
): Promise<JobFailure> {
  await dropCollects(tx, edits);
  if (await losesStaleEntries(tx, id)) await addPendingBuild(tx, id);
  const kept = 'No revision was made; the last good prefixes stay.';
  return new JobFailure('refresh_failed', `${name}: ${error} ${kept}`, result);
}

/** The answer of a refresh whose module was deleted meanwhile: nothing is left to do, and it is not an error. */
const DELETED: ModuleRefreshResult = { status: 'deleted', revision_id: null, apply_job_id: null };

function isRolledBack({ findings }: NonNullable<Module['held']>): boolean {
  return findings.some(({ code }) => code === 'rolled_back');
}

function refreshStatus(outcomes: readonly EntryOutcome[]): Omit<LastRefresh, 'job_id'> {
  const failed = outcomes.filter((outcome) => outcome.status !== 'ok');
  if (failed.length === 0) {
    const gone = goneText(outcomes);
    return gone === null ? { status: 'ok', error: null } : { status: 'partial', error: gone };
  }
  const error = `${failed.length} of ${outcomes.length} sources failed. ${failed[0]!.error}`;
  // A name may have new addresses although not all resolvers answered.
  const isInVain = failed.length === outcomes.length && !outcomes.some(({ modified }) => modified);
  return { status: isInVain ? 'failed' : 'partial', error };
}

/**
 * One name among others that has no address any more has ended; all of a list at once are a resolver that has lost its zones, and nobody would know of it
 * until the routes leave. Null: some name has an address, or none had one before.
 */
function goneText(outcomes: readonly EntryOutcome[]): string | null {
  const leaving = outcomes.flatMap(({ leavesAt }) => leavesAt ?? []);
  const isGone = outcomes.every(
    ({ leavesAt, prefixCount }) => leavesAt !== undefined || countOf(prefixCount) === 0,
  );
  const [first] = leaving.toSorted();
  if (first === undefined || !isGone) return null;
  const missing = outcomes.filter(({ error }) => error?.startsWith('NXDOMAIN') === true).length;
  const all = counted(outcomes.length, 'name');
  const answer = missing === outcomes.length ? 'NXDOMAIN, there is no such name' : 'they have no address';
  return `The resolvers say of ${outcomes.length === 1 ? 'the only name' : `all ${all}`} of the list: ${answer}. Check them (POST /v1/doh-profiles/{id}/test): what is announced by earlier answers leaves from ${first} on, when retain_seconds of doh_resolver_policy are over.`;
}

function toResult(outcome: EntryOutcome): EntryRefreshResult {
  const { id, status, error, prefixCount, rejected, bogons, modified } = outcome;
  return { id, status, error, modified, prefix_count: prefixCount, rejected, bogons };
}
