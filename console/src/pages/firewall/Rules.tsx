import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../design/shown/Badge.tsx';
import { firewallClientsQuery, rulesQuery } from '../../service/host.ts';
import { communitiesQuery, modulesQuery } from '../../service/queries.ts';
import { formatNumber } from '../../strings/format.ts';
import { firewallText } from '../../strings/host.ts';
import type { Column } from '../../views/tables/DataTable.tsx';
import { Records } from '../../views/records/Records.tsx';
import type { Choice, FormField } from '../../views/forms/RecordForm.tsx';

type Rule = Schemas['FirewallRule'];

const COLUMNS: readonly Column<Rule>[] = [
  {
    ...{ name: firewallText.priority, isNumber: true },
    value: ({ priority }) => priority,
    cell: ({ priority }) => formatNumber(priority),
  },
  {
    name: firewallText.name,
    value: ({ name }) => name,
    cell: ({ name }) => (
      <span className="name" title={name}>
        {name}
      </span>
    ),
  },
  {
    name: firewallText.action,
    value: ({ action }) => action,
    cell: ({ action }) => (
      <Badge tone={action === 'block' ? 'bad' : 'good'}>{firewallText.actions[action]}</Badge>
    ),
  },
  {
    name: firewallText.direction,
    value: ({ direction }) => direction,
    cell: ({ direction }) => firewallText.directions[direction],
  },
  {
    name: firewallText.protocol,
    value: ({ protocol }) => protocol,
    cell: ({ protocol, ports }) => (
      <>
        {protocol} <code>{ports.join(' ')}</code>
      </>
    ),
  },
  {
    name: firewallText.addresses,
    value: ({ cidrs }) => cidrs.join(' '),
    cell: ({ module_ids, community_ids, cidrs }) =>
      firewallText.parts(module_ids.length, community_ids.length, cidrs.length),
  },
  {
    name: firewallText.hosts,
    value: ({ client_ids }) => client_ids.length,
    cell: ({ client_ids }) =>
      client_ids.length === 0 ? firewallText.allHosts : firewallText.someHosts(client_ids.length),
  },
  {
    name: firewallText.state,
    value: ({ enabled }) => (enabled ? firewallText.on : firewallText.off),
    cell: ({ enabled }) => (
      <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? firewallText.on : firewallText.off}</Badge>
    ),
  },
];

export function Rules() {
  const { data: modules = [] } = useQuery(modulesQuery);
  const { data: communities = [] } = useQuery(communitiesQuery);
  const { data: clients = [] } = useQuery(firewallClientsQuery);
  return (
    <Records
      title={firewallText.tabs.rules}
      query={useQuery(rulesQuery)}
      columns={COLUMNS}
      path="/v1/firewall/rules"
      fields={fieldsOf(
        modules.map(({ id, name }) => ({ value: id, label: name })),
        communities.map(({ id, community, title }) => ({ value: id, label: `${community} ${title}` })),
        clients.map(({ id, name }) => ({ value: id, label: name })),
      )}
      permission="bgp:firewall:write"
      nameOf={({ name }) => name}
      create={firewallText.createRule}
      empty={{ title: firewallText.emptyTitle, what: firewallText.empty, command: firewallText.command }}
    />
  );
}

function choicesOf(labels: Readonly<Record<string, string>>): Choice[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

function fieldsOf(
  modules: readonly Choice[],
  communities: readonly Choice[],
  clients: readonly Choice[],
): FormField[] {
  return [
    { name: 'name', label: firewallText.name, isRequired: true },
    {
      ...{ name: 'action', label: firewallText.action, kind: 'choice', isRequired: true, initial: 'block' },
      choices: choicesOf(firewallText.actions),
    },
    {
      ...{ name: 'direction', label: firewallText.direction, kind: 'choice', isRequired: true },
      ...{ initial: 'both', choices: choicesOf(firewallText.directions) },
    },
    {
      ...{ name: 'module_ids', label: firewallText.modules, kind: 'many', initial: [] },
      choices: modules,
    },
    {
      ...{ name: 'community_ids', label: firewallText.communities, kind: 'many', initial: [] },
      choices: communities,
    },
    { name: 'cidrs', label: firewallText.cidrs, kind: 'lines', isMono: true },
    {
      ...{ name: 'protocol', label: firewallText.protocol, kind: 'choice', isRequired: true },
      ...{ initial: 'any', choices: ['any', 'tcp', 'udp', 'icmp'].map((value) => ({ value, label: value })) },
    },
    { name: 'ports', label: firewallText.ports, hint: firewallText.portsHint, kind: 'lines', isMono: true },
    { name: 'priority', label: firewallText.priority, hint: firewallText.priorityHint, kind: 'number' },
    {
      ...{ name: 'client_ids', label: firewallText.hosts, hint: firewallText.hostsHint },
      ...{ kind: 'many', initial: [], choices: clients },
    },
    { name: 'enabled', label: firewallText.enabled, kind: 'toggle', initial: true },
  ];
}
