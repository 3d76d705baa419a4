import type { HeldModule, ReleaseRequest } from '../../api/lists/held-modules.ts';
import type { Job } from '../../api/activity/jobs.ts';
import type { Module } from '../../api/lists/modules.ts';
import { Problem, type ProblemCode } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { saveRelease } from '../../store/revisions/held-modules.ts';
import { getModule } from '../../store/modules/modules.ts';
import { findSnapshot } from '../../store/modules/snapshots.ts';
import type { ControlContext } from '../context.ts';
import { requestBuild } from './coalesced-build.ts';
import { checkOverride } from './guard-apply.ts';

/**
 * Accepts exactly the snapshot that the module is held for, and queues a revision with it. As long as the module has this content it
 * may break these guardrails, and no others.
 * @throws {Problem} `conflict` when it is not held, or for another snapshot; with the code of a guardrail that `override` does not name
 */
export async function releaseModule(
  tx: TenantTx,
  { queue, actor, role }: Pick<ControlContext, 'queue' | 'actor' | 'role'>,
  moduleId: string,
  request: ReleaseRequest,
): Promise<Job> {
  await lockTenant(tx, 'revision');
  const { resource: module } = await getModule(tx, moduleId);
  const held = await requireHeld(tx, module);
  if (request.snapshot !== undefined && request.snapshot !== held.snapshot)
    throw new Problem(
      'conflict',
      `The module ${module.name} is held for the snapshot ${held.snapshot} by now, not for ${request.snapshot}. Look at GET /v1/modules/${module.id}/held/diff, and release that if it is right.`,
    );
  checkOverride(request, held.findings, role, `The module ${module.name}`);
  const missing = held.findings.find(({ code }) => !request.override.some((given) => given === code));
  if (missing !== undefined)
    throw new Problem(
      missing.code as ProblemCode,
      `${missing.detail} Name every guardrail in override that the module breaks: ${codesOf(held).join(', ')}.`,
    );
  const { override: codes, reason } = request;
  await saveRelease(tx, module.id, { snapshot: held.snapshot, codes, reason, actor });
  return requestBuild(tx, queue, 'manual', actor);
}

/** @throws {Problem} `conflict` when the module is not held, or something newer was collected that nobody has judged yet */
export async function requireHeld(tx: TenantTx, { id, name, held }: Module): Promise<HeldModule> {
  if (held === null)
    throw new Problem('conflict', `The module ${name} is not held: its latest snapshot is in the revisions.`);
  const latest = await findSnapshot(tx, id);
  if (latest?.content_hash === held.snapshot) return held;
  throw new Problem(
    'conflict',
    `The module ${name} was collected again since it was held for ${held.snapshot}. Wait for the next revision, which says whether it is held still, and why.`,
  );
}

function codesOf({ findings }: HeldModule): string[] {
  return [...new Set(findings.map(({ code }) => code))];
}
