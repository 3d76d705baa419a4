/** Which communities the entries of a list carried, as a revision remembers it. */
import { describe, expect, test } from 'vitest';
import {
  communitiesIn,
  groupsOf,
  hasCommunities,
  policyOfInput,
  withoutLargest,
} from '../../../src/control/drafts/kept-policy.ts';
import { inputOf } from './inputs.ts';

const RED = { id: 'red', community: '65000:1', title: 'red' };
const BLUE = { id: 'blue', community: '65000:2', title: 'blue' };
const COMMUNITIES = [RED, BLUE];

test('entries carry their own communities, else that of the list, else that of the tenant', () => {
  const entries = [
    { community_ids: ['blue'], entry_ids: 'a,b' },
    { community_ids: [], entry_ids: 'c' },
  ];
  const carried = (listsOwn: string | null, tenants: string | null) =>
    groupsOf({ community_id: listsOwn }, entries, tenants).map(({ communities }) => communities);
  expect(carried('red', 'green')).toEqual([['blue'], ['red']]);
  expect(carried(null, 'green')).toEqual([['blue'], ['green']]);
  expect(carried(null, null)).toEqual([['blue'], [null]]);
});

test('the ids of the largest group are left to the table that has them, wherever it stands', () => {
  const small = { communities: ['red'], entries: 'a' };
  const large = { communities: ['blue'], entries: 'b,c,d' };
  const rest = { ...large, entries: null };
  expect(withoutLargest([small, large])).toEqual([small, rest]);
  expect(withoutLargest([large, small])).toEqual([rest, small]);
  expect(withoutLargest([])).toEqual([]);
});

describe('what a list did with its snapshot', () => {
  const GROUPS = [
    { communities: ['red'], entries: 'a,b' },
    { communities: ['blue', 'red'], entries: null },
  ];
  const policy = (leftOut: string[], gone: string[], communities = COMMUNITIES) =>
    policyOfInput(inputOf({ left_out: leftOut }), GROUPS, communities, gone);

  test('names the entries of all groups but one, and who is not in that', () => {
    expect(policy(['x'], ['y'])).toEqual({
      ...{ purpose: 'announce', families: ['ipv4', 'ipv6'] },
      groups: [{ communities: ['65000:1'], entryIds: 'a,b' }],
      rest: { communities: ['65000:1', '65000:2'], besides: ['x', 'y'] },
    });
  });

  test('is without entries that did not count, or have left since', () => {
    expect(policy(['a'], []).groups).toEqual([{ communities: ['65000:1'], entryIds: 'b' }]);
    expect(policy([], ['b']).groups).toEqual([{ communities: ['65000:1'], entryIds: 'a' }]);
    expect(policy(['a'], ['b']).groups).toEqual([]);
  });

  test('has the values that its communities have now', () => {
    const moved = { ...RED, community: '65000:9' };
    expect(policy([], [], [moved, BLUE]).rest?.communities).toEqual(['65000:2', '65000:9']);
  });

  test('says of each entry what its routes carry', () => {
    const carried = communitiesIn(policy(['x'], ['y', 'b']));
    expect(['a', 'b', 'x', 'y', 'anything else'].map(carried)).toEqual([
      ...['65000:1', undefined, undefined, undefined],
      '65000:1,65000:2',
    ]);
    const { rest: _, ...named } = policy([], []);
    expect(communitiesIn(named)('anything else')).toBeUndefined();
  });
});

test('a community that is gone is missed; routes without one need none', () => {
  const carrying = (...communities: (string | null)[]) => [{ communities, entries: 'a' }];
  expect(hasCommunities(carrying('red', 'blue'), COMMUNITIES)).toBe(true);
  expect(hasCommunities(carrying('red', 'green'), COMMUNITIES)).toBe(false);
  expect(hasCommunities(carrying(null), [])).toBe(true);
  expect(hasCommunities([...carrying('red'), ...carrying('green')], COMMUNITIES)).toBe(false);
});
