import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  buildRevisionContent,
  buildSnapshot,
  buildSnapshotOfRanges,
  countRowsOf,
  groupSnapshot,
  inspectContent,
  leftBeside,
  measureSnapshots,
} from '../../../src/control/tables/table-threads.ts';
import { countRows } from '../../../src/control/tables/count-rows.ts';
import { change, inspect, makeRevision, makeSnapshot } from '../../../src/control/tables/table-work.ts';
import type { PrefixList } from '../../../src/core/prefix.ts';
import { joinLists, type RowsOfLabel } from '../../../src/core/tables/rows-by-label.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { decodeStoredTable, storedAs } from '../../../src/core/stored/stored-table.ts';
import { TableCodecError } from '../../../src/core/stored/table-codec.ts';
import type { StoredContent } from '../../../src/store/contents/contents.ts';
import { leftOf } from '../../../src/speakers/still-held.ts';
import { guardrailsOf } from '../guards/guardrails.ts';

const NOTHING: PrefixList = {
  family: 'ipv6',
  size: 0,
  words: new Uint32Array(0),
  lengths: new Uint8Array(0),
};

/** `size` scattered /24s, in no order. */
function rows(size: number, from: number): RowsOfLabel {
  const words = Uint32Array.from(
    { length: size },
    (_, i) => (Math.imul(from + i, 0x9e3779b1) & 0xffffff00) >>> 0,
  );
  return { ipv4: { family: 'ipv4', size, words, lengths: new Uint8Array(size).fill(24) }, ipv6: NOTHING };
}

const lists = (): Map<string, RowsOfLabel> =>
  new Map([
    ['large', rows(80_000, 0)],
    ['small', rows(3_000, 79_000)],
    ['none', { ipv4: { ...NOTHING, family: 'ipv4' }, ipv6: NOTHING }],
  ]);

/** As it would come out of the store. */
async function stored(): Promise<StoredContent> {
  const { encoded, prefixCount } = await buildSnapshot(lists(), null);
  return { stored: storedAs(encoded, null), prefixCount };
}

const policy = {
  purpose: 'announce' as const,
  families: ['ipv4', 'ipv6'] as const,
  groups: [
    { communities: ['64500:1'], entryIds: 'large' },
    { communities: ['64500:2'], entryIds: 'small,none' },
  ],
};
const communities = [
  { id: '1', community: '64500:1', title: 'one' },
  { id: '2', community: '64500:2', title: 'two' },
];

describe('large tables are made in a thread exactly as they would be here', () => {
  test('a snapshot, of lists that are handed over', async () => {
    const given = lists();
    const made = await buildSnapshot(given, null);
    expect(given.get('large')!.ipv4.words.length, 'handed over, not copied').toBe(0);
    const here = makeSnapshot({ kind: 'snapshot', entries: joinLists(lists()), parent: null });
    expect(made.table).toEqual(here.table);
    expect(made.contentHash).toBe(here.contentHash);
    expect(decodeStoredTable(storedAs(made.encoded, null))).toEqual(here.table);
  });

  test('a snapshot that follows another, and one that is the same', async () => {
    const parent = await stored();
    const changed = lists().set('small', rows(2_990, 79_000));
    const { encoded, table } = await buildSnapshot(changed, parent);
    expect(encoded).toHaveProperty('baseHash');
    expect(decodeStoredTable(storedAs(encoded, parent.stored))).toEqual(table);
    expect((await buildSnapshot(lists(), parent)).encoded).toBeNull();
  });

  test('the lists of a snapshot', async () => {
    const grouped = await groupSnapshot(await stored());
    expect([...grouped.keys()].sort()).toEqual(['large', 'small']);
    expect(grouped.get('small')!.ipv4.size).toBe(3_000);
    const again = await buildSnapshot(grouped, null);
    expect(again.contentHash).toBe((await buildSnapshot(lists(), null)).contentHash);
  });

  test('the rows of an entry, by who else has them', async () => {
    const snapshot = await stored();
    const counted = await countRowsOf(snapshot, ['small']);
    expect(counted).toEqual(countRows({ kind: 'count', stored: snapshot.stored, entryIds: ['small'] }));
    const byEntries = new Map(counted.map(({ entryIds, count }) => [[...entryIds].sort().join(), count]));
    expect(byEntries).toEqual(
      new Map([
        ['large,small', { ipv4: 1_000, ipv6: 0 }],
        ['small', { ipv4: 2_000, ipv6: 0 }],
      ]),
    );
    expect(await countRowsOf(snapshot, ['none'])).toEqual([]);
  });

  test('a snapshot of ranges', async () => {
    const ranges = Array.from({ length: 10_000 }, (_, i) => `id-${i} 45.${i >> 8}.${i & 255}.0/24`);
    const { table } = await buildSnapshotOfRanges(ranges.join(','), null);
    expect(table.ipv4.size).toBe(10_000);
    expect((await buildSnapshotOfRanges('', null)).table.ipv4.size).toBe(0);
  });

  test('a revision, of what is stored and of what is known', async () => {
    const { stored: snapshot } = await stored();
    const guardrails = guardrailsOf({ maxPrefixes: 10, bogons: 'allow' });
    const modules = [{ policy, snapshot }];
    const made = await buildRevisionContent({ modules, communities, guardrails }, 83_000, null);
    const here = makeRevision({ kind: 'revision', modules, communities, guardrails, parent: null });
    expect(made.contentHash).toBe(here.contentHash);
    expect(made.communities).toEqual(here.communities);
    expect(made.findings).toEqual(here.findings);
    expect(made.findings).toMatchObject([{ code: 'max_prefixes_exceeded', limit: 10 }]);
    const [contributions] = made.contributions;
    const known = [{ purpose: policy.purpose, contributions: contributions! }];
    const again = await buildRevisionContent({ modules: known, communities, guardrails }, 83_000, null);
    expect(again.contentHash).toBe(here.contentHash);
    expect(contributions![0]!.set.size, 'still ours').toBeGreaterThan(50_000);
  });
});

