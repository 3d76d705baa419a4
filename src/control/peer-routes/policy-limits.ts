import { LRUCache } from 'lru-cache';
/** What a policy that was tightened since takes out of the routes of a revision. */
import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { AgentRevision } from '../../store/nodes/bundles.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findGuardrailsHash, listRevisionInputs } from '../../store/revisions/revision-history.ts';
import { hashOfRouteGuardrails, readGuardrails } from '../guards/guardrails.ts';
import { isWithinPolicy } from '../../policy/limit-routes.ts';
import { OPEN_POLICY, type PolicyGuardrail } from '../../policy/policy-guardrail.ts';
import { tableCache } from '../tables/table-cache.ts';
import { requireRevision, type StoredRevision } from '../../store/revisions/stored-revisions.ts';

/**
 * @param policy what it says of routes now
 * @returns what the routes of the revision are to be limited to. Null: nothing, since they were held against this policy when the revision
 * was built, or a super role has let them through all the same
 */
export async function limitsOf(
  tx: TenantTx,
  { id, findings }: Pick<StoredRevision, 'id' | 'findings'>,
  policy: PolicyGuardrail,
): Promise<PolicyGuardrail | null> {
  if (isDeepStrictEqual(policy, OPEN_POLICY) || findings.some(({ code }) => code === 'tenant_policy'))
    return null;
  if ((await findGuardrailsHash(tx, id)) === hashOfRouteGuardrails(await readGuardrails(tx, policy)))
    return null;
  const inputs = await listRevisionInputs(tx, id);
  return inputs.some(({ released }) => released.includes('tenant_policy')) ? null : policy;
}

/** Contents and policies that were held against each other. */
const REMEMBERED = 1_000;
const areWithin = new LRUCache<string, boolean>({ max: REMEMBERED });

/** {@link limitsOf}, and null as well where all the routes are allowed: nodes receive only limits that take something away. */
export async function limitsOfNodes(
  tx: TenantTx,
  { id, content_hash: contentHash }: Pick<AgentRevision, 'id' | 'content_hash'>,
  policy: PolicyGuardrail,
): Promise<PolicyGuardrail | null> {
  if (isDeepStrictEqual(policy, OPEN_POLICY)) return null;
  const name = `${tx.tenantId} ${contentHash} ${hash('sha256', JSON.stringify(policy))}`;
  let isWithin = areWithin.get(name);
  if (isWithin === undefined) {
    isWithin = isWithinPolicy(await tableCache.load(tx, contentHash), policy);
    areWithin.set(name, isWithin);
  }
  return isWithin ? null : limitsOf(tx, await requireRevision(tx, id), policy);
}
