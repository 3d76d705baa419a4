import type { Permission } from '../../../src/api/access/permissions.ts';
import { text } from '../strings/english.ts';

interface Place {
  readonly to: string;
  readonly name: string;
  /** What goes there after `g`. */
  readonly key: string;
  /** Without it, the page has nothing to show. */
  readonly permission?: Permission;
}

const { navigation: names } = text;

/** Pages of the navigation, in groups: what all look at, what happened, what is set up once, and what the service needs. */
export const PLACE_GROUPS = [
  {
    title: null,
    places: [
      { to: '/', name: names.overview, key: 'o' },
      { to: '/lookup', name: names.lookup, key: 'l' },
      { to: '/modules', name: names.modules, key: 'm' },
      { to: '/sources', name: names.sources, key: 'q' },
      { to: '/revisions', name: names.revisions, key: 'r' },
      { to: '/applies', name: names.applies, key: 'a' },
      { to: '/sessions', name: names.sessions, key: 's' },
    ],
  },
  {
    title: names.activity,
    places: [
      { to: '/jobs', name: names.jobs, key: 'j' },
      { to: '/audit', name: names.audit, key: 'u', permission: 'bgp:monitoring:read' },
    ],
  },
  {
    title: names.setup,
    places: [
      { to: '/peers', name: names.peers, key: 'p' },
      { to: '/communities', name: names.communities, key: 'c' },
      { to: '/resolvers', name: names.resolvers, key: 'v' },
      { to: '/feeds', name: names.feeds, key: 'f' },
      { to: '/webhooks', name: names.webhooks, key: 'b', permission: 'bgp:webhooks:read' },
      { to: '/firewall', name: names.firewall, key: 'w', permission: 'bgp:firewall:read' },
      { to: '/keys', name: names.keys, key: 'k', permission: 'bgp:keys:read' },
      { to: '/settings', name: names.settings, key: 'e' },
    ],
  },
  {
    title: names.service,
    places: [
      { to: '/tenants', name: names.tenants, key: 't', permission: 'tenants:read' },
      { to: '/maintenance', name: names.maintenance, key: 'n', permission: 'bgp:maintenance:read' },
      { to: '/logs', name: names.logs, key: 'h', permission: 'bgp:logs:read' },
      { to: '/database', name: names.database, key: 'd', permission: 'bgp:postgres:read' },
    ],
  },
] as const satisfies readonly { readonly title: string | null; readonly places: readonly Place[] }[];

type PlaceOf<Group> = Group extends { readonly places: readonly (infer One)[] } ? One : never;
export type PlaceTo = PlaceOf<(typeof PLACE_GROUPS)[number]>['to'];

export const PLACES: readonly (Place & { readonly to: PlaceTo })[] = PLACE_GROUPS.flatMap(({ places }) => [
  ...places,
]);

/** What the key of the session may not read is not offered. */
export function mayGoTo({ permission }: Place, may: (permission: Permission) => boolean): boolean {
  return permission === undefined || may(permission);
}
