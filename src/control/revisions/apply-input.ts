/** The job `apply`: what it is asked for, and how it is queued. */
import type { Job } from '../../api/activity/jobs.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { ControlContext } from '../context.ts';

/** A revision of null keeps every speaker at the one that it runs. */
export interface ApplyInput {
  readonly revision_id: string | null;
  /** Null: all that are enabled. */
  readonly speaker_ids: readonly string[] | null;
  /** For a speaker that has come to the tenant: brings what was applied last when its turn comes. */
  readonly adopts?: boolean;
  /** Somebody asks for what is left of an apply: peers that failed are tried at once. */
  readonly retries?: boolean;
  /** A request asks for this revision; no refresh and no edit does. */
  readonly asked?: boolean;
  /** Codes of guardrails that let the revision through. */
  readonly override?: readonly string[];
}

type Queueing = Pick<ControlContext, 'queue' | 'actor'>;

/**
 * Queues the apply of a revision, which is checked when the job runs; one that overrides guardrails was checked before as well.
 * @param parentId the job that it is part of
 */
export function enqueueApply(
  tx: TenantTx,
  { queue, actor }: Queueing,
  input: ApplyInput & { readonly revision_id: string },
  parentId: string | null = null,
): Promise<Job> {
  return queue.enqueue(tx, {
    type: 'apply',
    input: { ...input },
    resource: { type: 'revision', id: input.revision_id },
    requestedBy: actor,
    parentId,
  });
}

/** Queues an apply that keeps every speaker at the revision that it runs, and brings all else to it. @param cause the job that it is part of */
export function enqueueReapply(
  tx: TenantTx,
  { queue, actor }: Queueing,
  cause: Pick<Job, 'id' | 'resource'> | null,
): Promise<Job> {
  const input: ApplyInput = { revision_id: null, speaker_ids: null };
  return queue.enqueue(tx, {
    type: 'apply',
    input: { ...input },
    resource: cause?.resource ?? null,
    requestedBy: actor,
    parentId: cause?.id ?? null,
  });
}
