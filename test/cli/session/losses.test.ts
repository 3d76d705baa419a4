/** What a terminal reads that routers would lose, where they do not have what the latest revision has. */
import { expect, test } from 'vitest';
import { lossOf } from '../../../src/cli/session/consequences.ts';

type Effect = Parameters<typeof lossOf>[0];
type Counts = readonly [announced: number, withdrawn: number];

function effect(summary: Counts, speakers: Readonly<Record<string, Counts>>, isApplied = true): Effect {
  const countsOf = ([announced, withdrawn]: Counts) => ({ announced, withdrawn, changed: 0 });
  return {
    ...{ revision: {}, summary: countsOf(summary), applied_by_itself: isApplied },
    speakers: Object.entries(speakers).map(([name, counts]) => ({
      ...{ name, speaker_id: name, ...countsOf(counts) },
      peers: [],
    })),
  } as unknown as Effect;
}

test('after a failed canary, what no speaker announces is withdrawn from the latest revision alone', () => {
  expect(lossOf(effect([0, 1], {}))).toBe(
    'This withdraws 1 route of the latest revision, which no speaker announces',
  );
  expect(lossOf(effect([2, 3], { edge: [2, 0] }))).toBe(
    'This withdraws 3 routes of the latest revision, which no speaker announces',
  );
  // In a freeze it is what the edit itself does.
  expect(lossOf(effect([0, 1], {}, false))).toBe('This withdraws 1 route');
});

test('where speakers lack the latest revision, what goes there counts', () => {
  expect(lossOf(effect([1, 1], { edge: [1, 3], far: [1, 2] }))).toBe(
    'This withdraws up to 3 routes, and announces 1 other at 2 speakers: edge, far',
  );
  expect(lossOf(effect([1, 0], { edge: [1, 3] }))).toBe(
    'This withdraws 3 routes, and announces 1 other at 1 speaker: edge',
  );
  expect(lossOf(effect([1, 1], { edge: [1, 3] }, false))).toBe(
    'This withdraws 1 route, and announces 1 other at 1 speaker: edge',
  );
});
