/**
 * Communities as FRR writes them. A well-known community travels to FRR as a mark, since FRR acts on it: a route with NO_EXPORT would reach
 * no peer. The peers' route maps restore the community.
 */
import { formatCommunity, type Community } from '../../core/community.ts';
import type { LabelModel, RoutesModel } from '../speaker.ts';
import { communitiesOf } from '../export-policy.ts';

/** Texts such as `65000:100` and `65000:1:100`, as routes carry them inside FRR. */
export interface CommunitySet {
  readonly standard: readonly string[];
  readonly large: readonly string[];
}

/** FRR's own names, by the second half of the number: the first half of all of them is 65535. */
const NAMES: Readonly<Record<number, string>> = {
  0: 'graceful-shutdown',
  1: 'accept-own',
  2: 'route-filter-translated-v4',
  3: 'route-filter-v4',
  4: 'route-filter-translated-v6',
  5: 'route-filter-v6',
  6: 'llgr-stale',
  7: 'no-llgr',
  8: 'accept-own-nexthop',
  666: 'blackhole',
  65281: 'no-export',
  65282: 'no-advertise',
  65283: 'local-AS',
  65284: 'no-peer',
};

/** Well-known communities without a name in FRR. */
const WITHOUT_NAME: readonly number[] = [9];

/** No network has this AS number (RFC 7300), so no other large community begins with it. */
const MARK = '4294967295:65535';

export const NO_EXPORT = NAMES[65281]!;

/** Every mark, with the community that it stands for. */
export const MARKS: readonly { readonly mark: string; readonly community: string }[] = [
  ...Object.entries(NAMES).map(([value, name]) => ({ mark: `${MARK}:${value}`, community: name })),
  ...WITHOUT_NAME.map((value) => ({ mark: `${MARK}:${value}`, community: `65535:${value}` })),
];

/** The text that routes of the feed carry for the community. */
function textInside(community: Community): string {
  return community.kind === 'well-known' ? `${MARK}:${community.value & 0xffff}` : formatCommunity(community);
}

export function setOf(communities: readonly Community[]): CommunitySet {
  const texts = communities.map((community) => ({ text: textInside(community), kind: community.kind }));
  return {
    standard: texts.flatMap(({ text, kind }) => (kind === 'standard' ? [text] : [])),
    large: texts.flatMap(({ text, kind }) => (kind === 'standard' ? [] : [text])),
  };
}

/** The routes as the feed announces them. */
export function withMarks(routes: RoutesModel): RoutesModel {
  const labels: Record<string, LabelModel> = {};
  for (const label of new Set([...Object.keys(routes.labels), ...routes.table.labelSets.flat()])) {
    const [community] = communitiesOf([label], routes);
    const known = routes.labels[label];
    if (community !== undefined)
      labels[label] = {
        community: textInside(community),
        nextHopIpv4: known?.nextHopIpv4 ?? null,
        nextHopIpv6: known?.nextHopIpv6 ?? null,
      };
    else if (known !== undefined) labels[label] = known;
  }
  return { ...routes, labels };
}
