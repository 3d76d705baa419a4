/** The table of nouns: list, get, create, edit and delete of each are made of its row. */
import { MODULE_TYPES } from '../../api/entries/entry-kinds.ts';
import { CLIENT, DOH, KEY, POLICY, RULE, TENANT } from './access-nouns.ts';
import { DESCRIPTION, ENABLED, FAMILIES } from './fields.ts';
import { column, minor, wide, type Field, type Item, type Noun, type NounName } from './noun.ts';
import { FEED, WEBHOOK } from './outlet-nouns.ts';

/** @param where a next hop that the other of community and peer sets does not count */
const nextHops = (where: string): Readonly<Record<string, Field>> =>
  Object.fromEntries(
    (['4', '6'] as const).map((version) => [
      `next-hop-ipv${version}`,
      {
        ...{ member: `next_hop_ipv${version}`, kind: 'text', value: 'ADDRESS' },
        about: `of its IPv${version} routes, ${where}`,
      } satisfies Field,
    ]),
  );

const RESOLVING: Readonly<Record<string, Field>> = {
  'doh-strategy': {
    ...{ member: 'doh_resolver_policy', inner: 'strategy', kind: 'text', value: 'STRATEGY' },
    choices: ['first_success', 'union', 'quorum'],
    about: 'of several resolvers: the first that answers, all of their addresses, or those that several give',
  },
  'doh-quorum': {
    ...{ member: 'doh_resolver_policy', inner: 'quorum', kind: 'number', value: 'N' },
    about: 'resolvers that must agree with the strategy quorum; none: more than half',
  },
  'doh-retain': {
    ...{ member: 'doh_resolver_policy', inner: 'retain_seconds', kind: 'duration', value: 'DURATION' },
    about: 'how long an address stays after it was last seen, such as 6h; none: a day',
  },
  'doh-max-addresses': {
    ...{ member: 'doh_resolver_policy', inner: 'max_addresses', kind: 'number', value: 'N' },
    about: 'of one domain; none: 1000',
  },
  'doh-concurrency': {
    ...{ member: 'doh_resolver_policy', inner: 'concurrency', kind: 'number', value: 'N' },
    about: 'queries at a time; none: 32',
  },
};

const MODULE: Noun = {
  name: 'module',
  plural: 'modules',
  words: 'module',
  path: '/v1/modules',
  isRestorable: true,
  names: ['name'],
  columns: [
    column('NAME', 'name'),
    minor(2, 'TYPE', 'type'),
    column('STATE', stateOfModule),
    minor(3, 'COMMUNITY', 'community_id', 'community'),
    minor(1, 'ENTRIES', 'entry_count'),
    column('IPV4', 'prefix_count.ipv4'),
    column('IPV6', 'prefix_count.ipv6'),
    wide('PURPOSE', 'purpose'),
    wide('PENDING', 'pending_changes.count'),
    wide('INTERVAL', 'refresh_interval_seconds'),
    wide('REFRESHED', 'last_refreshed_at'),
    wide('DESCRIPTION', 'description'),
  ],
  fields: {
    type: {
      member: 'type',
      kind: 'text',
      value: 'TYPE',
      choices: MODULE_TYPES,
      about: 'what its entries are',
      isRequired: true,
      isFixed: true,
    },
    community: { member: 'community_id', kind: 'reference', noun: 'community', about: 'of its routes' },
    purpose: {
      member: 'purpose',
      kind: 'text',
      value: 'PURPOSE',
      choices: ['announce', 'exclude'],
      about: 'exclude removes its addresses from all routes',
    },
    interval: {
      member: 'refresh_interval_seconds',
      kind: 'duration',
      value: 'DURATION',
      about: 'between refreshes, such as 10m; none: only on request',
    },
    doh: { member: 'doh_profile_ids', kind: 'references', noun: 'doh', about: 'resolvers of its domains' },
    ...RESOLVING,
    families: FAMILIES,
    'can-be-empty': {
      member: 'can_be_empty',
      kind: 'flag',
      about: 'whether an answer without prefixes is accepted',
    },
    enabled: ENABLED,
    description: DESCRIPTION,
  },
  isAnnouncing: true,
  example: 'scanners --type IP_RANGES --community 64500:666',
};

function stateOfModule({ enabled, held, last_refresh: last }: Item): string {
  if (enabled === false) return held === null ? 'disabled' : 'disabled, held';
  if (held !== null) return 'held';
  return ((last as { status?: string } | null)?.status ?? 'new').replaceAll('_', ' ');
}

const COMMUNITY: Noun = {
  name: 'community',
  plural: 'communities',
  words: 'community',
  path: '/v1/communities',
  names: ['community', 'title'],
  exactName: 'title',
  columns: [
    column('COMMUNITY', 'community'),
    column('TITLE', 'title'),
    wide('NEXT HOP IPV4', 'next_hop_ipv4'),
    wide('NEXT HOP IPV6', 'next_hop_ipv6'),
    wide('DESCRIPTION', 'description'),
  ],
  fields: {
    title: { member: 'title', kind: 'text', value: 'TEXT', about: 'what its routes are', isRequired: true },
    color: { member: 'color', kind: 'text', value: '#RRGGBB', about: 'for people' },
    ...nextHops('where the peer sets none; of blackhole: always'),
    description: DESCRIPTION,
  },
  isAnnouncing: true,
  example: '64500:666 --title Drop',
  exampleEdit: '--title Blackhole',
};

