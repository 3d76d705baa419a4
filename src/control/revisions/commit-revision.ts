import { isDeepStrictEqual } from 'node:util';
import type { RevisionBuildResult } from '../../api/activity/job-results.ts';
import type { Job } from '../../api/activity/jobs.ts';
import type { RevisionTrigger } from '../../api/revisions/revisions.ts';
import { INLINE_ROWS } from '../../store/contents/read-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findOpenJob } from '../../store/jobs/jobs.ts';
import { correctPrefixCounts } from '../../store/modules/modules.ts';
import { type PendingEdits, readPending, settleBuilds } from '../../store/modules/pending-changes.ts';
import { heldTogether } from '../../store/revisions/held-modules.ts';
import { isBuiltOtherwise } from '../../store/revisions/revision-history.ts';
import { storePolicies } from '../../store/revisions/module-policies.ts';
import { type NewRevision, insertRevision } from '../../store/revisions/revisions.ts';
import type { StandingRevision } from '../../store/revisions/standing-revisions.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { listAppliedContents } from '../../store/speakers/speakers.ts';
import { auditRevision } from '../audit/audit.ts';
import { readWarnings } from './stale-entries.ts';
import type { UnstoredSnapshot } from '../drafts/draft-module.ts';
import { readStanding } from '../drafts/guard-revision.ts';
import { SCHEDULER, actorOfEdits } from '../actor.ts';
import type { JobQueue } from '../job.ts';
import { hashOfRouteGuardrails } from '../guards/guardrails.ts';
import { type BuiltDraft, buildDraft } from '../drafts/build-draft.ts';
import { draftReaderIn } from '../drafts/draft-reader.ts';
import { draftRevision, readRevisionFacts } from '../drafts/revision-draft.ts';
import { holdModules } from './hold-modules.ts';
import { findSameRevision } from './same-revision.ts';
import { storeContent } from './store-content.ts';
import { storeWrittenSnapshots } from './written-snapshots.ts';
import type { StoredRevision } from '../../store/revisions/stored-revisions.ts';
import { enqueueApply } from './apply-input.ts';

/** Modules with this many prefixes together are built in the transaction that commits the revision: to draft it before takes longer. */
export function isBuiltInCommit(prefixes: number): boolean {
  return prefixes <= INLINE_ROWS;
}

/** What is to be built in the transaction, of what is stored. */
export interface Unprepared {
  /** A snapshot that this transaction has stored, of what was just collected. */
  readonly own: UnstoredSnapshot | null;
}

/**
 * Makes what was built the tenant's latest revision, and queues its apply when some speaker runs other content. When what it was
 * built from has changed since, it is rebuilt first. What nobody asked for by a refresh is no revision of its own when the newest one holds
 * the same: lists that are read every few minutes would have hundreds of equal ones a day. The caller holds the tenant's revision lock, so that numbers follow
 * the order of contents.
 * @param edits as there were before the last look at what there is to build from
 */
export async function commitRevision(
  tx: TenantTx,
  queue: JobQueue,
  prepared: BuiltDraft | Unprepared,
  cause: RevisionTrigger,
  edits: PendingEdits,
): Promise<RevisionBuildResult> {
  let pending = edits;
  let known = prepared;
  if (pending.moduleIds.length > 0) {
    await storeWrittenSnapshots(tx, pending.moduleIds, cause.job_id);
    pending = await readPending(tx);
    if ('own' in known) known = { own: null };
  }
  const trigger = signedBy(cause, pending.actors);
  const { built, latest: parent } = await upToDate(tx, known);
  await settleBuilds(tx, pending.buildIds);
  await correctPrefixCounts(tx, built.counted);
  const { content, communities, findings, used, against } = built;
  const held = heldTogether(built.held, built.withdrawals);
  const contentHash = await storeContent(tx, content, built.parent, parent?.content_hash ?? null);
  const quarantinedIds = new Set(held.map(({ module_id }) => module_id));
  // What an hour brings may be no more than a source that could not be read: the revision is to say so.
  const warnings = cause.kind === 'refresh' ? await readWarnings(tx, quarantinedIds) : null;
  const isAsked = cause.kind === 'refresh' && cause.actor !== SCHEDULER;
  const same = isAsked
    ? null
    : await findSameRevision(tx, { contentHash, communities, findings, held, warnings, used }, parent);
  if (same !== null) {
    await holdModules(tx, same, built);
    return keepRevision(tx, queue, same, trigger);
  }
  await storePolicies(tx, built.groups, storedPolicies(built, parent));
  const next: NewRevision = {
    ...{ state: findings.length === 0 ? 'ready' : 'held', findings, quarantined: held },
    rails_hash: hashOfRouteGuardrails(against.guardrails),
    content_hash: contentHash,
    parent_id: parent?.id ?? null,
    rollback_of: null,
    trigger,
    prefix_count: content.prefixCount,
    communities: [...communities],
    without_community: content.withoutCommunity,
    warnings: warnings ?? (await readWarnings(tx, quarantinedIds)),
  };
  const revision = await insertRevision(tx, next, used);
  await holdModules(tx, revision, built);
  const job = await applyByItself(tx, queue, revision, trigger);
  const contentChanged = parent?.content_hash !== content.contentHash;
  if (contentChanged || job !== null) await auditRevision(tx, revision, job);
  return { ...whatIs(revision, job), content_changed: contentChanged, revision_created: true };
}

