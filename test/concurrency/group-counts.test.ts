import { expect, test } from 'vitest';
import { GroupCounts } from '../../src/concurrency/group-counts.ts';

test('counts each group by itself, and all together', () => {
  const counts = new GroupCounts();
  expect([counts.of('a'), counts.total]).toEqual([0, 0]);
  counts.add('a', 3);
  counts.add('b', 1);
  counts.add('a', -1);
  expect([counts.of('a'), counts.of('b'), counts.total]).toEqual([2, 1, 3]);
  counts.add('a', -2);
  expect([counts.of('a'), counts.of('b'), counts.total]).toEqual([0, 1, 1]);
});
