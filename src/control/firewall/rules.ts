import type {
  FirewallRule,
  FirewallRuleCreate,
  FirewallRulePatch,
} from '../../api/firewall/firewall-rules.ts';
import type { FieldFault } from '../../api/problems/problem.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import {
  getFirewallRule,
  insertFirewallRule,
  updateFirewallRule,
} from '../../store/firewall/firewall-rules.ts';
import { lockForChange } from '../../store/versions.ts';
import { refuseFaults } from '../body-faults.ts';
import { readNetworks } from '../networks.ts';
import { readReferences } from '../references.ts';

const DEFAULT_PRIORITY = 1_000;
const LAST_PORT = 65_535;

export async function createFirewallRule(
  tx: TenantTx,
  body: FirewallRuleCreate,
): Promise<Versioned<FirewallRule>> {
  const rule = {
    ...({ action: 'block', direction: 'both', protocol: 'any' } as const),
    ...{ module_ids: [], community_ids: [], cidrs: [], ports: [], client_ids: [] },
    ...{ priority: DEFAULT_PRIORITY, enabled: true },
    ...body,
  };
  const checked = await checkRule(tx, rule, rule);
  return insertFirewallRule(tx, { ...rule, ...checked });
}

export async function changeFirewallRule(
  tx: TenantTx,
  id: string,
  patch: FirewallRulePatch,
  version: number | null,
): Promise<Versioned<FirewallRule>> {
  await lockForChange(tx, 'firewall_rule', id, version);
  const { resource: before } = await getFirewallRule(tx, id);
  return updateFirewallRule(tx, id, await checkRule(tx, patch, { ...before, ...patch }));
}

/**
 * @param written what the caller says, of which the canonical form is returned
 * @param whole the rule as it would be
 */
async function checkRule<Written extends FirewallRulePatch>(
  tx: TenantTx,
  written: Written,
  whole: Pick<FirewallRule, 'module_ids' | 'community_ids' | 'cidrs' | 'protocol' | 'ports'>,
): Promise<Written> {
  const { networks, faults } = readNetworks('cidrs', written.cidrs);
  refuseFaults([...faults, ...portFaults(written.ports), ...wholeFaults(whole)]);
  const canonical = written.cidrs === undefined ? {} : { cidrs: networks };
  return { ...written, ...(await readReferences(tx, written)), ...canonical };
}

function portFaults(ports: readonly string[] = []): FieldFault[] {
  return ports.flatMap((text, index) => {
    const [first = 0, last = first] = text.split('-').map(Number);
    if (first >= 1 && first <= last && last <= LAST_PORT) return [];
    const detail = `${text} is neither a port from 1 to ${LAST_PORT} nor an ascending range of ports.`;
    return [{ pointer: `/ports/${index}`, detail }];
  });
}

function wholeFaults({
  module_ids,
  community_ids,
  cidrs,
  protocol,
  ports,
}: Parameters<typeof checkRule>[2]): FieldFault[] {
  const faults: FieldFault[] = [];
  if (module_ids.length + community_ids.length + cidrs.length === 0)
    faults.push({
      pointer: '/cidrs',
      detail:
        'The rule lists nothing. Name modules (module_ids), communities (community_ids) or networks (cidrs).',
    });
  if (ports.length > 0 && protocol !== 'tcp' && protocol !== 'udp')
    faults.push({
      pointer: '/ports',
      detail: `The protocol ${protocol} has no ports. Set the protocol to tcp or udp, or leave the ports out.`,
    });
  return faults;
}
