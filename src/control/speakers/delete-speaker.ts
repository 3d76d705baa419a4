import { Problem } from '../../api/problems/problem.ts';
import type { SpeakerDeleteQuery } from '../../api/speakers/speakers.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { lockTenant } from '../../store/database/locks.ts';
import { deleteSpeaker, findSpeaker, listAllSpeakers } from '../../store/speakers/speakers.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { lockForChange } from '../../store/versions.ts';
import type { ControlContext } from '../context.ts';
import { announcingNodes } from './announcing-nodes.ts';

/**
 * Deletes a speaker. Its node has to have said that its sessions have ended ({@link announcingNodes}), unless it is given up.
 * @throws {Problem} `in_use`
 */
export async function removeSpeaker(
  tx: TenantTx,
  { secrets }: Pick<ControlContext, 'secrets'>,
  id: string,
  { abandon_node: isAbandoned = false }: SpeakerDeleteQuery,
  version: number | null,
): Promise<void> {
  // No node is sent anything meanwhile. Locked before the row, in the same order as bundles are issued.
  await lockTenant(tx, 'bundles');
  await lockForChange(tx, 'speaker', id, version);
  await refuseLastCanary(tx, id);
  if (!isAbandoned) await refuseAnnouncing(tx, secrets, id);
  await deleteSpeaker(tx, id, version);
}

async function refuseAnnouncing(tx: TenantTx, secrets: ControlContext['secrets'], id: string): Promise<void> {
  if ((await announcingNodes(tx, secrets, [id])).length === 0) return;
  const { name, enabled, agent } = (await findSpeaker(tx, id))!;
  const node = agent === null ? name : `${name}, ${agent.hostname}, last seen at ${agent.last_seen_at},`;
  const isToEnd = enabled
    ? 'Disable the speaker first (PATCH {"enabled": false})'
    : 'It has not reported yet that its sessions have ended';
  throw new Problem(
    'in_use',
    `The node of ${node} would go on announcing what it announces, for ever. ${isToEnd}; delete it when GET /v1/speakers/${id}?live=true shows no session any more. For a node that is gone, or whose daemon was stopped where it is: DELETE with ?abandon_node=true.`,
  );
}

/** Applies are to go to canaries first: where none is left, they go to nobody. */
async function refuseLastCanary(tx: TenantTx, id: string): Promise<void> {
  const canaryIds = (await getSetting(tx, 'deploy_canary_speaker_ids')).map((one) => one.toLowerCase());
  if (!canaryIds.includes(id)) return;
  const speakers = await listAllSpeakers(tx);
  if (speakers.some((speaker) => speaker.id !== id && canaryIds.includes(speaker.id))) return;
  const { name } = speakers.find((speaker) => speaker.id === id)!;
  throw new Problem(
    'in_use',
    `Applies go to ${name} first (deploy_canary_speaker_ids), and would go to nobody without it. Choose other canaries, or set that to [] to do without; then delete it.`,
  );
}