const SPEAKER: Noun = {
  name: 'speaker',
  plural: 'speakers',
  words: 'speaker',
  path: '/v1/speakers',
  names: ['name', 'label'],
  columns: [
    column('NAME', 'name'),
    minor(2, 'DAEMON', 'daemon'),
    minor(4, 'MODE', 'mode'),
    minor(3, 'ASN', 'local_asn'),
    column('ENABLED', 'enabled'),
    column('LAST APPLY', 'last_apply.status'),
    minor(1, 'APPLIED', 'applied_at'),
    wide('ROUTER ID', 'router_id'),
    wide('LABEL', 'label'),
    wide('NODE', 'agent.hostname'),
    wide('SEEN', 'agent.last_seen_at'),
  ],
  fields: {
    daemon: {
      member: 'daemon',
      kind: 'text',
      value: 'DAEMON',
      choices: ['builtin', 'bird', 'frr', 'gobgp', 'openbgpd'],
      about: 'what holds the sessions',
      isFixed: true,
    },
    mode: {
      member: 'mode',
      kind: 'text',
      value: 'MODE',
      choices: ['local', 'agent'],
      about: 'agent: a node pulls its routes by itself',
    },
    asn: { member: 'local_asn', kind: 'asn', value: 'ASN', about: 'own AS number', isRequired: true },
    'router-id': { member: 'router_id', kind: 'text', value: 'ADDRESS', about: 'BGP identifier' },
    'local-ipv4': { member: 'local_ipv4', kind: 'text', value: 'ADDRESS', about: 'to call IPv4 peers from' },
    'local-ipv6': { member: 'local_ipv6', kind: 'text', value: 'ADDRESS', about: 'to call IPv6 peers from' },
    policies: { member: 'policies_json', kind: 'json', value: 'JSON', about: 'policies of the speaker' },
    label: { member: 'label', kind: 'text', value: 'TEXT', about: 'for people' },
    enabled: ENABLED,
  },
  isAnnouncing: true,
  example: 'frankfurt --daemon bird --mode agent --asn 64500',
};

const PEER: Noun = {
  name: 'peer',
  plural: 'peers',
  words: 'peer',
  path: '/v1/peers',
  names: ['name'],
  columns: [
    column('NAME', 'name'),
    minor(1, 'ADDRESS', 'address'),
    minor(2, 'ASN', 'remote_asn'),
    column('STATE', stateOfPeer),
    minor(3, 'CONNECTED', 'connected_speaker_id', 'speaker'),
    column('ENABLED', 'enabled'),
    wide('PORT', 'port'),
    wide('SPEAKERS', 'speaker_ids', 'speaker'),
    wide('COMMUNITIES', 'community_ids', 'community'),
    wide('FAMILIES', 'families'),
    wide('DESCRIPTION', 'description'),
  ],
  fields: {
    address: { member: 'address', kind: 'text', value: 'ADDRESS', about: 'of the router', isRequired: true },
    asn: {
      member: 'remote_asn',
      kind: 'asn',
      value: 'ASN',
      about: 'AS number of the router',
      isRequired: true,
    },
    port: { member: 'port', kind: 'number', value: 'PORT', about: 'that the speaker connects to' },
    speaker: {
      member: 'speaker_ids',
      kind: 'references',
      noun: 'speaker',
      about: 'that peer with it; all, or none named: every enabled speaker, new ones too',
      emptyMeansAll: { insteadOfNone: 'use --enabled no to let none peer with it' },
    },
    community: {
      member: 'community_ids',
      kind: 'references',
      noun: 'community',
      about: 'whose routes it is sent; all: of every community',
      emptyMeansAll: { insteadOfNone: 'use --enabled no to send it nothing' },
    },
    families: FAMILIES,
    passive: { member: 'passive', kind: 'flag', about: 'whether the speaker waits for its connection' },
    multihop: { member: 'multihop', kind: 'number', value: 'HOPS', about: 'to the router at most' },
    'hold-time': {
      member: 'hold_time',
      kind: 'duration',
      value: 'DURATION',
      about: 'such as 90s; 0: without keepalives',
    },
    'max-prefixes': {
      member: 'max_prefixes_out',
      kind: 'number',
      value: 'N',
      about: 'of routes',
    },
    'when-too-many': {
      member: 'when_too_many',
      kind: 'text',
      value: 'WHAT',
      choices: ['keep', 'fit'],
      about: 'keep: it keeps what it has; fit: it is sent a cover that adds a few addresses',
    },
    password: {
      member: 'password',
      kind: 'secret',
      value: 'SOURCE',
      about:
        'TCP MD5: @FILE, whose first line it is; - to type it, or from standard input; none: without. The builtin speaker has none',
    },
    bfd: {
      member: 'bfd',
      kind: 'flag',
      about: 'whether BFD watches the session; the builtin speaker has none',
    },
    'graceful-restart': {
      member: 'graceful_restart',
      kind: 'flag',
      about: 'whether it is asked to keep routes while the speaker is down',
    },
    ...nextHops('but of blackholes with their own'),
    enabled: ENABLED,
    description: DESCRIPTION,
  },
  isAnnouncing: true,
  labels: { session_on_speakers: 'sessions', session_mismatch: 'sessions amiss' },
  example: 'edge1 --address 192.0.2.1 --asn 64496',
};

function stateOfPeer({ session_on_speakers: sessions }: Item): string {
  const states = (sessions as { state: string }[]).map(({ state }) => state);
  return states.includes('established') ? 'established' : (states[0] ?? 'none');
}

export const NOUNS: Readonly<Record<NounName, Noun>> = {
  module: MODULE,
  community: COMMUNITY,
  speaker: SPEAKER,
  peer: PEER,
  doh: DOH,
  key: KEY,
  tenant: TENANT,
  rule: RULE,
  client: CLIENT,
  policy: POLICY,
  feed: FEED,
  webhook: WEBHOOK,
};
