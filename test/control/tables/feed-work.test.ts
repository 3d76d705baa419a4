import { expect, test } from 'vitest';
import { type FeedTask, makeFeed } from '../../../src/control/tables/feed-work.ts';

/** 8.0.0.0/8 without its first address: the most that a list can be with one address missing is 24 prefixes. */
const ALL_BUT_ONE = Array.from({ length: 24 }, (_, bit) => {
  const first = 2 ** bit;
  return `8.${first >>> 16}.${(first >>> 8) & 255}.${first & 255}/${32 - bit}`;
});

function fitted(maxAddedPercent: number): ReturnType<typeof makeFeed> {
  const task: FeedTask = {
    ...{ kind: 'feed', isWhole: false, name: 'drop', number: 7, families: ['ipv4'], format: 'text' },
    sources: { revision: null, communities: [], modules: [], cidrs: ALL_BUT_ONE },
    fit: { protected: [], excluded: [], avoidsBogons: true, avoidsOthers: true, maxAddedPercent },
    ...{ maximum: 1, since: null },
  };
  return makeFeed(task);
}

test('one foreign address among sixteen million is too much where none may be added', () => {
  const made = fitted(0);
  expect(made.ok ? 'served' : made.reason).toContain('add 1 foreign address, 0.0001 %');
});

test('what is added never reads as nothing', () => {
  const made = fitted(0.0001);
  expect(made.ok && Buffer.from(made.bytes).toString()).toBe('8.0.0.0/8\n');
  expect(made.ok && made.fitted.ipv4).toMatchObject({ added_addresses: '1', added_percent: 0.0001 });
});
