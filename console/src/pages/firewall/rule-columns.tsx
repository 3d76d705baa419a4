/** Columns that the table of all rules and that of one host share. */
import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { communitiesQuery, modulesQuery } from '../../service/queries.ts';
import { formatNumber } from '../../strings/format.ts';
import { firewallText } from '../../strings/host.ts';
import { Community } from '../../views/resources/Community.tsx';
import { FirstOf, NAMED } from '../../views/resources/FirstOf.tsx';
import { ModuleLink } from '../../views/resources/ResourceLink.tsx';
import type { Column } from '../../views/tables/column.ts';

export type Rule = Schemas['FirewallRule'];

/** What a rule refers to, by id. */
interface Named {
  readonly modules: ReadonlyMap<string, string>;
  readonly communities: ReadonlyMap<string, string>;
}

export function useRuleColumns(nameOf: (rule: Rule) => ReactNode): readonly Column<Rule>[] {
  const { data: modules } = useQuery(modulesQuery);
  const { data: communities } = useQuery(communitiesQuery);
  const named = useMemo<Named>(
    () => ({
      modules: new Map(modules?.map(({ id, name }) => [id, name])),
      communities: new Map(communities?.map(({ id, community }) => [id, community])),
    }),
    [modules, communities],
  );
  return [
    {
      ...{ name: firewallText.priority, isNumber: true },
      value: ({ priority }) => priority,
      cell: ({ priority }) => formatNumber(priority),
    },
    { name: firewallText.name, value: ({ name }) => name, cell: nameOf },
    {
      name: firewallText.action,
      value: ({ action }) => firewallText.actions[action],
      cell: ({ action }) => (
        <Badge tone={action === 'block' ? 'bad' : 'good'}>{firewallText.actions[action]}</Badge>
      ),
    },
    {
      name: firewallText.direction,
      value: ({ direction }) => firewallText.directions[direction],
      cell: ({ direction }) => firewallText.directions[direction],
    },
    {
      name: firewallText.protocol,
      value: ({ protocol, ports }) => [protocol, ...ports].join(' '),
      cell: ({ protocol, ports }) => (
        <span className={ports.length > NAMED ? 'several' : ''}>
          {protocol} <code>{ports.join(' ')}</code>
        </span>
      ),
    },
    {
      name: firewallText.addresses,
      value: (rule) => textsOf(rule, named).join(', '),
      cell: (rule) => <Addresses rule={rule} named={named} />,
    },
  ];
}

export const RULE_STATE: Column<Rule> = {
  name: firewallText.state,
  value: ({ enabled }) => (enabled ? firewallText.on : firewallText.off),
  cell: ({ enabled }) => (
    <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? firewallText.on : firewallText.off}</Badge>
  ),
};

function Addresses({ rule: { module_ids, community_ids, cidrs }, named }: { rule: Rule; named: Named }) {
  return (
    <span className="several">
      <FirstOf ids={module_ids} link={(id) => <ModuleLink id={id} name={named.modules.get(id) ?? null} />} />
      <FirstOf
        ids={community_ids}
        link={(id) => <Community community={named.communities.get(id) ?? '…'} />}
      />
      {cidrs.length <= NAMED ? <code>{cidrs.join(' ')}</code> : firewallText.networks(cidrs.length)}
    </span>
  );
}

function textsOf({ module_ids, community_ids, cidrs }: Rule, { modules, communities }: Named): string[] {
  return [
    ...module_ids.map((id) => modules.get(id) ?? id),
    ...community_ids.map((id) => communities.get(id) ?? id),
    ...cidrs,
  ];
}
