import { expect, test } from 'vitest';
import type { Community } from '../../../src/api/lists/communities.ts';
import { communityLabels, labelModels } from '../../../src/control/models/community-labels.ts';

const now = (id: string, community: string, nextHop: string | null = null): Community =>
  ({ id, community, next_hop_ipv4: nextHop, next_hop_ipv6: null }) as Community;
const then = (id: string, community: string) => ({ community_id: id, community });
const labels = (...given: Parameters<typeof communityLabels>): Record<string, readonly string[]> =>
  Object.fromEntries(communityLabels(...given));

test('a community is what it was when the revision was built; others are what they are', () => {
  const communities = [now('a', '1:9'), now('b', '1:2'), now('c', '1:3')];
  expect(labels(communities, [])).toEqual({ a: ['1:9'], b: ['1:2'], c: ['1:3'] });
  expect(labels(communities, [[then('a', '1:1'), then('b', '1:2')]])).toEqual({
    ...{ a: ['1:1'], b: ['1:2'], c: ['1:3'] },
  });
});

test('it is both while a revision takes the place of another', () => {
  const revisions = [[then('a', '1:1')], [then('a', '1:9')]];
  expect(labels([now('a', '1:9')], revisions)).toEqual({ a: ['1:1', '1:9'] });
  expect(labels([now('a', '1:9')], [revisions[1]!, revisions[1]!])).toEqual({ a: ['1:9'] });
});

test('communities that took each other’s values are not taken for each other', () => {
  const revision = [then('a', '1:1'), then('b', '1:2')];
  expect(labels([now('a', '1:2'), now('b', '1:1')], [revision])).toEqual({ a: ['1:1'], b: ['1:2'] });
  // One that was in no route of the revision then has a value that was another's.
  expect(labels([now('a', '1:9'), now('c', '1:1')], [revision])).toEqual({ a: ['1:1'], c: [] });
});

test('next hops are those of the community, whatever its value is by now', () => {
  const revision = [then('a', '1:1'), then('b', '1:2'), then('gone', '1:3')];
  const communities = [now('a', '1:9', '192.0.2.1'), now('b', '1:2'), now('new', '1:3', '192.0.2.3')];
  expect(labelModels(['1:1', '1:2', '1:3'], revision, communities)).toEqual({
    '1:1': { community: '1:1', nextHopIpv4: '192.0.2.1', nextHopIpv6: null },
    '1:2': { community: '1:2', nextHopIpv4: null, nextHopIpv6: null },
    '1:3': { community: '1:3', nextHopIpv4: null, nextHopIpv6: null },
  });
});
