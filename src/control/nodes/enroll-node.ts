import type {
  EnrollmentToken,
  EnrollmentTokenCreate,
  NodeEnroll,
  NodeEnrolled,
} from '../../api/nodes/nodes.ts';
import { Problem, notFound } from '../../api/problems/problem.ts';
import { noteAgent } from '../../store/nodes/agents.ts';
import { mintApiKey } from '../../store/keys/api-key-secret.ts';
import { insertApiKey, revokeNodeKeys } from '../../store/keys/api-keys.ts';
import { notify, type TenantTx } from '../../store/database/database.ts';
import { insertEnrollmentToken, useEnrollmentToken } from '../../store/keys/enrollment-tokens.ts';
import { findSpeaker, getSpeaker } from '../../store/speakers/speakers.ts';
import { lockForChange } from '../../store/versions.ts';
import { KEYS_CHANNEL } from '../access/api-keys.ts';
import type { ControlContext } from '../context.ts';
import { adoptAppliedRevision } from '../rollout/adopt-revision.ts';
import { readSigningKeys } from './signing-keys.ts';

/** Makes a token that lets one node enroll as this speaker; it is in this answer and nowhere else. */
export async function createEnrollmentToken(
  tx: TenantTx,
  { actor }: ControlContext,
  speakerId: string,
  { valid_seconds: validSeconds = 3_600 }: EnrollmentTokenCreate,
): Promise<EnrollmentToken> {
  const speaker = await findSpeaker(tx, speakerId);
  if (speaker === null) throw notFound('speaker', speakerId);
  if (speaker.mode !== 'agent')
    throw new Problem(
      'conflict',
      `The speaker ${speaker.name} is held by the service itself. Create one with {"mode": "agent"} for a node.`,
    );
  const { secret, ...minted } = mintApiKey('enrollment');
  const expiresAt = await insertEnrollmentToken(tx, {
    ...minted,
    speakerId: speaker.id,
    validSeconds,
    createdBy: actor,
  });
  return { token: secret, expires_at: expiresAt };
}

/**
 * Takes the one use of the token, and gives the node a key of its own. Keys that nodes of this speaker had before stop working:
 * a speaker has one node.
 * @param tokenId of the token that the node came with
 */
export async function enrollNode(
  tx: TenantTx,
  { actor, speakerId, secrets, queue }: ControlContext,
  tokenId: string,
  { hostname, version, daemon }: NodeEnroll,
): Promise<NodeEnrolled> {
  // Of two nodes that enroll at once, only one may keep a key.
  await lockForChange(tx, 'speaker', speakerId!, null);
  if (!(await useEnrollmentToken(tx, tokenId)))
    throw new Problem(
      'unauthenticated',
      'The enrollment token was used, or has expired. Ask an operator of the tenant for another one.',
    );
  const { resource: speaker } = await getSpeaker(tx, speakerId!);
  if (speaker.daemon !== daemon)
    throw new Problem(
      'conflict',
      `The speaker ${speaker.name} is of the daemon ${speaker.daemon}, and the node drives ${daemon}. Set up the node for ${speaker.daemon}, or create a speaker of the daemon ${daemon}.`,
    );
  await revokeNodeKeys(tx, speaker.id);
  const { secret, ...minted } = mintApiKey('node');
  const name = `node ${hostname}`.slice(0, 100);
  const { resource: key } = await insertApiKey(tx, {
    ...{ name, role: 'node', created_by: actor, speaker_id: speaker.id },
    ...minted,
  });
  await notify(tx, KEYS_CHANNEL, tx.tenantId);
  await noteAgent(tx, speaker.id, { version, hostname });
  await adoptAppliedRevision(tx, { queue, actor }, (await getSpeaker(tx, speaker.id)).resource);
  return {
    tenant_id: tx.tenantId,
    speaker_id: speaker.id,
    speaker: { name: speaker.name, daemon: speaker.daemon },
    api_key: { id: key.id, secret },
    signing_keys: (await readSigningKeys(tx, secrets)).items,
  };
}
