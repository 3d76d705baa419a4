import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import {
  communitiesQuery,
  modulesQuery,
  peersQuery,
  removedModulesQuery,
  speakersQuery,
} from '../../service/queries.ts';
import { firewallClientsQuery, policiesQuery } from '../../service/host.ts';
import { RevisionLink } from './RevisionLink.tsx';

/** Seldom needed. */
const Former = lazy(async () => ({ default: (await import('./Former.tsx')).Former }));

interface ResourceLinkProps {
  /** As the API and the audit log call it. */
  readonly type: string;
  readonly id: string;
  /** As it was called; null: as it is called now. */
  readonly name: string | null;
}

/** Leads to a thing of which the kind and the id are known. */
export function ResourceLink({ type, id, name }: ResourceLinkProps) {
  switch (type) {
    case 'module':
      return <ModuleLink id={id} name={name} />;
    case 'speaker':
      return <SpeakerLink id={id} name={name} />;
    case 'peer':
      return <PeerLink id={id} name={name} />;
    case 'revision':
      return <RevisionLink id={id} />;
    case 'firewall_client':
      return <HostLink id={id} name={name} />;
    case 'webhook':
      return (
        <Link className="name" to="/webhooks/$webhookId" params={{ webhookId: id }}>
          {name ?? id}
        </Link>
      );
    case 'job':
      return (
        <Link to="/jobs/$jobId" params={{ jobId: id }}>
          {name ?? id}
        </Link>
      );
    default:
      return <InList type={type} id={id} name={name} />;
  }
}

/** Pages of lists whose things have none of their own. */
const LISTS = {
  community: '/communities',
  doh_profile: '/resolvers',
  feed: '/feeds',
  api_key: '/keys',
  firewall_rule: '/firewall',
  maintenance_policy: '/maintenance',
  tenant: '/tenants',
} as const satisfies Readonly<Record<string, string>>;

/** The list that a thing is in, with nothing else in it. */
function InList({ type, id, name }: ResourceLinkProps) {
  const isPolicy = type === 'maintenance_policy';
  const isCommunity = type === 'community';
  // Jobs are of these, and have no name of what they are about.
  const { data: policies } = useQuery({ ...policiesQuery, enabled: isPolicy && name === null });
  const { data: communities } = useQuery({ ...communitiesQuery, enabled: isCommunity && name === null });
  const value = communities?.find((one) => one.id === id)?.community;
  const shown = name ?? (isPolicy ? nameOf(policies, id) : (value ?? id));
  if (type === 'settings') return <Link to="/settings">{shown}</Link>;
  if (!Object.hasOwn(LISTS, type)) return <span className="name">{shown}</span>;
  return (
    <Link
      className="name"
      to={LISTS[type as keyof typeof LISTS]}
      search={{ find: isCommunity ? communityIn(shown) : shown }}
    >
      {shown}
    </Link>
  );
}

/** The audit log names a community by its value and its title, which are two columns of the list. */
function communityIn(name: string): string {
  return /^\d+(?::\d+){1,2}(?= )/.exec(name)?.[0] ?? name;
}

type Named = Omit<ResourceLinkProps, 'type'>;

/** Of one that was deleted as well, as long as its name is known. */
export function ModuleLink({ id, name }: Named) {
  const { data: modules } = useQuery({ ...modulesQuery, enabled: name === null });
  const isThere = modules?.some((one) => one.id === id) !== false;
  const { data: removed = [] } = useQuery({ ...removedModulesQuery, enabled: name === null && !isThere });
  return (
    <Link className="name" to="/modules/$moduleId" params={{ moduleId: id }}>
      {name ?? nameOf(modules && [...modules, ...removed], id)}
    </Link>
  );
}

export function SpeakerLink({ id, name }: Named) {
  const { data: speakers } = useQuery({ ...speakersQuery, enabled: name === null });
  if (name === null && isGoneFrom(speakers, id)) return <Gone id={id} />;
  return (
    <Link className="name" to="/speakers/$speakerId" params={{ speakerId: id }}>
      {name ?? nameOf(speakers, id)}
    </Link>
  );
}

export function PeerLink({ id, name }: Named) {
  const { data: peers } = useQuery({ ...peersQuery, enabled: name === null });
  if (name === null && isGoneFrom(peers, id)) return <Gone id={id} />;
  const shown = name ?? nameOf(peers, id);
  return (
    <Link className="name" to="/peers/$peerId" params={{ peerId: id }} title={shown}>
      {shown}
    </Link>
  );
}

/** Of a host that keeps firewall rules. */
export function HostLink({ id, name }: Named) {
  const { data: hosts } = useQuery({
    ...firewallClientsQuery,
    enabled: name === null,
    refetchInterval: false,
  });
  const shown = name ?? nameOf(hosts, id);
  return (
    <Link className="name" to="/firewall/$hostId" params={{ hostId: id }} title={shown}>
      {shown}
    </Link>
  );
}

function Gone({ id }: { readonly id: string }) {
  return (
    <Suspense fallback="…">
      <Former id={id} />
    </Suspense>
  );
}

function isGoneFrom(all: readonly { readonly id: string }[] | undefined, id: string): boolean {
  return all?.every((one) => one.id !== id) === true;
}

/** @param all undefined: they are still being read */
function nameOf(
  all: readonly { readonly id: string; readonly name: string }[] | undefined,
  id: string,
): string {
  if (all === undefined) return '…';
  return all.find((one) => one.id === id)?.name ?? id;
}
