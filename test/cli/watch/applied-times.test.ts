import { expect, test } from 'vitest';
import type { HistoryItem } from '../../../src/api/lookup/history.ts';
import { appliedTexts, lostAt, runningSince } from '../../../src/cli/watch/applied-times.ts';

type Times = readonly [from: string, until: string | null];

const times = (speaker: string, ...all: readonly Times[]): HistoryItem['applied'] =>
  all.map(([applied_at, until]) => ({
    ...{ speaker_id: speaker, speaker, revision_id: 'r', revision: 1, applied_at, until },
    until_revision: until === null ? null : 2,
  }));

test.each([
  ['one that lasts', times('edge', ['T1', null]), ['T1 at edge']],
  ['one that ended', times('edge', ['T1', 'T2']), ['T1 to T2 at edge']],
  [
    'several',
    times('edge', ['T5', null], ['T3', 'T4'], ['T1', 'T2']),
    ['T1 to T2, T3 to T4 at edge, since T5 again'],
  ],
  ['two speakers', [...times('a', ['T1', null]), ...times('b', ['T1', 'T2'])], ['T1 at a', 'T1 to T2 at b']],
  ['none', [], []],
])('a history says times of a speaker together: %s', (_, applied, texts) => {
  expect(appliedTexts(applied)).toEqual(texts);
});

test('a route that stayed from one revision to the next has run since the first, and what came before ended', () => {
  const items = [
    { applied: times('edge', ['T5', null]) },
    { applied: times('edge', ['T4', 'T5'], ['T1', 'T2']) },
  ];
  expect(runningSince(items)).toEqual({ since: 'T4', earlier: [{ from: 'T1', until: 'T2' }] });
  expect(runningSince([items[1]!])).toBeNull();
  expect(
    runningSince([{ applied: [...times('late', ['T3', null]), ...times('edge', ['T1', null])] }]),
  ).toEqual({
    since: 'T1',
    earlier: [],
  });
});

test('what speakers lost says when the last did, unless one has it', () => {
  const item = (applied: HistoryItem['applied'], announced = 'whole') =>
    ({
      applied,
      announced,
      routes: announced === 'none' ? [] : [{ prefix: '10.0.0.0/8', communities: [] }],
    }) as unknown as HistoryItem;
  const [gone, kept] = [item(times('edge', ['T3', 'T4'], ['T1', 'T2'])), item(times('other', ['T2', null]))];
  const without = item(times('edge', ['T4', null]), 'none');
  expect(lostAt([without, gone])).toMatchObject({ prefix: '10.0.0.0/8', applied: { until: 'T4' } });
  expect(lostAt([without, gone, kept])).toBeNull();
  expect(lostAt([without])).toBeNull();
});
