import { Problem } from '../../api/problems/problem.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { RoutesModel } from '../../speakers/speaker.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import { loadTable } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { RouteAttributes } from '../../store/rollout/sent-attributes.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { readOwnTenant } from '../../store/tenants/tenants.ts';
import { limitRoutes } from '../../policy/limit-routes.ts';
import { policyGuardrailOf } from '../../policy/policy-guardrail.ts';
import { labelModels } from '../models/community-labels.ts';
import { limitsOf } from './policy-limits.ts';
import { currentAttributes, readSentAttributes } from './route-attributes.ts';
import { requireRevision } from '../../store/revisions/stored-revisions.ts';

/**
 * The routes of a revision as speakers run them: its table, and what its labels mean on the wire now. Without what the tenant's policy does not
 * allow any more: it may have been tightened since.
 * @param attributes if not those that there are now
 */
export async function loadRoutes(
  tx: TenantTx,
  revisionId: string,
  read: (contentHash: string) => Promise<PrefixTable> = (hash) => loadTable(tx, hash),
  attributes?: RouteAttributes,
): Promise<RoutesModel> {
  const revision = await requireRevision(tx, revisionId);
  if (revision.content_hash === null) {
    throw new Problem(
      'revision_not_ready',
      `Revision ${revision.number} is ${revision.state} and has no content yet.`,
    );
  }
  const whole = await read(revision.content_hash);
  const communities = await listAllCommunities(tx);
  const policy = policyGuardrailOf((await readOwnTenant(tx)).policy, communities);
  const { nextHops, noExport } = attributes ?? (await currentAttributes(tx, communities));
  const limits = await limitsOf(tx, revision, policy);
  const table = limits === null ? whole : limitRoutes(whole, limits);
  return {
    revisionId,
    table,
    labels: labelModels(labelsOf(table), revision.communities, nextHops),
    noExport,
    confirmSeconds: await getSetting(tx, 'deploy_confirm_timeout_seconds'),
  };
}

/** {@link loadRoutes} as the speaker was sent them last: other next hops of communities wait for an apply, and so does NO_EXPORT. */
export async function loadSentRoutes(
  tx: TenantTx,
  speakerId: string,
  revisionId: string,
): Promise<RoutesModel> {
  return loadRoutes(tx, revisionId, undefined, (await readSentAttributes(tx)).get(speakerId));
}

function labelsOf(table: PrefixTable): Set<string> {
  return new Set(table.labelSets.flat());
}
