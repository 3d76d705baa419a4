import type { PeerReconcileResult } from '../../api/activity/job-results.ts';
import type { Job } from '../../api/activity/jobs.ts';
import { notify, type TenantTx } from '../../store/database/database.ts';
import { listAllPeers } from '../../store/speakers/peers.ts';
import { listAllSpeakers, SPEAKERS_CHANNEL } from '../../store/speakers/speakers.ts';
import type { ControlContext } from '../context.ts';
import { SCHEDULER } from '../actor.ts';
import type { JobCommit, JobContext, JobQueue } from '../job.ts';
import { isOn } from '../models/speaker-model.ts';
import { enqueueReapply } from '../revisions/apply-input.ts';

/**
 * Queues the job that follows every write to a peer, and to what all peers have of settings and of communities: then it is of no peer.
 * @param resource what was written; null: settings
 */
export async function requestPeerReconcile(
  tx: TenantTx,
  context: ControlContext,
  peerId: string | null,
  resource: Job['resource'] = peerId === null ? null : { type: 'peer', id: peerId },
): Promise<Job> {
  await notify(tx, SPEAKERS_CHANNEL, tx.tenantId);
  return context.queue.enqueue(tx, {
    type: 'peer_reconcile',
    input: { peer_id: peerId },
    resource,
    requestedBy: context.actor,
    parentId: null,
  });
}

/**
 * The job `peer_reconcile`: says which sessions should be, and queues an apply. It ingests no module and collects no prefix,
 * and the apply keeps every speaker at the revision that it runs: a new peer is no reason to roll anything out.
 */
export async function reconcilePeers(
  context: JobContext,
  queue: JobQueue,
): Promise<JobCommit<PeerReconcileResult>> {
  const { db, tenantId, job } = context;
  const speakers = await db.inTenant(tenantId, async (tx) => {
    const peers = await listAllPeers(tx);
    const enabled = (await listAllSpeakers(tx)).filter((speaker) => speaker.enabled);
    return enabled.map(({ id }) => ({
      speaker_id: id,
      peer_ids: peers.filter((peer) => isOn(peer, id)).map((peer) => peer.id),
    }));
  });
  return async (tx) => {
    const apply = await enqueueReapply(tx, { queue, actor: job.requested_by ?? SCHEDULER }, job);
    return { speakers, apply_job_id: apply.id };
  };
}
