import { isDeepStrictEqual } from 'node:util';
import type { DiffSummary } from '../../api/revisions/diff.ts';
import {
  MAXIMUM_SPEAKERS,
  NAMED_CHANGES,
  type Effect,
  type ExpiredPrefixes,
  type NextRevision,
} from '../../api/revisions/plan.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { emptyTable } from '../../core/tables/prefix-table.ts';
import { lockTenant } from '../../store/database/locks.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findOpenJob } from '../../store/jobs/jobs.ts';
import { countPending, readPending } from '../../store/modules/pending-changes.ts';
import { knowRanges } from '../../store/revisions/range-inputs.ts';
import {
  findLatestReadyRevision,
  requireRevision,
  type StoredRevision,
  findNewestRevision,
} from '../../store/revisions/stored-revisions.ts';
import {
  isReapplyAskedSince,
  lastApplySequence,
  listAppliesSince,
  type AskedApply,
} from '../../store/rollout/rollouts.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import type { ControlContext } from '../context.ts';
import { refuseGivenUp, unlessGivenUp } from '../given-up.ts';
import { buildDraft } from '../drafts/build-draft.ts';
import { draftReaderIn } from '../drafts/draft-reader.ts';
import { draftRevision } from '../drafts/revision-draft.ts';
import { readAttributesOnRouters } from '../peer-routes/route-attributes.ts';
import { tableCache } from '../tables/table-cache.ts';
import { commitRevision } from '../revisions/commit-revision.ts';
import { breakdownBetween, breakdownOf, type ChangeBreakdown } from '../differences/diff-revisions.ts';
import { expiredPrefixes } from './expired-prefixes.ts';
import { readSpeakerModels, speakerEffects, type ComingRevision } from './speaker-effects.ts';
import { storeWrittenSnapshots } from '../revisions/written-snapshots.ts';

const NOTHING: DiffSummary = { announced: 0, withdrawn: 0, changed: 0 };

type Requester = Pick<ControlContext, 'queue' | 'actor' | 'secrets'>;

/**
 * Carries out `work`, and all that follows from it up to the apply, and says what would be announced and withdrawn then, by the code that
 * a revision and its apply run. Its caller takes all of it back.
 * @param gone aborts when nobody waits for it any more: whoever gave a trial up and writes then waits for the locks that it has
 * @throws {Problem} `busy`, once it is aborted
 */
export async function measureEffect<T>(
  tx: TenantTx,
  requester: Requester,
  work: () => Promise<T>,
  gone?: AbortSignal,
): Promise<{ readonly result: T; readonly effect: Effect }> {
  // As whoever builds a revision: before the rows that it locks.
  await lockTenant(tx, 'revision');
  refuseGivenUp(gone);
  const before = await findLatestReadyRevision(tx);
  const newest = await newestId(tx);
  const { count: others } = await countPending(tx);
  const models = await readSpeakerModels(tx, requester.secrets, MAXIMUM_SPEAKERS);
  const sent = await readAttributesOnRouters(tx);
  const sequence = await lastApplySequence(tx);
  await knowRanges(tx);
  const result = await work();
  const uncollected = await followingSnapshots(tx, gone);
  const { next, latestFindings } = await followingRevision(tx, requester, newest, gone);
  const after = await readSpeakerModels(tx, requester.secrets, MAXIMUM_SPEAKERS);
  const asked = await listAppliesSince(tx, sequence);
  const isModelled = !isDeepStrictEqual(models, after);
  const revisionOf = comingRevisions(next, asked);
  const reapplies = await isReapplyAskedSince(tx, sequence);
  const isMoved = revisionOf !== null || reapplies || isModelled;
  refuseGivenUp(gone);
  const difference = next === null ? null : await differenceFrom(tx, before, next);
  refuseGivenUp(gone);
  const expired = await expiredOf(tx, before, next, asked);
  return {
    result,
    effect: {
      revision: next === null ? null : presentRevision(next),
      ...(difference ?? { summary: NOTHING, by_community: [], items: [], has_more: false }),
      speakers: isMoved ? await speakerEffects(tx, models, after, { revisionOf, reapplies }, sent) : [],
      ...(expired === null ? {} : { expired }),
      ...(latestFindings.length === 0 ? {} : { latest_findings: [...latestFindings] }),
      applied_by_itself: await isApplied(tx, next, asked),
      other_changes: others,
      uncollected_module_ids: uncollected,
    },
  };
}

