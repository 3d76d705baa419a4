import { isDeepStrictEqual } from 'node:util';
import { Problem } from '../../api/problem.ts';
import type { Revision } from '../../api/revisions.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { RoutesModel } from '../../speakers/speaker.ts';
import { listAllCommunities } from '../../store/communities.ts';
import { loadTable } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findGuardrailsHash, listRevisionInputs } from '../../store/revision-history.ts';
import { getRevision } from '../../store/revisions.ts';
import { getSetting } from '../../store/settings.ts';
import { readOwnTenant } from '../../store/tenants.ts';
import { hashOfGuardrails, readGuardrails } from '../guards/guardrails.ts';
import { limitRoutes } from '../policy/limit-routes.ts';
import { OPEN_POLICY, type PolicyGuardrail, policyGuardrailOf } from '../policy/policy-guardrail.ts';
import { labelModels } from '../models/community-labels.ts';

/**
 * The routes of a revision as speakers run them: its table, and what its labels mean on the wire now. Without what the tenant's policy does not
 * allow any more: it may have been tightened since.
 */
export async function loadRoutes(
  tx: TenantTx,
  revisionId: string,
  read: (contentHash: string) => Promise<PrefixTable> = (hash) => loadTable(tx, hash),
): Promise<RoutesModel> {
  const { resource: revision } = await getRevision(tx, revisionId);
  if (revision.content_hash === null) {
    throw new Problem(
      'revision_not_ready',
      `Revision ${revision.number} is ${revision.state} and has no content yet.`,
    );
  }
  const whole = await read(revision.content_hash);
  const communities = await listAllCommunities(tx);
  const policy = policyGuardrailOf((await readOwnTenant(tx)).policy, communities);
  const table = (await isJudgedBy(tx, revision, policy)) ? whole : limitRoutes(whole, policy);
  return {
    revisionId,
    table,
    labels: labelModels(labelsOf(table), revision.communities, communities),
    noExport: await getSetting(tx, 'guard_no_export'),
    confirmSeconds: await getSetting(tx, 'deploy_confirm_timeout_seconds'),
  };
}

function labelsOf(table: PrefixTable): Set<string> {
  return new Set(table.labelSets.flat());
}

/** Whether the routes were held against this policy when the revision was built, or a super role has let them through all the same. */
async function isJudgedBy(
  tx: TenantTx,
  { id, findings }: Revision,
  policy: PolicyGuardrail,
): Promise<boolean> {
  if (isDeepStrictEqual(policy, OPEN_POLICY) || findings.some(({ code }) => code === 'tenant_policy'))
    return true;
  if ((await findGuardrailsHash(tx, id)) === hashOfGuardrails(await readGuardrails(tx, policy))) return true;
  return (await listRevisionInputs(tx, id)).some(({ released }) => released.includes('tenant_policy'));
}
