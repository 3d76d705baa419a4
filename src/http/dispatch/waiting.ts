/** `Prefer: wait=30` (RFC 7240): work that is accepted is answered when it has ended, where that is soon enough. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { getJob } from '../../store/jobs/jobs.ts';
import type { Rendered } from '../answer.ts';
import { preferredWait } from '../request/prefer.ts';
import type { Services } from '../route.ts';

/** Aborts when the client goes before it has its answer. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  if (reply.raw.closed) gone.abort();
  reply.raw.once('close', () => gone.abort());
  return gone.signal;
}

/**
 * The answer to accepted work, after the client's wait: 200 with the job that has ended, however it did, else 202 with the job as it is
 * by then. A repetition under the same Idempotency-Key waits for the same job.
 */
export async function afterWait(
  { db, jobs, authenticateAgain }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: Rendered,
): Promise<Rendered> {
  const seconds = preferredWait(request.headers.prefer);
  const jobId = /^\/v1\/jobs\/([^/]+)$/.exec(accepted.headers.location ?? '')?.[1];
  if (accepted.status !== 202 || seconds === null || jobId === undefined) return accepted;
  const { id: tenantId } = request.principal!.tenant;
  await jobs.wait({ tenantId, jobId, seconds, signal: clientSignal(reply) });
  // The key may have been taken back meanwhile.
  await authenticateAgain(request.credential!);
  const { resource: job } = await db.inTenant(tenantId, (tx) => getJob(tx, jobId));
  const body = JSON.stringify(job);
  if (job.finished_at === null) return { ...accepted, body };
  const headers = { ...accepted.headers, 'preference-applied': `wait=${seconds}` };
  return { status: 200, headers, body };
}
