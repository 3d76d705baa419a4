/** What a trial compares, where the latest revision is not what speakers announce. */
import { expect, test } from 'vitest';
import { routesLines } from '../../../src/cli/session/routes-lines.ts';

type Effect = Parameters<typeof routesLines>[0];
type Counts = readonly [announced: number, withdrawn: number, changed: number];

function effect(isNew: boolean, summary: Counts, speakers: Readonly<Record<string, Counts>>): Effect {
  const countsOf = ([announced, withdrawn, changed]: Counts) => ({ announced, withdrawn, changed });
  return {
    revision: isNew ? {} : null,
    summary: countsOf(summary),
    speakers: Object.entries(speakers).map(([name, counts]) => ({
      ...{ name, ...countsOf(counts) },
      peers: name === 'lonely' ? [] : [{}],
    })),
  } as unknown as Effect;
}

test('where nothing waits, the new revision says it all', () => {
  expect(routesLines(effect(true, [1, 0, 2], { builtin: [1, 0, 2], edge: [1, 0, 2] }))).toEqual({
    head: 'Routes: 1 announced, 0 withdrawn, 2 changed',
    bySpeaker: [],
  });
});

test('a speaker without a peer that gets anything is not counted', () => {
  const lonely = effect(true, [1, 0, 0], { builtin: [1, 0, 0], lonely: [9, 0, 0] });
  expect(routesLines(lonely)).toEqual({
    head: 'Routes: 1 announced, 0 withdrawn, 0 changed',
    bySpeaker: [],
  });
});

test('in a freeze, a blackhole that ends before any router had it takes nothing from them', () => {
  expect(
    routesLines(effect(true, [0, 1, 0], { builtin: [2, 0, 7], edge: [2, 0, 7], far: [0, 0, 0] })),
  ).toEqual({
    head: 'Routes: 0 announced, 1 withdrawn, 0 changed, compared with the latest revision',
    bySpeaker: [
      'At builtin, edge: 2 announced, 0 withdrawn, 7 changed, compared with what is announced there now',
      'At far: 0 announced, 0 withdrawn, 0 changed, compared with what is announced there now',
    ],
  });
});

test('after a failed canary, going back takes nothing from speakers that have gone back', () => {
  const back = { ...effect(true, [0, 3, 0], {}), applied_by_itself: true };
  expect(routesLines(back)).toEqual({
    head: 'Routes: 0 announced, 3 withdrawn, 0 changed, compared with the latest revision',
    bySpeaker: ['No speaker announces anything else then: what it announces now is the same'],
  });
  // Nothing is said of speakers that no apply follows for.
  expect(routesLines({ ...back, applied_by_itself: false }).bySpeaker).toEqual([]);
  expect(routesLines({ ...effect(true, [0, 0, 0], {}), applied_by_itself: true }).bySpeaker).toEqual([]);
});

test('without a new revision, speakers come to run one that there is', () => {
  expect(routesLines(effect(false, [0, 0, 0], { builtin: [2, 0, 7], edge: [0, 0, 0] }))).toEqual({
    head: null,
    bySpeaker: ['At builtin: 2 announced, 0 withdrawn, 7 changed'],
  });
  expect(routesLines(effect(false, [0, 0, 0], {}))).toMatchObject({
    head: 'Routes: 0 announced, 0 withdrawn, 0 changed',
  });
});
