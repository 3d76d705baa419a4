import {
  FirewallRule,
  FirewallRuleCreate,
  FirewallRulePatch,
  FirewallRuleQuery,
} from '../../../api/firewall/firewall-rules.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { changeFirewallRule, createFirewallRule } from '../../../control/firewall/rules.ts';
import {
  deleteFirewallRule,
  getFirewallRule,
  listFirewallRules,
} from '../../../store/firewall/firewall-rules.ts';
import { created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'firewall';
const path = '/v1/firewall/rules';
const item = `${path}/{id}` as const;
const params = { id: 'firewall rule' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getFirewallRule(tx, id);

export const firewallRuleRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listFirewallRules',
    permission: 'bgp:firewall:read',
    tag,
    summary: 'List firewall rules',
    description: 'With `client_id` those that apply to this client, which includes rules for all clients.',
    status: 200,
    query: FirewallRuleQuery,
    response: PageOf(FirewallRule),
    handler: async ({ tx, query }) => ({ body: await listFirewallRules(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createFirewallRule',
    permission: 'bgp:firewall:write',
    audit: 'firewall_rule.create',
    read: CREATED,
    tag,
    summary: 'Create a firewall rule',
    description:
      'Clients apply it within seconds. It lists what the latest revision holds that is ready and not held.',
    status: 201,
    problems: ['conflict'],
    body: FirewallRuleCreate,
    example: { name: 'scanners', action: 'block', direction: 'in', cidrs: ['198.51.100.0/24'] },
    response: FirewallRule,
    handler: async ({ tx, body }) => created(path, await createFirewallRule(tx, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getFirewallRule',
    permission: 'bgp:firewall:read',
    tag,
    summary: 'Read a firewall rule',
    status: 200,
    params,
    response: FirewallRule,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeFirewallRule',
    permission: 'bgp:firewall:write',
    audit: 'firewall_rule.change',
    read,
    tag,
    summary: 'Change a firewall rule',
    status: 200,
    problems: ['conflict'],
    params,
    body: FirewallRulePatch,
    example: { priority: 100, enabled: false },
    response: FirewallRule,
    handler: async ({ tx, params: { id }, body, ifMatch }) =>
      readResource(await changeFirewallRule(tx, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteFirewallRule',
    permission: 'bgp:firewall:write',
    audit: 'firewall_rule.delete',
    read,
    tag,
    summary: 'Delete a firewall rule',
    status: 204,
    params,
    handler: async ({ tx, params: { id }, ifMatch }) => {
      await deleteFirewallRule(tx, id, ifMatch);
      return {};
    },
  }),
];
