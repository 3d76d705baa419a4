import type { ReleaseRequest } from '../../api/lists/held-modules.ts';
import type { Job } from '../../api/activity/jobs.ts';
import { Problem, type ProblemCode } from '../../api/problems/problem.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { saveRelease } from '../../store/revisions/held-modules.ts';
import { releaseWithdrawal } from '../../store/revisions/held-withdrawals.ts';
import type { ControlContext } from '../context.ts';
import { isBroughtBack } from '../guards/guard-rollback.ts';
import { requestBuild } from './coalesced-build.ts';
import { checkOverride } from './guard-apply.ts';
import { buildReleased, requireHeld } from './held-module.ts';

/** The guardrail about what operators make of a module; all others are about what was collected of it. */
const WITHDRAWAL = 'large_withdrawal' satisfies ProblemCode;

/**
 * Accepts exactly what the module is held for, and queues a revision with it. As long as the module has this content it may break these
 * guardrails, and no others. What else a release would meet is found now, so that one is enough.
 * @throws {Problem} `not_found`; `conflict` when it is not held, or for something else; with the code of a guardrail that `override` does not name
 */
export async function releaseModule(
  tx: TenantTx,
  { queue, actor, role }: Pick<ControlContext, 'queue' | 'actor' | 'role'>,
  moduleId: string,
  request: ReleaseRequest,
): Promise<Job> {
  await lockTenant(tx, 'revision');
  const found = await requireHeld(tx, moduleId);
  const { id, name, held, collected, isWithdrawal } = found;
  if (request.snapshot !== undefined && request.snapshot !== held.snapshot)
    throw new Problem(
      'conflict',
      `The module ${name} is held for another snapshot by now, ${held.snapshot}. Look at GET /v1/modules/${id}/held/diff, and release that if it is right.`,
    );
  const { findings, built } = await buildReleased(tx, found);
  checkOverride(request, [...held.findings, ...findings], role, `The module ${name}`);
  const missing = findings.find(({ code }) => !request.override.some((given) => given === code));
  if (missing !== undefined)
    throw new Problem(
      missing.code as ProblemCode,
      `${missing.detail} Name every guardrail in override that the release breaks: ${codesOf(findings).join(', ')}.`,
    );
  const { override, reason } = request;
  // What a rollback brought back is no matter of what was collected, which it may have taken back as well.
  const isTakenBack = built.findings.some((finding) => finding.module_id === id && isBroughtBack(finding));
  const codes = override.filter((code) => code !== WITHDRAWAL && (isTakenBack || code !== 'rolled_back'));
  if (collected !== null && codes.length > 0)
    await saveRelease(tx, id, { snapshot: collected, codes, reason, actor });
  if (isWithdrawal || override.includes(WITHDRAWAL))
    await releaseWithdrawal(tx, id, { stateHash: built.open!.state_hash, reason, actor });
  return requestBuild(tx, queue, { cause: 'release', actor, moduleId: id });
}

function codesOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ code }) => code))];
}