describe('guardrails of large tables are looked at in a thread exactly as they would be here', () => {
  test('the routes of a revision', async () => {
    const content = await stored();
    const guardrails = guardrailsOf({ maxPrefixes: 10, minLength: { ipv4: 25, ipv6: 19 } });
    const found = await inspectContent(content, guardrails);
    expect(found).toEqual(inspect({ kind: 'inspect', stored: content.stored, guardrails }));
    expect(found.map(({ code }) => code)).toEqual([
      'prefix_too_short',
      'bogon_prefix',
      'max_prefixes_exceeded',
    ]);
  });

  test('the change of a source', async () => {
    const before = await stored();
    const made = await buildSnapshot(new Map([['large', rows(70_000, 20_000)]]), null);
    const after = { stored: storedAs(made.encoded, null), prefixCount: made.prefixCount };
    const rest = {
      entries: { before: 'large 1,small 1', after: 'large 1,small 2' },
      families: ['ipv4', 'ipv6'] as const,
      limits: { percent: 30, mayBeReplaced: false },
    };
    const measured = await measureSnapshots(before, after, rest);
    const task = { kind: 'change', before: before.stored, after: after.stored, ...rest } as const;
    expect(measured).toEqual(change(task));
    expect(measured[0]!.vanished.prefixes).toBeGreaterThan(10_000);
    expect(measured[1]!.before).toEqual({ prefixes: 0, addresses: 0n });
  });
});

/** How often the event loop goes round while the work is done. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const working = work().finally(() => (isDone = true));
  while (!isDone) {
    turns++;
    await turn();
  }
  await working;
  return turns;
}

test('what is left of a large table is read in a thread too', async () => {
  const large = await buildSnapshot(new Map([['x', rows(35_000, 0)]]), null);
  const base = storedAs(large.encoded, null);
  const parent = { stored: base, prefixCount: large.prefixCount };
  const left = await buildSnapshot(new Map([['x', rows(19_000, 0)]]), parent);
  expect(left.encoded).toHaveProperty('baseHash');
  const content = { stored: storedAs(left.encoded, base), prefixCount: left.prefixCount };
  const alone = await buildSnapshot(new Map([['x', rows(19_000, 0)]]), null);
  const same = { stored: storedAs(alone.encoded, null), prefixCount: alone.prefixCount };
  expect(await turnsOf(() => groupSnapshot(same))).toBeLessThan(5);
  expect(await turnsOf(() => groupSnapshot(content))).toBeGreaterThan(5);
});

test('the loop turns meanwhile', async () => {
  const lists = new Map([['x', rows(1_000_000, 0)]]);
  expect(await turnsOf(() => buildSnapshot(lists, null))).toBeGreaterThan(10);
});

test('what a reverted peer goes on with is worked out in a thread, and is the same table where nothing leaves', async () => {
  const tableOf = (size: number): PrefixTable => {
    const builder = new PrefixTableBuilder();
    builder.addSet(rows(size, 0).ipv4, 'x');
    return builder.build();
  };
  const [held, latest] = [tableOf(40_000), tableOf(39_000)];
  const sent = { labels: null, families: ['ipv4'] } as const;
  const expected = leftOf(held, latest, sent);
  expect(expected.ipv4.size).toBeLessThan(held.ipv4.size);
  expect(
    await turnsOf(async () => expect(await leftBeside(held, latest, sent)).toEqual(expected)),
  ).toBeGreaterThan(5);
  expect(await leftBeside(held, held, sent)).toBe(held);
  expect(held.ipv4.words.byteLength).toBeGreaterThan(0);
});

test('damage is reported as such, and a job that was cancelled ends the work', async () => {
  const { stored: snapshot, prefixCount } = await stored();
  const damaged = { ...snapshot, whole: { ...snapshot.whole, blocks: new Map() } };
  await expect(groupSnapshot({ stored: damaged, prefixCount })).rejects.toThrow(TableCodecError);
  const cancelled = new AbortController();
  const working = groupSnapshot({ stored: snapshot, prefixCount }, cancelled.signal);
  cancelled.abort(new Error('cancelled'));
  await expect(working).rejects.toThrow('cancelled');
});
