/** What a peer is sent of one family, and with which next hop, as a filter of BIRD. */
import type { Family } from '../../core/address.ts';
import { exportPolicies as plainPolicies } from '../export-policy.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from '../speaker.ts';
import {
  ANY_BAR,
  LLGR_STALE,
  NO_EXPORT,
  isEmpty,
  overlap,
  renderAny,
  setOf,
  type CommunitySet,
} from './communities.ts';
import type { GroupSize } from './route-groups.ts';

export interface ExportPolicy {
  readonly family: Family;
  /** Communities that the peer receives; null: all. */
  readonly heard: CommunitySet | null;
  /** Next hops that communities set, the first that a route carries counts. */
  readonly nextHops: readonly { readonly of: CommunitySet; readonly address: string }[];
  /** Next hop of all other routes; `self`: the session's own address, `none`: they can't be sent. */
  readonly otherwise: string;
  readonly noExport: boolean;
  /** Routes with this community are kept from the peer; null: none are. */
  readonly bar: CommunitySet | null;
}

/** One for each family that the peer wants and that has any next hop. */
export function exportPolicies(speaker: SpeakerModel, peer: PeerModel, routes: RoutesModel): ExportPolicy[] {
  return plainPolicies(speaker, peer, routes).map((policy) => ({
    ...policy,
    heard: policy.heard === null ? null : setOf(policy.heard),
    nextHops: policy.nextHops.map(({ of, address }) => ({ of: setOf([of]), address })),
    bar: policy.bar === null ? null : setOf([policy.bar]),
  }));
}

/** Whether routes of the group go to the peer. */
export function hears(
  policy: ExportPolicy,
  { family, communities }: Pick<GroupSize, 'family' | 'communities'>,
): boolean {
  if (family !== policy.family) return false;
  if (policy.bar !== null && overlap(policy.bar, communities)) return false;
  if (policy.heard !== null && !overlap(policy.heard, communities)) return false;
  return policy.otherwise !== 'none' || policy.nextHops.some(({ of }) => overlap(of, communities));
}

/**
 * The statements of the export filter; null when there is nothing that the peer may hear. The same whichever way the routes come into
 * BIRD: a filter that were another would be in force before the routes of the other way are there.
 */
export function renderPolicy({ heard, nextHops, otherwise, noExport, bar }: ExportPolicy): string | null {
  if (heard !== null && isEmpty(heard)) return null;
  const lines = [
    ...(bar === null ? [] : [`if ${renderAny(bar)} then reject;`]),
    ...(heard === null
      ? // BIRD marks what the feed left with it for long (RFC 9494); that is no business of the peers, who are to keep it.
        [`bgp_community.delete([${LLGR_STALE}]);`, `bgp_large_community.delete([${ANY_BAR}]);`]
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
