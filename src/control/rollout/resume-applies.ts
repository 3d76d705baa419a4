import type { Job } from '../../api/activity/jobs.ts';
import type { StoppedApply } from '../../api/operation/settings.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { isReconcileStopped, listStoppedJobs, type StoppedJob } from '../../store/rollout/stopped-applies.ts';
import { listAllSpeakers } from '../../store/speakers/speakers.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { adoptAppliedRevision } from './adopt-revision.ts';
import type { Requester } from './apply-revision.ts';
import { enqueueApply, enqueueReapply } from '../revisions/apply-input.ts';

type Queueing = Pick<Requester, 'queue' | 'actor'>;

/** What a freeze has stopped, and what still waits although it is over. */
export async function listStoppedApplies(tx: TenantTx): Promise<StoppedApply[]> {
  return (await listStoppedJobs(tx)).map((job) => present(job, null));
}

/**
 * Queues the applies that the freeze stopped, now that it is over: to a speaker that has come what the others run; to all what they run, if
 * something else has changed there, such as next hops of communities; and, if revisions are
 * applied by themselves, those of revisions, in the order in which they were asked for. The guardrails are checked again. The caller holds the tenant's revision lock: a revision that is being
 * built queues its own apply, and this one must not come behind it with an older one.
 * @returns all that was stopped
 */
export async function resumeApplies(tx: TenantTx, requester: Queueing): Promise<StoppedApply[]> {
  const stopped = await listStoppedJobs(tx);
  const isByItself = await getSetting(tx, 'auto_apply');
  const resumed: StoppedApply[] = [];
  let toAll: Job | null = null;
  for (const job of stopped) {
    let made: Job | null = null;
    if (job.adopts) made = toAll ?? (await adoptAgain(tx, requester, job));
    else if (isByItself) made = await enqueueApply(tx, requester, inputOf(job));
    if (job.speaker_ids === null) toAll = made;
    resumed.push(present(job, made));
  }
  if (toAll === null && (await isReconcileStopped(tx))) await enqueueReapply(tx, requester, null);
  return resumed;
}

async function adoptAgain(
  tx: TenantTx,
  requester: Queueing,
  { speaker_ids: ids }: StoppedJob,
): Promise<Job | null> {
  const speaker = (await listAllSpeakers(tx)).find(({ id }) => ids!.includes(id));
  return speaker === undefined ? null : adoptAppliedRevision(tx, requester, speaker);
}

function inputOf({ revision_id, speaker_ids }: StoppedJob): Parameters<typeof enqueueApply>[2] {
  return { revision_id, speaker_ids };
}

function present(
  { id, revision_id, revision_number, speaker_ids }: StoppedJob,
  made: Job | null,
): StoppedApply {
  return { stopped_job_id: id, revision_id, revision_number, speaker_ids, apply_job_id: made?.id ?? null };
}
