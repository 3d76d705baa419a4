import { Type, type Static } from 'typebox';
import { Cidr } from './firewall-clients.ts';
import { SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { Id, Strict, listQuery, resourceMembers } from '../shapes/page.ts';

export const FirewallAction = Type.Enum(['block', 'accept'], {
  description: 'What happens to packets that match; of several rules that match, the first one counts',
});
export type FirewallAction = Static<typeof FirewallAction>;
export const FirewallDirection = Type.Enum(['in', 'out', 'both'], {
  description: '`in`: packets that come from the listed addresses; `out`: packets that go to them',
});
export type FirewallDirection = Static<typeof FirewallDirection>;
export const FirewallProtocol = Type.Enum(['any', 'tcp', 'udp', 'icmp'], {
  description: '`icmp` is ICMP for IPv4 and ICMPv6 for IPv6',
});
export type FirewallProtocol = Static<typeof FirewallProtocol>;

const ids = (description: string) => Type.Array(Id, { maxItems: 100, uniqueItems: true, description });

const writable = {
  name: Name('Unique in the tenant, without case'),
  action: FirewallAction,
  direction: FirewallDirection,
  module_ids: ids('Modules whose addresses it lists, as far as the latest ready revision holds them'),
  community_ids: ids('Communities whose prefixes of the latest ready revision it lists'),
  cidrs: Type.Array(Cidr, {
    maxItems: 10_000,
    uniqueItems: true,
    description: 'Networks that it lists by itself',
  }),
  protocol: FirewallProtocol,
  ports: Type.Array(
    Type.String({
      pattern: '^[0-9]{1,5}(-[0-9]{1,5})?$',
      description: 'A destination port, or a range of them, such as `443` or `8000-8100`',
      examples: ['443'],
    }),
    { maxItems: 100, uniqueItems: true, description: 'Only for `tcp` and `udp`; empty: every port' },
  ),
  priority: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Rules apply in ascending order; those of equal priority in the order of their creation',
  }),
  client_ids: ids('Clients that it is for; empty: all'),
  enabled: Type.Boolean({ description: 'Whether clients apply it' }),
};

export const FirewallRule = Strict({ ...resourceMembers, ...writable });
export type FirewallRule = Static<typeof FirewallRule>;

export const FirewallRuleCreate = Strict({
  name: writable.name,
  action: Type.Optional(
    Type.Enum(['block', 'accept'], { description: 'What happens to packets that match; default: `block`' }),
  ),
  direction: Type.Optional(
    Type.Enum(['in', 'out', 'both'], { description: 'Of the packets; default: `both`' }),
  ),
  module_ids: Type.Optional(writable.module_ids),
  community_ids: Type.Optional(writable.community_ids),
  cidrs: Type.Optional(writable.cidrs),
  protocol: Type.Optional(
    Type.Enum(['any', 'tcp', 'udp', 'icmp'], { description: 'Of the packets; default: `any`' }),
  ),
  ports: Type.Optional(writable.ports),
  priority: Type.Optional(writable.priority),
  client_ids: Type.Optional(writable.client_ids),
  enabled: Type.Optional(writable.enabled),
});
export type FirewallRuleCreate = Static<typeof FirewallRuleCreate>;

export const FirewallRulePatch = Type.Partial(Strict(writable), {
  additionalProperties: false,
  minProperties: 1,
});
export type FirewallRulePatch = Static<typeof FirewallRulePatch>;

export const FirewallRuleQuery = listQuery({
  action: Type.Optional(FirewallAction),
  direction: Type.Optional(FirewallDirection),
  enabled: Type.Optional(Type.Boolean()),
  client_id: Type.Optional(Id),
  q: Type.Optional(SearchText),
});
export type FirewallRuleQuery = Static<typeof FirewallRuleQuery>;
