/** What edits take away from speakers, and which lists stay as they were for it. */
import { expect, test } from 'vitest';
import { type Causes, findWithdrawals, isSameInput } from '../../../src/control/drafts/large-withdrawal.ts';
import { contentHashOf, storedAs } from '../../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import type { StoredContent } from '../../../src/store/contents/contents.ts';
import type { RevisionInput } from '../../../src/store/revisions/revision-history.ts';
import { guardrailsOf } from '../guards/guardrails.ts';
import { inputOf } from './inputs.ts';

test('a list is the same while it does the same with the same snapshot', () => {
  expect(isSameInput(inputOf(), inputOf())).toBe(true);
  expect(isSameInput(null, null)).toBe(true);
  expect(isSameInput(null, inputOf())).toBe(false);
  expect(isSameInput(inputOf(), null)).toBe(false);
  // What was let through, and which versions its entries had, changes no route.
  expect(isSameInput(inputOf(), inputOf({ released: ['bogon_prefix'], entries_hash: 'others' }))).toBe(true);
});

test.each<Partial<RevisionInput>>([
  { content_hash: 'another' },
  { policy_hash: 'another' },
  { purpose: 'exclude' },
  { families: ['ipv4'] },
  { left_out: ['gone'] },
])('it is another with %o', (other) => {
  expect(isSameInput(inputOf(), inputOf(other))).toBe(false);
});

/** Contents that are there to be read. */
const contents = new Map<string, StoredContent>();

/** Stores scattered /24s: those of each list, from its place on. @returns the hash */
function contentOf(lists: Readonly<Record<string, readonly [from: number, count: number]>>): string {
  const builder = new PrefixTableBuilder();
  for (const [label, [from, count]] of Object.entries(lists))
    for (let i = from; i < from + count; i++) builder.add('ipv4', [0x2d000000 + (i << 9)], 24, label);
  const table = builder.build();
  const stored = storedAs(encodeTable(table), null);
  const hash = contentHashOf(stored);
  contents.set(hash, { stored, prefixCount: { ipv4: table.ipv4.size, ipv6: table.ipv6.size } });
  return hash;
}

type Lists = Readonly<Record<string, readonly [from: number, count: number]>>;

/** What a revision of these lists is built from. */
const inputsOf = (lists: Lists): RevisionInput[] =>
  Object.entries(lists).map(([id, place]) =>
    inputOf({ module_id: id, name: `${id} then`, content_hash: contentOf({ entry: place }) }),
  );

function find(applied: readonly Lists[], next: Lists, other: Partial<Causes> = {}) {
  const hash = contentOf(next);
  const causes: Causes = {
    read: (contentHash) => Promise.resolve(contents.get(contentHash)!),
    names: new Map(),
    staleIds: [],
    entriesOf: () => Promise.resolve({ before: '', after: '' }),
    policyOf: () => Promise.resolve(null),
    wayOf: () => 'holdable',
    releasedOf: () => undefined,
    ...other,
  };
  return findWithdrawals(
    { content: contents.get(hash)!, content_hash: hash, inputs: inputsOf(next) },
    {
      guardrails: guardrailsOf({ maxWithdrawPercent: 50 }),
      applied: applied.map((lists) => ({ content_hash: contentOf(lists), inputs: inputsOf(lists) })),
    },
    causes,
    other.wayOf !== undefined,
  );
}

const LARGE = [0, 200] as const;
const SMALL = [200, 60] as const;

test('the largest stays as it was, and then no other has to', async () => {
  const found = await find([{ large: LARGE, small: SMALL }], {});
  expect(found.slips).toMatchObject([{ moduleId: 'large', name: 'large then' }]);
});

test('as many stay as it takes', async () => {
  const found = await find([{ one: [0, 100], two: [100, 90], three: [190, 80] }], {});
  expect(found.slips.map(({ moduleId }) => moduleId)).toEqual(['one', 'two']);
});

test('one that is held already stays so, however little it takes away', async () => {
  const found = await find(
    [{ large: LARGE, small: SMALL }],
    { large: LARGE },
    {
      wayOf: (id) => (id === 'small' ? 'held' : 'holdable'),
    },
  );
  expect(found.slips.map(({ moduleId }) => moduleId)).toEqual(['small']);
});

test('what is not too much holds nothing', async () => {
  expect(await find([{ large: LARGE, small: SMALL }], { large: LARGE })).toMatchObject({
    ...{ slips: [], findings: [] },
  });
});

test('of what no list can be held for, the speaker is reported that would lose most', async () => {
  const wayOf = () => null;
  const { findings, slips } = await find(
    [{ large: LARGE, small: SMALL }, { large: LARGE }, { large: LARGE, small: SMALL }],
    { small: SMALL },
    { wayOf },
  );
  expect(slips).toEqual([]);
  expect(findings).toMatchObject([{ code: 'large_withdrawal', measured: 100 }]);
});

test('a list has the name that it has now, else the one that it had', async () => {
  const named = await find([{ large: LARGE }], {}, { names: new Map([['large', 'renamed']]) });
  expect(named.slips).toMatchObject([{ name: 'renamed' }]);
  expect(named.slips[0]!.finding.detail).toContain('Module renamed: ');
});

test('what was let through is nothing that holds it', async () => {
  const found = await find([{ large: LARGE }], {}, { wayOf: () => 'released' });
  expect(found).toEqual({ slips: [], findings: [], releasedIds: new Set(['large']) });
});
