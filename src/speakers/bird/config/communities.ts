/** Communities as BIRD writes them: only pairs and triples of numbers. */
import type { Community } from '../../../core/community.ts';
import { BARS } from '../../bars.ts';
import { communitiesOf } from '../../export-policy.ts';
import type { RoutesModel } from '../../speaker.ts';

/** Texts such as `(65000,100)` and `(65000,1,100)`, sorted by number, each once. */
export interface CommunitySet {
  readonly standard: readonly string[];
  readonly large: readonly string[];
}

export const NO_EXPORT = '(65535,65281)';
export const LLGR_STALE = '(65535,6)';
export const ANY_BAR = `(${BARS.asn},${BARS.data1},*)`;

/** The communities of these labels on the wire. Text that is not a community is left out. */
export function communitySetOf(labels: readonly string[], routes: Pick<RoutesModel, 'labels'>): CommunitySet {
  return setOf(communitiesOf(labels, routes));
}

export function setOf(communities: readonly Community[]): CommunitySet {
  const standard = new Map<string, number[]>();
  const large = new Map<string, number[]>();
  for (const community of communities) {
    const numbers = numbersOf(community);
    (numbers.length === 3 ? large : standard).set(`(${numbers.join(',')})`, numbers);
  }
  return { standard: sorted(standard), large: sorted(large) };
}

function numbersOf(community: Community): number[] {
  switch (community.kind) {
    case 'large':
      return [community.asn, community.data1, community.data2];
    case 'standard':
      return [community.asn, community.value];
    case 'well-known':
      return [community.value >>> 16, community.value & 0xffff];
  }
}

function sorted(tuples: ReadonlyMap<string, readonly number[]>): string[] {
  const compare = (a: readonly number[], b: readonly number[]): number =>
    a[0]! - b[0]! || a[1]! - b[1]! || (a[2] ?? 0) - (b[2] ?? 0);
  return [...tuples].sort(([, a], [, b]) => compare(a, b)).map(([text]) => text);
}

export function isEmpty({ standard, large }: CommunitySet): boolean {
  return standard.length === 0 && large.length === 0;
}

export function overlap(a: CommunitySet, b: CommunitySet): boolean {
  return (
    a.standard.some((text) => b.standard.includes(text)) || a.large.some((text) => b.large.includes(text))
  );
}

/** A condition that matches routes with any of the communities. There must be at least one. */
export function renderAny({ standard, large }: CommunitySet): string {
  if (standard.length === 0 && large.length === 0) throw new RangeError('an empty set matches nothing');
  const parts = [
    ...(standard.length === 0 ? [] : [`bgp_community ~ [${standard.join(', ')}]`]),
    ...(large.length === 0 ? [] : [`bgp_large_community ~ [${large.join(', ')}]`]),
  ];
  return parts.join(' || ');
}
