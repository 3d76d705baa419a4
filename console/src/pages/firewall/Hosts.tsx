import { useQuery } from '@tanstack/react-query';
import { Badge } from '../../design/shown/Badge.tsx';
import { Empty } from '../../design/messages/Empty.tsx';
import { firewallClientsQuery } from '../../service/host.ts';
import { firewallText } from '../../strings/host.ts';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { timeColumn } from '../../views/tables/shared-columns.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { HostLink } from '../../views/resources/ResourceLink.tsx';
import { EnrollHost } from './EnrollHost.tsx';
import { hostState, rulesetState, type Host } from './host-parts.ts';

const COLUMNS: readonly Column<Host>[] = [
  {
    name: firewallText.client,
    value: ({ name }) => name,
    cell: ({ id, name }) => <HostLink id={id} name={name} />,
  },
  stateColumn(firewallText.state, hostState),
  stateColumn(firewallText.tabs.rules, rulesetState),
  {
    name: firewallText.policy,
    value: ({ policy }) => policy,
    cell: ({ policy }) => policy,
  },
  timeColumn(firewallText.seen, ({ last_seen_at }) => last_seen_at),
  {
    name: firewallText.hostname,
    value: ({ hostname }) => hostname,
    cell: ({ hostname }) => (
      <code className="name" title={hostname}>
        {hostname}
      </code>
    ),
  },
  {
    name: firewallText.error,
    value: ({ last_error }) => last_error ?? '',
    cell: ({ last_error }) => (
      <span className="name" title={last_error ?? undefined}>
        {last_error}
      </span>
    ),
  },
];

function stateColumn(name: string, stateOf: typeof hostState): Column<Host> {
  return {
    name,
    value: (host) => stateOf(host).word,
    cell: (host) => <Badge tone={stateOf(host).tone}>{stateOf(host).word}</Badge>,
  };
}

export function Hosts() {
  return (
    <>
      <Loaded query={useQuery(firewallClientsQuery)}>
        {(hosts) =>
          hosts.length === 0 ? (
            <Empty
              title={firewallText.noClients}
              what={firewallText.noClientsWhat}
              action={<EnrollHost />}
              command={firewallText.clientCommand}
            />
          ) : (
            <>
              <DataTable
                caption={firewallText.tabs.clients}
                columns={COLUMNS}
                rows={hosts}
                keyOf={({ id }) => id}
                file="firewall-hosts"
              />
              <EnrollHost />
            </>
          )
        }
      </Loaded>
    </>
  );
}
