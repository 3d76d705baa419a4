import { freeName } from '../../store/database/free-name.ts';
import type {
  FirewallEnroll,
  FirewallEnrolled,
  FirewallTokenCreate,
} from '../../api/firewall/firewall-clients.ts';
import type { EnrollmentToken } from '../../api/nodes/nodes.ts';
import { Problem, fieldProblem } from '../../api/problems/problem.ts';
import { mintApiKey } from '../../store/keys/api-key-secret.ts';
import { insertApiKey, revokeFirewallKeys } from '../../store/keys/api-keys.ts';
import { notify, type TenantTx } from '../../store/database/database.ts';
import {
  findFirewallToken,
  insertEnrollmentToken,
  useEnrollmentToken,
} from '../../store/keys/enrollment-tokens.ts';
import {
  getFirewallClient,
  insertFirewallClient,
  listRuledClients,
  moveFirewallClient,
} from '../../store/firewall/firewall-clients.ts';
import { lockForChange } from '../../store/versions.ts';
import { KEYS_CHANNEL } from '../access/api-keys.ts';
import type { ControlContext } from '../context.ts';
import { readSigningKeys } from '../nodes/signing-keys.ts';

/** Makes a token that lets one host enroll; it is in this answer and nowhere else. */
export async function createFirewallToken(
  tx: TenantTx,
  { actor }: ControlContext,
  { policy = 'block', client_id: clientId = null, valid_seconds: validSeconds = 3_600 }: FirewallTokenCreate,
): Promise<EnrollmentToken> {
  if (clientId !== null && (await listRuledClients(tx, [clientId])).length === 0)
    throw fieldProblem(
      '/client_id',
      `No firewall client has the id ${clientId}. List /v1/firewall/clients to see which exist.`,
    );
  const { secret, ...minted } = mintApiKey('enrollment');
  const subject = { firewallPolicy: policy, firewallClientId: clientId?.toLowerCase() ?? null };
  const expiresAt = await insertEnrollmentToken(tx, {
    ...minted,
    ...subject,
    validSeconds,
    createdBy: actor,
  });
  return { token: secret, expires_at: expiresAt };
}

/**
 * Takes the one use of the token, and gives the host a key of its own. Keys that the client had before stop working: it runs on one host.
 * @param tokenId of the token that the host came with
 */
export async function enrollFirewall(
  tx: TenantTx,
  { actor, secrets }: ControlContext,
  tokenId: string,
  machine: FirewallEnroll,
): Promise<FirewallEnrolled> {
  const token = await findFirewallToken(tx, tokenId);
  const known = token?.clientId ?? null;
  if (known !== null) await lockForChange(tx, 'firewall_client', known, null);
  if (token === null || !(await useEnrollmentToken(tx, tokenId)))
    throw new Problem(
      'unauthenticated',
      'The enrollment token was used, or has expired. Ask an operator of the tenant for another one.',
    );
  const { hostname, version } = machine;
  const id = token.clientId ?? (await addClient(tx, machine, token.policy));
  if (token.clientId !== null) await moveFirewallClient(tx, id, { hostname, client_version: version });
  const { resource: client } = await getFirewallClient(tx, id);
  await revokeFirewallKeys(tx, id);
  const { secret, ...minted } = mintApiKey('firewall');
  const { resource: key } = await insertApiKey(tx, {
    ...{ name: `firewall ${client.name}`.slice(0, 100), role: 'firewall', created_by: actor },
    firewall_client_id: id,
    ...minted,
  });
  await notify(tx, KEYS_CHANNEL, tx.tenantId);
  return {
    tenant_id: tx.tenantId,
    client_id: id,
    client: { name: client.name, policy: client.policy },
    api_key: { id: key.id, secret },
    signing_keys: (await readSigningKeys(tx, secrets)).items,
  };
}

async function addClient(
  tx: TenantTx,
  { name, hostname, version }: FirewallEnroll,
  policy: 'block' | 'accept',
): Promise<string> {
  const given = name ?? (await freeName(tx, 'firewall_client', hostname.slice(0, 90)));
  const client = await insertFirewallClient(tx, { name: given, hostname, policy, client_version: version });
  return client.id;
}
