/** What a peer is sent of one family, and with which next hop, as a BIRD filter. */
import type { Family } from '../../../core/address.ts';
import { exportPolicies as plainPolicies } from '../../export-policy.ts';
import type { PeerModel, RoutesModel, SpeakerModel } from '../../speaker.ts';
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
  readonly exported: CommunitySet | null;
  /** Next hops that communities set, the first that a route carries counts. */
  readonly nextHops: readonly { readonly of: CommunitySet; readonly address: string }[];
  /** Next hop of all other routes; `self`: the session's own address, `none`: they can't be sent. */
  readonly otherwise: string;
  readonly noExport: boolean;
  /** Routes with this community are not sent to the peer; null: there are none. */
  readonly bar: CommunitySet | null;
}

/** One for each family that the peer wants and that has any next hop. */
export function exportPolicies(speaker: SpeakerModel, peer: PeerModel, routes: RoutesModel): ExportPolicy[] {
  return plainPolicies(speaker, peer, routes).map((policy) => ({
    ...policy,
    exported: policy.exported === null ? null : setOf(policy.exported),
    nextHops: policy.nextHops.map(({ of, address }) => ({ of: setOf([of]), address })),
    bar: policy.bar === null ? null : setOf([policy.bar]),
  }));
}

/** Whether routes of the group are sent to the peer. */
export function exportsGroup(
  policy: ExportPolicy,
  { family, communities }: Pick<GroupSize, 'family' | 'communities'>,
): boolean {
  if (family !== policy.family) return false;
  if (policy.bar !== null && overlap(policy.bar, communities)) return false;
  if (policy.exported !== null && !overlap(policy.exported, communities)) return false;
  return policy.otherwise !== 'none' || policy.nextHops.some(({ of }) => overlap(of, communities));
}

/**
 * The statements of the export filter; null when nothing may be sent to the peer. They do not depend on how routes are delivered to BIRD: a
 * different filter would take effect before the routes of the other way have arrived.
 */
export function renderPolicy({ exported, nextHops, otherwise, noExport, bar }: ExportPolicy): string | null {
  if (exported !== null && isEmpty(exported)) return null;
  const lines = [
    ...(bar === null ? [] : [`if ${renderAny(bar)} then reject;`]),
    ...(exported === null
      ? // BIRD marks routes of a feed that has been away for long (RFC 9494); peers must not receive that mark.
        [`bgp_community.delete([${LLGR_STALE}]);`, `bgp_large_community.delete([${ANY_BAR}]);`]
      : [`if !(${renderAny(exported)}) then reject;`, ...renderNarrowing(exported)]),
    ...renderNextHops(nextHops, otherwise),
    ...(noExport ? [`bgp_community.add(${NO_EXPORT});`] : []),
    'accept;',
  ];
  // The tables contain only our routes; anything else would reach the reject at the end.
  return [
    '  if (source = RTS_STATIC) || (source = RTS_BGP) then {',
    ...lines.map((line) => `    ${line}`),
    '  }',
    '  reject;',
  ].join('\n');
}

/** Removes the communities that the peer is not configured to receive. */
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