/** What the job says of the revision, whether it has made it or found it. */
function whatIs(
  { id, number, state, findings, quarantined }: StoredRevision,
  apply: Job | null,
): Omit<RevisionBuildResult, 'content_changed' | 'revision_created'> {
  return {
    revision_id: id,
    number,
    revision_state: state,
    findings: [...new Set(findings.map(({ code }) => code))],
    quarantined: [...new Set(quarantined.map(({ module_id }) => module_id))],
    apply_job_id: apply?.id ?? null,
  };
}

/** What nobody asked for is of whoever made the edits that it holds. */
function signedBy(cause: RevisionTrigger, editors: readonly string[]): RevisionTrigger {
  const isAsked = cause.kind !== 'edit' && cause.actor?.startsWith('auto:') === false;
  return isAsked ? cause : { ...cause, actor: actorOfEdits(editors, cause.actor) };
}

/** Hashes of policies that the latest revision has, while that is the one that this was built after. */
function storedPolicies(
  { latest: parent }: BuiltDraft,
  latest: StandingRevision | null,
): ReadonlySet<string> {
  const inputs = latest === null || latest.id !== parent?.id ? [] : parent.inputs;
  return new Set(inputs.flatMap(({ policy_hash }) => policy_hash ?? []));
}

/** Makes no revision where the newest one is the same; one whose apply came to nothing is applied once more. */
async function keepRevision(
  tx: TenantTx,
  queue: JobQueue,
  revision: StoredRevision,
  trigger: RevisionTrigger,
): Promise<RevisionBuildResult> {
  const open = await findOpenJob(tx, { type: 'apply', resourceId: revision.id });
  const job = open ?? (await applyByItself(tx, queue, revision, trigger));
  return { ...whatIs(revision, job), content_changed: false, revision_created: false };
}

/**
 * Queues the apply of a revision that is ready and not what every speaker runs; null: none is needed, or the operator's business. Where only lists
 * differ, no router is sent anything, and feeds and rules follow.
 */
async function applyByItself(
  tx: TenantTx,
  queue: JobQueue,
  { id, state, content_hash }: StoredRevision,
  trigger: RevisionTrigger,
): Promise<Job | null> {
  if (state !== 'ready' || !(await getSetting(tx, 'auto_apply'))) return null;
  const applied = await listAppliedContents(tx);
  const others = new Set(applied.flatMap(({ revision_id }) => revision_id ?? []));
  others.delete(id);
  const isStale =
    applied.some((speaker) => speaker.content_hash !== content_hash) ||
    (await isBuiltOtherwise(tx, id, [...others]));
  if (!isStale) return null;
  const requester = { queue, actor: trigger.actor ?? SCHEDULER };
  return enqueueApply(tx, requester, { revision_id: id, speaker_ids: null }, trigger.job_id);
}

/** Another refresh may have been committed, an operator may have changed a module, or a guardrail, while this one was built. */
async function upToDate(
  tx: TenantTx,
  prepared: BuiltDraft | Unprepared,
): Promise<{ readonly built: BuiltDraft; readonly latest: StandingRevision | null }> {
  if ('own' in prepared) return buildNow(tx, prepared.own);
  const { inputs, facts } = await readRevisionFacts(tx);
  const { against, latest } = await readStanding(tx, facts);
  const isSame =
    isDeepStrictEqual(inputs, prepared.inputs) &&
    isDeepStrictEqual(against, prepared.against) &&
    // What modules stay as comes from the revision that was the latest.
    (prepared.withdrawals.length === 0 || prepared.latest?.id === latest?.id);
  return isSame ? { built: prepared, latest } : buildNow(tx, null);
}

async function buildNow(
  tx: TenantTx,
  own: UnstoredSnapshot | null,
): Promise<{ readonly built: BuiltDraft; readonly latest: StandingRevision | null }> {
  const draft = await draftRevision(tx, own);
  return { built: await buildDraft(draft, draftReaderIn(tx)), latest: draft.latest };
}
