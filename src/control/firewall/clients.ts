import type {
  FirewallApplyStatus,
  FirewallApplyStatusTaken,
  FirewallClient,
  FirewallClientPatch,
} from '../../api/firewall/firewall-clients.ts';
import { notFound } from '../../api/problems/problem.ts';
import { revokeFirewallKeys } from '../../store/keys/api-keys.ts';
import { notify, type TenantTx, type Versioned } from '../../store/database/database.ts';
import {
  deleteFirewallClient,
  reportFirewallClient,
  updateFirewallClient,
} from '../../store/firewall/firewall-clients.ts';
import { lockForChange } from '../../store/versions.ts';
import { KEYS_CHANNEL } from '../access/api-keys.ts';
import { refuseFaults } from '../body-faults.ts';
import type { ControlContext } from '../context.ts';
import { readNetworks } from '../networks.ts';

export async function changeFirewallClient(
  tx: TenantTx,
  id: string,
  patch: FirewallClientPatch,
  version: number | null,
): Promise<Versioned<FirewallClient>> {
  const { protected: kept } = patch;
  const { networks, faults } = readNetworks('protected', kept);
  refuseFaults(faults);
  const canonical = kept === undefined ? patch : { ...patch, protected: networks };
  return updateFirewallClient(tx, id, canonical, version);
}

/** The client is forgotten and its key stops working; the host keeps what it applied until somebody takes that out there. */
export async function removeFirewallClient(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'firewall_client', id, version);
  await revokeFirewallKeys(tx, id);
  await deleteFirewallClient(tx, id, null);
  await notify(tx, KEYS_CHANNEL, tx.tenantId);
}

export async function reportFirewall(
  tx: TenantTx,
  id: string,
  report: FirewallApplyStatus,
): Promise<FirewallApplyStatusTaken> {
  return { ruleset_hash: await reportFirewallClient(tx, id, report) };
}

/**
 * The id of the client, when the caller is that client.
 * @throws {Problem} `not_found` for every other one, in the words for one that does not exist
 */
export function ownFirewallClient(
  { firewallClientId }: Pick<ControlContext, 'firewallClientId'>,
  asked: string,
): string {
  if (firewallClientId === null || firewallClientId !== asked) throw notFound('firewall client', asked);
  return firewallClientId;
}
