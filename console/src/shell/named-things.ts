/** What the palette finds by its name: things with a page of their own, and others in the list that they are in. */
import { useQuery } from '@tanstack/react-query';
import type { NavigateOptions } from '@tanstack/react-router';
import { firewallClientsQuery, rulesQuery } from '../service/host.ts';
import { feedsQuery, webhooksQuery } from '../service/outlets.ts';
import { useMay } from '../service/permissions.ts';
import {
  communitiesQuery,
  modulesQuery,
  peersQuery,
  resolversQuery,
  speakersQuery,
} from '../service/queries.ts';
import { text } from '../strings/english.ts';

interface Thing {
  readonly id: string;
  readonly label: string;
  /** What it is found by as well, such as an address. */
  readonly also?: readonly string[];
  readonly to: NavigateOptions;
}

export interface ThingsOfKind {
  readonly kind: string;
  readonly of: readonly Thing[];
}

export function useNamedThings(): readonly ThingsOfKind[] {
  const may = useMay();
  const readsFirewall = may('bgp:firewall:read');
  const { data: modules = [] } = useQuery(modulesQuery);
  const { data: peers = [] } = useQuery(peersQuery);
  const { data: speakers = [] } = useQuery(speakersQuery);
  const { data: communities = [] } = useQuery(communitiesQuery);
  const { data: resolvers = [] } = useQuery(resolversQuery);
  const { data: feeds = [] } = useQuery({ ...feedsQuery, enabled: may('bgp:feeds:read') });
  const { data: webhooks = [] } = useQuery({ ...webhooksQuery, enabled: may('bgp:webhooks:read') });
  const { data: rules = [] } = useQuery({ ...rulesQuery, enabled: readsFirewall });
  const { data: hosts = [] } = useQuery({
    ...firewallClientsQuery,
    ...{ enabled: readsFirewall, refetchInterval: false },
  });
  const { kinds } = text.palette;
  return [
    {
      kind: kinds.module,
      of: modules.map(({ id, name }) => ({
        ...{ id, label: name },
        to: { to: '/modules/$moduleId', params: { moduleId: id } },
      })),
    },
    {
      kind: kinds.peer,
      of: peers.map(({ id, name, address }) => ({
        ...{ id, label: name, also: [address] },
        to: { to: '/peers/$peerId', params: { peerId: id } },
      })),
    },
    {
      kind: kinds.speaker,
      of: speakers.map(({ id, name }) => ({
        ...{ id, label: name },
        to: { to: '/speakers/$speakerId', params: { speakerId: id } },
      })),
    },
    {
      kind: kinds.community,
      of: communities.map(({ id, community, title }) => ({
        ...{ id, label: `${community} ${title}` },
        to: { to: '/communities', search: { find: community } },
      })),
    },
    {
      kind: kinds.host,
      of: hosts.map(({ id, name, hostname }) => ({
        ...{ id, label: name, also: [hostname] },
        to: { to: '/firewall/$hostId', params: { hostId: id } },
      })),
    },
    {
      kind: kinds.rule,
      of: rules.map(({ id, name }) => ({
        ...{ id, label: name },
        to: { to: '/firewall', search: { find: name } },
      })),
    },
    {
      kind: kinds.feed,
      of: feeds.map(({ id, name }) => ({
        ...{ id, label: name },
        to: { to: '/feeds', search: { find: name } },
      })),
    },
    {
      kind: kinds.webhook,
      of: webhooks.map(({ id, name }) => ({
        ...{ id, label: name },
        to: { to: '/webhooks/$webhookId', params: { webhookId: id } },
      })),
    },
    {
      kind: kinds.resolver,
      of: resolvers.map(({ id, name }) => ({
        ...{ id, label: name },
        to: { to: '/resolvers', search: { find: name } },
      })),
    },
  ];
}
