import { setTimeout as sleep } from 'node:timers/promises';
import type { RevisionBuildResult } from '../../api/activity/job-results.ts';
import type { Job } from '../../api/activity/jobs.ts';
import type { RevisionTrigger } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  findOpenJob,
  hasRefreshes,
  hasRefreshesOrBuild,
  isOlderThan,
  refreshesOrBuild,
} from '../../store/jobs/jobs.ts';
import { countPrefixes } from '../../store/modules/modules.ts';
import { type PendingEdits, readPending } from '../../store/modules/pending-changes.ts';
import { SCHEDULER } from '../actor.ts';
import { type JobCommit, type JobContext, type JobQueue, holding } from '../job.ts';
import { commitRevision, isBuiltInCommit } from './commit-revision.ts';
import { buildDraft } from '../drafts/build-draft.ts';
import { draftReader } from '../drafts/draft-reader.ts';
import { draftRevision } from '../drafts/revision-draft.ts';

/** A refresh that has run longer is not waited for: its source may hang for a minute. */
const SLOW_SECONDS = 5;
/** However many refreshes follow each other, nobody's prefixes wait longer for the revision. */
const LONGEST_SECONDS = 20;
/** What an operator has edited waits for no other refresh for longer than this. */
const LONGEST_OF_EDITS_SECONDS = 1;
const LOOK_MILLISECONDS = 100;

/** Why a job goes on: an edit that is to be announced soon, an entry whose time is over, the wish of an operator, or a held module that one has released; otherwise a refresh. */
const CAUSES = ['edit', 'expiry', 'manual', 'refresh', 'release'] as const;
export type Cause = (typeof CAUSES)[number];

/** The cause in the input of a job. */
export function causeOf({ cause }: JobContext['input']): Cause {
  return CAUSES.find((one) => one === cause) ?? 'refresh';
}

/** What a refresh answers that has saved its snapshot and left the revision to the job `revision_build`. */
export interface LeftRevision {
  readonly revision_id: null;
  readonly apply_job_id: null;
  readonly build_job_id: string;
}

/**
 * Whether other refreshes of the tenant are at work or wait, so that one revision for all of them is to be expected soon; or it
 * waits to be built already. A refresh that is alone builds the revision itself.
 */
export function isOneOfSeveral(tx: TenantTx, refreshJobId: string): Promise<boolean> {
  return hasRefreshesOrBuild(tx, { besides: refreshJobId, slowAfterSeconds: SLOW_SECONDS });
}

/** {@link isOneOfSeveral}, and the edits that there are, as {@link commitRevision} takes them. */
export async function readPendingBeside(
  tx: TenantTx,
  refreshJobId: string,
): Promise<PendingEdits & { readonly isOne: boolean }> {
  const { has, ...pending } = await readPending(tx, refreshesOrBuild(tx, refreshJobId, SLOW_SECONDS));
  return { ...pending, isOne: has };
}

/**
 * Leaves the revision to the job that builds one for all, and queues that where none waits or works. The caller holds the tenant's
 * revision lock, which that job takes before it looks for the last time what there is to build from: it misses nothing that is
 * committed while it is open.
 */
export async function leaveRevision(
  tx: TenantTx,
  queue: JobQueue,
  refresh: Job,
  cause: Cause,
): Promise<LeftRevision> {
  const hurry = isHurried(cause) ? { cause } : {};
  const open = await findOpenJob(tx, { type: 'revision_build', ...hurry });
  const build =
    open ?? (await requestBuild(tx, queue, { cause, actor: refresh.requested_by, parentId: refresh.id }));
  return { revision_id: null, apply_job_id: null, build_job_id: build.id };
}

/** Why a revision is built, and for whom. */
interface BuildRequest {
  readonly cause: Cause;
  /** Null: nobody asks for it. */
  readonly actor: string | null;
  /** The job that it is part of. */
  readonly parentId?: string;
  /** The module that it is for, where it is for one. */
  readonly moduleId?: string;
}

/** Queues a job that builds a revision of what is collected, once the refreshes that go on have ended. */
export function requestBuild(
  tx: TenantTx,
  queue: JobQueue,
  { cause, actor, parentId, moduleId }: BuildRequest,
): Promise<Job> {
  return queue.enqueue(tx, {
    type: 'revision_build',
    input: { cause, ...(moduleId === undefined ? {} : { module_id: moduleId }) },
    resource: null,
    requestedBy: actor ?? SCHEDULER,
    parentId: parentId ?? null,
  });
}

/**
 * The job `revision_build`: waits until the refreshes that go on have ended, in whichever way, or have become slow, and builds one
 * revision of what they brought. It is a job of its own, not the duty of the last of them, so that one that fails, is cancelled or
 * dies with its worker takes nobody's revision along.
 */
export async function buildCoalesced(
  context: JobContext,
  queue: JobQueue,
): Promise<JobCommit<RevisionBuildResult>> {
  const { db, tenantId, job, signal, progress } = context;
  const cause = causeOf(context.input);
  progress('wait', 0, null);
  while (await db.inTenant(tenantId, (tx) => isWorthWaiting(tx, job.id, cause)))
    await sleep(LOOK_MILLISECONDS, undefined, { signal });
  progress('build', 0, null);
  const draft = await db.inTenant(tenantId, async (tx) =>
    isBuiltInCommit(await countPrefixes(tx)) ? null : draftRevision(tx, null),
  );
  const prepared = draft === null ? null : await buildDraft(draft, draftReader(db, tenantId), signal);
  return holding('revision', async (tx) => {
    const trigger: RevisionTrigger = {
      kind: cause,
      module_id: moduleOf(context.input),
      job_id: job.id,
      actor: job.requested_by,
    };
    return commitRevision(tx, queue, prepared ?? { own: null }, trigger, await readPending(tx));
  });
}

/** The module that was released, where the build is of a release. */
function moduleOf({ module_id }: JobContext['input']): string | null {
  return typeof module_id === 'string' ? module_id : null;
}

function isHurried(cause: Cause): boolean {
  return cause === 'edit' || cause === 'expiry';
}

async function isWorthWaiting(tx: TenantTx, buildJobId: string, cause: Cause): Promise<boolean> {
  const longest = isHurried(cause) ? LONGEST_OF_EDITS_SECONDS : LONGEST_SECONDS;
  if (await isOlderThan(tx, buildJobId, longest)) return false;
  return hasRefreshes(tx, SLOW_SECONDS);
}
