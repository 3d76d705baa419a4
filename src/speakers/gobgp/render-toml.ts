/** A configuration in the syntax of GoBGP's own file. All text in it is ours, or a password of printable ASCII. */
import type { Family } from '../../core/address.ts';
import type { SpeakerModel } from '../speaker.ts';
import { AFI } from '../../bgp/capability.ts';
import type { Configuration } from './configuration.ts';
import type {
  CommunityActionMessage,
  DefinedSetMessage,
  FamilyMessage,
  MatchSetMessage,
  PeerMessage,
  PolicyMessage,
  StatementMessage,
} from './messages.ts';

export function renderToml(model: SpeakerModel, configuration: Configuration): string {
  const { sets, importPolicy, exportPolicy, peers } = configuration;
  return [
    ...table('global.config', { as: model.localAsn, 'router-id': model.routerId }),
    ...table('global.apply-policy.config', {
      'import-policy-list': [importPolicy.name],
      'default-import-policy': 'accept-route',
      'export-policy-list': [exportPolicy.name],
      'default-export-policy': 'accept-route',
    }),
    ...sets.flatMap(renderSet),
    ...[importPolicy, exportPolicy].flatMap(renderPolicy),
    ...peers.flatMap(({ message }) => (message === null ? [] : renderPeer(message))),
  ].join('\n');
}

/** TOML's arrays, strings, numbers and booleans of this kind are JSON's. */
function table(name: string, values: object): string[] {
  return entries(`[${name}]`, values);
}

function item(name: string, values: object = {}): string[] {
  return entries(`[[${name}]]`, values);
}

function entries(head: string, values: object): string[] {
  return [head, ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`), ''];
}

function renderSet({ definedType, name, list }: DefinedSetMessage): string[] {
  switch (definedType) {
    case 'NEIGHBOR':
      return item('defined-sets.neighbor-sets', { 'neighbor-set-name': name, 'neighbor-info-list': list });
    case 'COMMUNITY':
      return item('defined-sets.bgp-defined-sets.community-sets', {
        'community-set-name': name,
        'community-list': list,
      });
    case 'LARGE_COMMUNITY':
      return item('defined-sets.bgp-defined-sets.large-community-sets', {
        'large-community-set-name': name,
        'large-community-list': list,
      });
  }
}

function renderPolicy({ name, statements }: PolicyMessage): string[] {
  return [...item('policy-definitions', { name }), ...statements.flatMap(renderStatement)];
}

const ROUTE_TYPE = {
  ROUTE_TYPE_INTERNAL: 'internal',
  ROUTE_TYPE_EXTERNAL: 'external',
  ROUTE_TYPE_LOCAL: 'local',
} as const;

const DISPOSITION = { NONE: 'none', ACCEPT: 'accept-route', REJECT: 'reject-route' } as const;

function renderStatement({ name, conditions, actions }: StatementMessage): string[] {
  const at = 'policy-definitions.statements';
  const { neighborSet, communitySet, largeCommunitySet, afiSafiIn, routeType } = conditions;
  const { routeAction, community, largeCommunity, nexthop } = actions;
  const match = (path: string, key: string, set: MatchSetMessage | undefined): string[] =>
    set === undefined
      ? []
      : table(`${at}.conditions.${path}`, {
          [key]: set.name,
          'match-set-options': set.type.toLowerCase(),
        });
  const change = (path: string, action: CommunityActionMessage | undefined): string[] =>
    action === undefined
      ? []
      : [
          ...table(`${at}.actions.bgp-actions.${path}`, { options: action.type.toLowerCase() }),
          ...table(`${at}.actions.bgp-actions.${path}.${path}-method`, {
            'communities-list': action.communities,
          }),
        ];
  return [
    ...item(at, { name }),
    ...match('match-neighbor-set', 'neighbor-set', neighborSet),
    ...(afiSafiIn === undefined
      ? []
      : table(`${at}.conditions.bgp-conditions`, { 'afi-safi-in-list': afiSafiIn.map(familyName) })),
    ...(routeType === undefined
      ? []
      : table(`${at}.conditions.bgp-conditions`, { 'route-type': ROUTE_TYPE[routeType] })),
    ...match('bgp-conditions.match-community-set', 'community-set', communitySet),
    ...match('bgp-conditions.match-large-community-set', 'large-community-set', largeCommunitySet),
    ...table(`${at}.actions`, { 'route-disposition': DISPOSITION[routeAction] }),
    ...(nexthop === undefined ? [] : table(`${at}.actions.bgp-actions`, { 'set-next-hop': nexthop.address })),
    ...change('set-community', community),
    ...change('set-large-community', largeCommunity),
  ];
}

function renderPeer({
  conf,
  ebgpMultihop,
  timers,
  transport,
  gracefulRestart,
  afiSafis,
}: PeerMessage): string[] {
  const { holdTime, keepaliveInterval, connectRetry, idleHoldTimeAfterReset } = timers.config;
  return [
    ...item('neighbors'),
    ...table('neighbors.config', {
      'neighbor-address': conf.neighborAddress,
      'peer-as': conf.peerAsn,
      'local-as': conf.localAsn,
      description: conf.description,
      ...(conf.authPassword === '' ? {} : { 'auth-password': conf.authPassword }),
    }),
    ...(ebgpMultihop.enabled
      ? table('neighbors.ebgp-multihop.config', { enabled: true, 'multihop-ttl': ebgpMultihop.multihopTtl })
      : []),
    ...table('neighbors.timers.config', {
      'connect-retry': connectRetry,
      'hold-time': holdTime,
      'keepalive-interval': keepaliveInterval,
      'idle-hold-time-after-reset': idleHoldTimeAfterReset,
    }),
    ...table('neighbors.transport.config', {
      ...(transport.localAddress === '' ? {} : { 'local-address': transport.localAddress }),
      'passive-mode': transport.passiveMode,
      'remote-port': transport.remotePort,
    }),
    ...(gracefulRestart.enabled
      ? table('neighbors.graceful-restart.config', {
          enabled: true,
          'restart-time': gracefulRestart.restartTime,
        })
      : []),
    ...afiSafis.flatMap(({ config, mpGracefulRestart }) => [
      ...item('neighbors.afi-safis'),
      ...table('neighbors.afi-safis.config', { 'afi-safi-name': familyName(config.family), enabled: true }),
      ...(mpGracefulRestart.config.enabled
        ? table('neighbors.afi-safis.mp-graceful-restart.config', { enabled: true })
        : []),
    ]),
  ];
}

function familyName({ afi }: FamilyMessage): `${Family}-unicast` {
  return afi === AFI.ipv4 ? 'ipv4-unicast' : 'ipv6-unicast';
}
