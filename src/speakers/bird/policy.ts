/** What a peer is sent of one family, and with which next hop: the same rules as the builtin speaker's, in numbers and as a filter. */
import { FAMILIES, formatAddress, parseAddress, type Family } from '../../core/address.ts';
import { compareLabels } from '../../core/label-sets.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from '../speaker.ts';
import {
  LLGR_STALE,
  NO_EXPORT,
  communitiesOf,
  isEmpty,
  overlap,
  renderAny,
  type CommunitySet,
} from './communities.ts';
import type { GroupSize } from './route-groups.ts';

export interface ExportPolicy {
  readonly family: Family;
  /** Communities that the peer hears; null: all. */
  readonly heard: CommunitySet | null;
  /** Next hops that communities set, the first that a route carries counts. */
  readonly nextHops: readonly { readonly of: CommunitySet; readonly address: string }[];
  /** Next hop of all other routes; `self`: the session's own address, `none`: they can't be sent. */
  readonly otherwise: string;
  readonly noExport: boolean;
}

/** One for each family that the peer wants and that has any next hop. */
export function exportPolicies(speaker: SpeakerModel, peer: PeerModel, routes: RoutesModel): ExportPolicy[] {
  return FAMILIES.filter((family) => peer.families.includes(family)).flatMap((family) => {
    const policy = exportPolicy(speaker, peer, routes, family);
    return policy.otherwise === 'none' && policy.nextHops.length === 0 ? [] : [policy];
  });
}

function exportPolicy(
  speaker: SpeakerModel,
  peer: PeerModel,
  routes: RoutesModel,
  family: Family,
): ExportPolicy {
  const [ofPeer, ofSpeaker] =
    family === 'ipv4' ? [peer.nextHopIpv4, speaker.localIpv4] : [peer.nextHopIpv6, speaker.localIpv6];
  const ofSession = peer.address.includes(':') === (family === 'ipv6') ? 'self' : null;
  const own = addressOf(ofPeer, family);
  return {
    family,
    heard: peer.labels === null ? null : communitiesOf(peer.labels, routes),
    nextHops: own === null ? labelNextHops(peer, routes, family) : [],
    otherwise: own ?? ofSession ?? addressOf(ofSpeaker, family) ?? 'none',
    noExport: routes.noExport,
  };
}

function labelNextHops(peer: PeerModel, routes: RoutesModel, family: Family): ExportPolicy['nextHops'] {
  const labels = Object.keys(routes.labels).sort(compareLabels);
  const heard = peer.labels === null ? labels : labels.filter((label) => peer.labels!.includes(label));
  return heard.flatMap((label) => {
    const { nextHopIpv4, nextHopIpv6 } = routes.labels[label]!;
    const address = addressOf(family === 'ipv4' ? nextHopIpv4 : nextHopIpv6, family);
    const of = communitiesOf([label], routes);
    return address === null || isEmpty(of) ? [] : [{ of, address }];
  });
}

/** The one text of an address of this family; null for anything else. */
export function addressOf(text: string | null, family: Family): string | null {
  const parsed = text === null ? null : parseAddress(text);
  return parsed?.ok === true && parsed.value.family === family ? formatAddress(parsed.value) : null;
}

/** Whether routes of the group go to the peer. */
export function hears(
  policy: ExportPolicy,
  { family, communities }: Pick<GroupSize, 'family' | 'communities'>,
): boolean {
  if (family !== policy.family) return false;
  if (policy.heard !== null && !overlap(policy.heard, communities)) return false;
  return policy.otherwise !== 'none' || policy.nextHops.some(({ of }) => overlap(of, communities));
}

/**
 * The statements of the export filter; null when there is nothing that the peer may hear. The same whichever way the routes come into
 * BIRD: a filter that were another would be in force before the routes of the other way are there.
 */
export function renderPolicy({ heard, nextHops, otherwise, noExport }: ExportPolicy): string | null {
  if (heard !== null && isEmpty(heard)) return null;
  const lines = [
    ...(heard === null
      ? // BIRD marks what the feed left with it for long (RFC 9494); that is no business of the peers, who are to keep it.
        [`bgp_community.delete([${LLGR_STALE}]);`]
      : [`if !(${renderAny(heard)}) then reject;`, ...renderNarrowing(heard)]),
    ...renderNextHops(nextHops, otherwise),
    ...(noExport ? [`bgp_community.add(${NO_EXPORT});`] : []),
    'accept;',
  ];
  // The tables hold nothing but routes of ours; whatever else there might ever be meets the reject at the end.
  return [
    '  if (source = RTS_STATIC) || (source = RTS_BGP) then {',
    ...lines.map((line) => `    ${line}`),
    '  }',
    '  reject;',
  ].join('\n');
}

/** The peer is to hear no other communities beside those that it is configured for. */
function renderNarrowing({ standard, large }: CommunitySet): string[] {
  const narrow = (attribute: string, kept: readonly string[]): string =>
    kept.length === 0 ? `${attribute}.empty;` : `${attribute}.filter([${kept.join(', ')}]);`;
  return [narrow('bgp_community', standard), narrow('bgp_large_community', large)];
}

function renderNextHops(nextHops: ExportPolicy['nextHops'], otherwise: string): string[] {
  const last =
    otherwise === 'self' ? null : otherwise === 'none' ? 'reject;' : `bgp_next_hop = ${otherwise};`;
  const cases = nextHops.map(
    ({ of, address }, i) => `${i === 0 ? '' : 'else '}if ${renderAny(of)} then bgp_next_hop = ${address};`,
  );
  if (last === null) return cases;
  return cases.length === 0 ? [last] : [...cases, `else ${last}`];
}
