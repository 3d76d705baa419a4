import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { acceptingRules } from '../../../../src/api/firewall/accepting-rules.ts';
import { Badge } from '../../design/shown/Badge.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { firewallClientQuery, rulesOfHostQuery } from '../../service/host.ts';
import { keysQuery } from '../../service/operations.ts';
import { useMay } from '../../service/permissions.ts';
import { text } from '../../strings/english.ts';
import { firewallHostText as words } from '../../strings/firewall-host.ts';
import { firewallText } from '../../strings/host.ts';
import { kinds, titleOf } from '../../strings/kinds.ts';
import { EditAndDelete } from '../../views/forms/EditAndDelete.tsx';
import { DeletablePage } from '../../views/forms/DeletablePage.tsx';
import { Page } from '../../views/page/Page.tsx';
import { ChangesLink } from '../../views/resources/ChangesLink.tsx';
import { HOST_FIELDS, hostState, rulesetState, type Host } from './host-parts.ts';
import { HostRules } from './HostRules.tsx';

/** At the end of the page, which is near its budget. */
const HostCommands = lazy(async () => ({ default: (await import('./HostCommands.tsx')).HostCommands }));

const route = getRouteApi('/firewall/$hostId');

export function HostPage() {
  const { hostId } = route.useParams();
  return (
    <DeletablePage
      query={useQuery(firewallClientQuery(hostId))}
      path={`/v1/firewall/clients/${hostId}`}
      title={kinds.host}
      list={{ to: '/firewall', tab: 'clients', name: firewallText.tabs.clients }}
    >
      {(host) => <OneHost key={host.id} host={host} />}
    </DeletablePage>
  );
}

function OneHost({ host }: { host: Host }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** As rules are then, and not as they were when the page was opened. */
  const readAccepting = async (): Promise<number> =>
    acceptingRules(await queries.fetchQuery({ ...rulesOfHostQuery(host.id), staleTime: 0 }), host.id).length;
  const state = hostState(host);
  const ruleset = rulesetState(host);
  return (
    <Page
      title={titleOf(host.name, 'host')}
      heading={
        <>
          <span className="name">{host.name}</span> <Badge tone={state.tone}>{state.word}</Badge>{' '}
          <Badge tone={ruleset.tone}>{ruleset.word}</Badge>
        </>
      }
      actions={
        <>
          <ChangesLink id={host.id} />
          <EditAndDelete
            name={host.name}
            path={`/v1/firewall/clients/${host.id}`}
            fields={HOST_FIELDS}
            warningOf={async ({ policy }) =>
              policy === 'accept' ? words.dropsTheRest(host.name, await readAccepting()) : null
            }
            permission="bgp:firewall:write"
            deleted={words.removed(host.name)}
            lost={words.lost}
            onDeleted={() => void navigate({ to: '/firewall', search: { tab: 'clients' } })}
          />
        </>
      }
    >
      {host.last_error !== null && <p className="banner name">{host.last_error}</p>}
      {!host.online && <Away host={host} />}
      <Facts host={host} />
      <HostRules host={host} />
      <Suspense>
        <HostCommands host={host} />
      </Suspense>
    </Page>
  );
}

/** What is known of a host that does not report. */
function Away({ host: { id, last_seen_at: seen } }: { host: Host }) {
  const { data: rules = [] } = useQuery(rulesOfHostQuery(id));
  if (seen === null) return <p className="banner">{words.unheardWhat}</p>;
  const changed = rules.filter(({ updated_at: at }) => Date.parse(at) > Date.parse(seen)).length;
  return (
    <p className="banner">
      {words.away} <Time at={seen} />. {changed > 0 && words.changedSince(changed)} {words.awayWhat}
    </p>
  );
}

function Facts({ host }: { host: Host }) {
  const { applied_ruleset_hash: applied, ruleset_hash: given } = host;
  const may = useMay();
  return (
    <dl className="facts columns">
      <dt>{words.hostname}</dt>
      <dd>
        <code className="name">{host.hostname}</code> <Copy value={host.hostname} />
      </dd>
      <dt>{words.version}</dt>
      <dd className="name">{host.version ?? text.none}</dd>
      <dt>{words.policy}</dt>
      <dd>{words.policies[host.policy]}</dd>
      <dt>{words.protected}</dt>
      <dd>
        <Protected networks={host.protected} />
      </dd>
      <dt>{words.lastReport}</dt>
      <dd>{host.last_seen_at === null ? text.never : <Time at={host.last_seen_at} />}</dd>
      <dt>{words.inForce}</dt>
      <dd>
        <Hash hash={applied} />
      </dd>
      {applied !== given && (
        <>
          <dt>{words.given}</dt>
          <dd>
            <Hash hash={given} />
          </dd>
        </>
      )}
      <dt>{words.enrolled}</dt>
      <dd>
        <Time at={host.created_at} />
      </dd>
      {may('bgp:keys:read') && (
        <>
          <dt>{words.key}</dt>
          <dd>
            <Key hostId={host.id} />
          </dd>
        </>
      )}
    </dl>
  );
}

function Protected({ networks }: { networks: readonly string[] }) {
  if (networks.length === 0) return <span className="muted">{words.nothingProtected}</span>;
  return (
    <>
      <code>{networks.join(' ')}</code> <Copy value={networks.join('\n')} name={words.protected} />
    </>
  );
}

/** As much of a hash as tells two of them apart. */
const SHOWN_DIGITS = 12;

function Hash({ hash }: { hash: string | null }) {
  if (hash === null) return <span className="muted">{text.none}</span>;
  return (
    <>
      <code title={hash}>{hash.slice(0, SHOWN_DIGITS)}</code> <Copy value={hash} />
    </>
  );
}

/** The one that it signs in with. */
function Key({ hostId }: { hostId: string }) {
  const { data: keys } = useQuery(keysQuery);
  const own = keys?.find(({ firewall_client_id: of, revoked_at }) => of === hostId && revoked_at === null);
  if (keys === undefined) return '…';
  if (own === undefined) return <span className="muted">{text.none}</span>;
  return (
    <Link to="/keys" search={{ find: own.prefix }}>
      <code>{own.prefix}</code>
    </Link>
  );
}
