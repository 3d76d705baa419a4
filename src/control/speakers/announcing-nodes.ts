import { listAgentStates, type AgentState } from '../../store/nodes/bundles.ts';
import { databaseTime } from '../../store/database/database-clock.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { desiredStates } from '../nodes/desired-states.ts';

/**
 * Of the speakers, those whose nodes were given something to run, and have not said that their sessions have ended. A node withdraws
 * nothing by itself, and once its speaker is deleted nobody can have it do so. The caller holds the lock of the tenant's bundles.
 */
export async function announcingNodes(
  tx: TenantTx,
  secrets: SecretBox,
  ids: readonly string[],
): Promise<AgentState[]> {
  const instructed = (await listAgentStates(tx, ids)).filter(({ bundle }) => bundle !== null);
  if (instructed.length === 0) return [];
  const { states } = await desiredStates(tx, secrets, instructed, await databaseTime(tx));
  const silent = states.filter(({ agent: { bundle }, model, fingerprint }) => {
    const isLast = bundle!.fingerprint.equals(fingerprint) && bundle!.applied_sequence === bundle!.sequence;
    return isLast && model.peers.length === 0;
  });
  const ended = new Set(silent.map(({ agent }) => agent));
  return instructed.filter((agent) => !ended.has(agent));
}
