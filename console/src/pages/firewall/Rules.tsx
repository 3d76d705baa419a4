import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { hostsLeftWithout } from '../../../../src/api/firewall/accepting-rules.ts';
import { firewallClientsQuery, rulesQuery } from '../../service/host.ts';
import { communitiesQuery, modulesQuery } from '../../service/queries.ts';
import { formatList } from '../../strings/format.ts';
import { firewallText } from '../../strings/host.ts';
import type { Column } from '../../views/tables/DataTable.tsx';
import { Records } from '../../views/records/Records.tsx';
import type { Choice, FormField } from '../../views/forms/RecordForm.tsx';
import { FirstOf } from '../../views/resources/FirstOf.tsx';
import { HostLink } from '../../views/resources/ResourceLink.tsx';
import { RULE_STATE, useRuleColumns, type Rule } from './rule-columns.tsx';

export function Rules() {
  const { data: modules = [] } = useQuery(modulesQuery);
  const { data: communities = [] } = useQuery(communitiesQuery);
  const { data: clients = [] } = useQuery(firewallClientsQuery);
  const rules = useQuery(rulesQuery);
  /** What hosts of the policy accept do without the rule, or with it as it is then. */
  const warningOf = (rule: Rule, after: Rule | null): string | null => {
    const left = hostsLeftWithout(clients, rules.data ?? [], rule.id, after);
    return left.length === 0 ? null : firewallText.leftWithout(formatList(left.map(({ name }) => name)));
  };
  const columns = useRuleColumns(({ name }) => (
    <span className="name" title={name}>
      {name}
    </span>
  ));
  const hostsOf = ({ client_ids: ids }: Rule): string =>
    ids.length === 0
      ? firewallText.allHosts
      : ids.map((id) => clients.find((host) => host.id === id)?.name ?? id).join(', ');
  const hosts: Column<Rule> = {
    name: firewallText.hosts,
    value: hostsOf,
    cell: ({ client_ids: ids }) =>
      ids.length === 0 ? (
        <Link to="/firewall" search={{ tab: 'clients' }}>
          {firewallText.allHosts}
        </Link>
      ) : (
        <span className="several">
          <FirstOf
            ids={ids}
            link={(id) => <HostLink id={id} name={clients.find((host) => host.id === id)?.name ?? null} />}
          />
        </span>
      ),
  };
  return (
    <Records
      title={firewallText.tabs.rules}
      query={rules}
      columns={[...columns, hosts, RULE_STATE]}
      path="/v1/firewall/rules"
      fields={fieldsOf(
        modules.map(({ id, name }) => ({ value: id, label: name })),
        communities.map(({ id, community, title }) => ({ value: id, label: `${community} ${title}` })),
        clients.map(({ id, name }) => ({ value: id, label: name })),
      )}
      permission="bgp:firewall:write"
      madeAgain={{ said: firewallText.ruleBack }}
      beforeDeletion={(rule) => <Warning said={warningOf(rule, null)} />}
      warningOf={(rule, changes) => warningOf(rule, { ...rule, ...changes })}
      nameOf={({ name }) => name}
      create={firewallText.createRule}
      empty={{ title: firewallText.emptyTitle, what: firewallText.empty, command: firewallText.command }}
    />
  );
}

function Warning({ said }: { said: string | null }) {
  return said !== null && <p className="banner">{said}</p>;
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
