import type { Schemas } from '@prefixcast/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Badge } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { Empty } from '../../design/messages/Empty.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { client } from '../../service/client.ts';
import { firewallClientsQuery, installContextQuery } from '../../service/host.ts';
import { useMay } from '../../service/permissions.ts';
import { text } from '../../strings/english.ts';
import { firewallText } from '../../strings/host.ts';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Problem } from '../../views/faults/Problem.tsx';

type Host = Schemas['FirewallClient'];

const COLUMNS: readonly Column<Host>[] = [
  {
    name: firewallText.client,
    value: ({ name }) => name,
    cell: ({ name }) => (
      <span className="name" title={name}>
        {name}
      </span>
    ),
  },
  {
    name: firewallText.state,
    value: ({ online }) => (online ? firewallText.online : firewallText.offline),
    cell: ({ online }) => (
      <Badge tone={online ? 'good' : 'bad'}>{online ? firewallText.online : firewallText.offline}</Badge>
    ),
  },
  {
    name: firewallText.tabs.rules,
    value: ({ ruleset_hash, applied_ruleset_hash }) => String(ruleset_hash === applied_ruleset_hash),
    cell: ({ ruleset_hash, applied_ruleset_hash }) => {
      const isCurrent = ruleset_hash !== null && ruleset_hash === applied_ruleset_hash;
      return (
        <Badge tone={isCurrent ? 'good' : 'warning'}>
          {isCurrent ? firewallText.current : firewallText.behind}
        </Badge>
      );
    },
  },
  {
    name: firewallText.seen,
    value: ({ last_seen_at }) => last_seen_at ?? '',
    cell: ({ last_seen_at: at }) =>
      at === null ? <span className="muted">{text.never}</span> : <Time at={at} />,
  },
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

export function Hosts() {
  return (
    <>
      <Loaded query={useQuery(firewallClientsQuery)}>
        {(hosts) =>
          hosts.length === 0 ? (
            <Empty
              title={firewallText.noClients}
              what={firewallText.noClientsWhat}
              action={<Enroll />}
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
              <Enroll />
            </>
          )
        }
      </Loaded>
    </>
  );
}

/** The command of the service, with a token in it. */
function Enroll() {
  const may = useMay();
  const context = useQuery(installContextQuery);
  const token = useMutation({ mutationFn: () => client.post('/v1/firewall/enrollment-tokens') });
  if (!may('bgp:firewall:write') || !may('bgp:keys:write')) return null;
  if (token.data === undefined || context.data === undefined)
    return (
      <>
        {token.error !== null && <Problem error={token.error} onRetry={() => token.mutate()} />}
        <p>
          <Button isBusy={token.isPending} onClick={() => token.mutate()}>
            {firewallText.enroll}
          </Button>
        </p>
      </>
    );
  const command = context.data.install_command.replace(/\bTOKEN\b/, () => token.data.token);
  return (
    <div>
      <p>{firewallText.enrollWhat}</p>
      <p className="command">
        <code>{command}</code>
        <Copy value={command} name={firewallText.enroll} />
      </p>
    </div>
  );
}
