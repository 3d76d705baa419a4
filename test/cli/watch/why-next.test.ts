import { expect, test } from 'vitest';
import { nextText } from '../../../src/cli/watch/why-next.ts';

const route = (prefix: string, ...communities: readonly string[]) => ({
  prefix,
  communities: communities.map((community) => ({ community_id: community, community, title: community })),
});

test.each([
  ['withdraws it', []],
  ['changes it', [route('7.0.0.4/32', '64500:7')]],
  ['has 7.0.0.4/31 in its place', [route('7.0.0.4/31', '64500:666'), route('7.0.0.0/8', '64500:666')]],
  // It was there before, of another list, and is no blackhole.
  ['withdraws it', [route('7.0.0.0/8', '64500:7')]],
  ['withdraws it', [route('7.0.0.4/31')]],
  // Of other addresses.
  ['withdraws it', [route('7.0.0.6/31', '64500:666')]],
])('a route that is announced alone: the next revision %s', (words, routes) => {
  const now = { routes: [route('7.0.0.4/32', '64500:666')] };
  expect(nextText('7.0.0.4/32', now, { revision: 9, routes })).toBe(
    `revision 9 ${words}, and is not applied yet`,
  );
});