/** Takes in what needs no collecting. @returns the modules whose entries have to be collected first */
async function followingSnapshots(tx: TenantTx, gone: AbortSignal | undefined): Promise<string[]> {
  const { moduleIds } = await readPending(tx);
  await unlessGivenUp(gone, () => storeWrittenSnapshots(tx, moduleIds, null, gone));
  return [...(await readPending(tx)).moduleIds];
}

interface Following {
  /** The revision that the writes made, or that the edits would lead to; null: none. */
  readonly next: StoredRevision | null;
  /** Where there is none: what the latest one breaks, which is ready and stays so. */
  readonly latestFindings: readonly Finding[];
}

async function followingRevision(
  tx: TenantTx,
  { queue, actor }: Requester,
  newest: string | null,
  gone: AbortSignal | undefined,
): Promise<Following> {
  refuseGivenUp(gone);
  const edits = await readPending(tx);
  let latestFindings: readonly Finding[] = [];
  if (edits.buildIds.length > 0) {
    const draft = await draftRevision(tx, null);
    const prepared = await unlessGivenUp(gone, () => buildDraft(draft, draftReaderIn(tx), gone));
    refuseGivenUp(gone);
    const trigger = { kind: 'edit', module_id: null, job_id: null, actor } as const;
    const built = await commitRevision(tx, queue, prepared, trigger, edits);
    if (built.revision_state === 'ready') latestFindings = prepared.findings;
  }
  const id = await newestId(tx);
  if (id === null || id === newest) return { next: null, latestFindings };
  return { next: await requireRevision(tx, id), latestFindings: [] };
}

/** What a revision of before brings back that is asked for, or rolled back to. */
async function expiredOf(
  tx: TenantTx,
  latest: StoredRevision | null,
  next: StoredRevision | null,
  asked: readonly AskedApply[],
): Promise<ExpiredPrefixes | null> {
  const id = next === null ? asked.at(-1)?.revision_id : next.rollback_of;
  if (id === undefined || id === null || id === latest?.id) return null;
  return expiredPrefixes(tx, id, latest?.id ?? null);
}

async function newestId(tx: TenantTx): Promise<string | null> {
  return (await findNewestRevision(tx))?.id ?? null;
}

async function differenceFrom(
  tx: TenantTx,
  before: StoredRevision | null,
  next: StoredRevision,
): Promise<ChangeBreakdown> {
  if (before !== null) return breakdownBetween(tx, before.id, next.id, NAMED_CHANGES);
  const hash = next.content_hash!;
  const table = await tableCache.load(tx, hash);
  const none = { content_hash: '', communities: [], table: emptyTable() };
  const { communities } = next;
  return breakdownOf(none, { content_hash: hash, communities, table }, NAMED_CHANGES);
}

async function isApplied(
  tx: TenantTx,
  next: StoredRevision | null,
  asked: readonly AskedApply[],
): Promise<boolean> {
  if (await getSetting(tx, 'deploy_freeze')) return false;
  if (next === null) return asked.length > 0;
  return (await findOpenJob(tx, { type: 'apply', resourceId: next.id })) !== null;
}

/**
 * The revision that each speaker would come to run. One that is held is announced by nobody.
 * @returns null: none would
 */
function comingRevisions(next: StoredRevision | null, asked: readonly AskedApply[]): ComingRevision | null {
  if (next?.state === 'ready') return () => next.id;
  if (asked.length === 0) return null;
  return (speakerId) =>
    asked.findLast(({ speaker_ids: ids }) => ids === null || ids.includes(speakerId))?.revision_id ?? null;
}

function presentRevision({ state, prefix_count, findings, quarantined }: StoredRevision): NextRevision {
  return { state, prefix_count, findings, quarantined };
}
