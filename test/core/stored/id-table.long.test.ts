import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Prefix, parsePrefix } from '../../../src/core/prefix.ts';
import { encodePatched } from '../../../src/core/stored/encode-patched.ts';
import { differingSince } from '../../../src/core/stored/id-table-past.ts';
import { type IdTable, idTableOf, listOfIds, plainTableOf } from '../../../src/core/stored/id-table.ts';
import { patchIdTable } from '../../../src/core/stored/patch-id-table.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import {
  type StoredTable,
  MAX_STEP,
  contentHashOf,
  decodeDiffering,
  decodeStoredTable,
  encodeAfter,
  storedAs,
} from '../../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { cutTable } from '../../../src/core/stored/table-cut.ts';
import { prefix as anyPrefix } from '../../oracle/arbitraries.ts';
import { times } from '../../fuzz.ts';

/** What a module has: the prefix of each entry. */
type Entries = Map<string, Prefix>;

const known: string[] = [];

function idOf(number: number): string {
  return (known[number] ??= makeId(number));
}

function makeId(number: number): string {
  const hex = createHash('sha256').update(String(number)).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
}

function parsed(text: string): Prefix {
  const read = parsePrefix(text);
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

function nameOf({ words, length }: Prefix): string {
  return `${words.join()}/${length}`;
}

function tableOf(entries: Entries): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const [id, { family, words, length }] of entries) builder.add(family, words, length, id);
  return builder.build();
}

function idsOf(entries: Entries): IdTable {
  const table = tableOf(entries);
  return idTableOf(table, cutTable(table))!;
}

/** Of IPv4, and one in eight of IPv6. */
function prefixAt(at: number): Prefix {
  return parsed(at % 8 === 0 ? `2001:db8:${at.toString(16)}::/48` : `10.${at >> 8}.${at & 255}.0/24`);
}

function entriesOf(size: number): Entries {
  return new Map(Array.from({ length: size }, (_, at) => [idOf(at), prefixAt(at)]));
}

/** What somebody does: gives an entry, one that is there or another, a prefix, or takes it away. */
interface Deed {
  readonly id: number;
  readonly prefix: Prefix | null;
}

const someDeed = (size: number): fc.Arbitrary<Deed> =>
  fc.record({
    id: fc.nat({ max: size + 20 }),
    prefix: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      {
        weight: 3,
        arbitrary: fc
          .oneof(anyPrefix('ipv4'), anyPrefix('ipv6'))
          .map(({ family, words, length }) => ({ family, words, length })),
      },
      // Those that others have: they are taken over, or in the way.
      {
        weight: 3,
        arbitrary: fc.nat({ max: size - 1 }).map(prefixAt),
      },
    ),
  });

/** Only what the database allows: no two entries have one prefix. */
function afterDeeds(entries: Entries, deeds: readonly Deed[]): Entries {
  const after = new Map(entries);
  for (const { id, prefix } of deeds) {
    const isTaken = prefix !== null && [...after.values()].some((one) => nameOf(one) === nameOf(prefix));
    if (prefix === null) after.delete(idOf(id));
    else if (!isTaken) after.set(idOf(id), prefix);
  }
  return after;
}

/** As toEqual, which takes long for so many. */
function isSame(a: PrefixTable, b: PrefixTable): boolean {
  const bytesOf = ({ ipv4, ipv6 }: PrefixTable): Buffer =>
    Buffer.concat(
      [ipv4, ipv6].flatMap(({ words, lengths, labels }) =>
        [words, lengths, labels].map((column) =>
          Buffer.from(column.buffer, column.byteOffset, column.byteLength),
        ),
      ),
    );
  return JSON.stringify(a.labelSets) === JSON.stringify(b.labelSets) && bytesOf(a).equals(bytesOf(b));
}

/** toEqual walks over every octet of a block by itself: it is left to say what differs. */
function expectEqual(a: unknown, b: unknown): void {
  if (!isDeepStrictEqual(a, b)) expect(a).toEqual(b);
}

/** A list as it is, with what is stored of it. */
class Story {
  entries: Entries;
  table: IdTable;
  stored: StoredTable;
  readonly seen: Entries[] = [];
  /** How many steps were made of the difference. */
  patched = 0;

  constructor(entries: Entries) {
    this.entries = entries;
    this.table = idsOf(entries);
    this.stored = storedAs(encodeTable(tableOf(entries)), null);
  }

  /** Compares what is made of the difference with what is made of the whole. */
  become(next: Entries, besides: readonly string[] = []): void {
    const ids = new Set([...this.entries.keys(), ...next.keys()]);
    const edited = [...ids].filter((id) => this.entries.get(id) !== next.get(id));
    const edits = [...new Set([...edited, ...besides])].map((id) => ({ id, prefix: next.get(id) ?? null }));
    const whole = tableOf(next);
    const cut = cutTable(whole);
    const isThere = [this.stored.whole, ...this.stored.deltas].some(
      ({ contentHash }) => contentHash === cut.contentHash,
    );
    const encoded = encodeAfter(whole, this.stored);
    const expected = 'whole' in encoded ? null : encoded;
    const made = encodePatched(this.table, edits, this.stored);
    if (made !== null) {
      this.patched++;
      expect(isSame(plainTableOf(made.table), whole)).toBe(true);
      expectEqual(made.table.blocks, idTableOf(whole, cut)!.blocks);
      expect(made.table.contentHash).toBe(cut.contentHash);
      if (contentHashOf(this.stored) !== cut.contentHash)
        expectEqual(
          differingSince(made.table, contentHashOf(this.stored)),
          decodeDiffering(this.stored, storedAs(made.encoded, this.stored)),
        );
      // A content that is on the way is stored already, and is not packed again.
      if (!isThere) expectEqual(made.encoded, expected);
    } else
      expect(expected !== null && 'manifest' in expected, 'only what is stored whole needs the whole').toBe(
        true,
      );
    const stored = storedAs(made === null ? expected : made.encoded, this.stored);
    expect(contentHashOf(stored)).toBe(cut.contentHash);
    expect(isSame(decodeStoredTable(stored), whole)).toBe(true);
    this.table = made?.table ?? idTableOf(whole, cut)!;
    this.stored = stored;
    this.seen.push(this.entries);
    this.entries = next;
  }
}

describe('a table of ids that is made of the one before', () => {
  it('is stored as the whole would be, whatever was edited', () => {
    let patched = 0;
    const runs = times(40, 15);
    const size = 400;
    const steps = fc.array(
      fc.oneof(
        { weight: 5, arbitrary: fc.array(someDeed(size), { maxLength: 12 }) },
        // Back to what it was before.
        { weight: 1, arbitrary: fc.nat({ max: 5 }) },
      ),
      { minLength: 1, maxLength: 9 },
    );
    fc.assert(
      fc.property(steps, fc.array(fc.nat({ max: size }), { maxLength: 3 }), (all, besides) => {
        const story = new Story(entriesOf(size));
        for (const step of all) {
          const next = typeof step === 'number' ? story.seen.at(-step - 1) : afterDeeds(story.entries, step);
          story.become(next ?? story.entries, besides.map(idOf));
        }
        patched += story.patched;
      }),
      { numRuns: runs },
    );
    expect(patched).toBeGreaterThan(runs);
  });

  it('is so across blocks, at their ends and at those of the table', () => {
    const story = new Story(entriesOf(12_000));
    const edges = (ids: IdTable): number[] => {
      let row = 0;
      return ids.blocks.flatMap(({ count }) => [row, (row += count) - 1]);
    };
    expect(story.table.blocks.length).toBeGreaterThan(3);
    for (const row of edges(story.table).slice(0, 3)) {
      const { ids, ipv4, ipv6 } = story.table;
      const label = row < ipv4.size ? ipv4.labels[row]! : ipv6.labels[row - ipv4.size]!;
      const id = plainTableOf({ ...story.table, ids }).labelSets[label]![0]!;
      const without = new Map(story.entries);
      const had = without.get(id)!;
      without.delete(id);
      story.become(without);
      story.become(new Map(without).set(idOf(30_000 + row), had));
    }
    for (const text of ['0.0.0.0/8', '255.255.255.255/32', 'ffff::/16'])
      story.become(new Map(story.entries).set(idOf(text.length * 77_777), parsed(text)));
    expect(story.patched).toBe(story.seen.length);
  });

  it('goes on until it has to be stored whole again', () => {
    const story = new Story(entriesOf(300));
    for (let step = 1; step <= MAX_STEP + 3; step++) {
      story.become(new Map(story.entries).set(idOf(1_000 + (step % 40)), parsed(`192.0.${step % 256}.0/24`)));
      if (step % 3 === 0)
        story.become(afterDeeds(story.entries, [{ id: 1_000 + (step % 40), prefix: null }]));
    }
    expect(story.seen.length - story.patched).toBe(1);
  });

  it('knows nothing of a content that it does not have, and of two ids with one prefix', () => {
    const entries = entriesOf(300);
    const table = idsOf(entries);
    const others = storedAs(encodeTable(tableOf(entriesOf(301))), null);
    expect(encodePatched(table, [], others)).toBeNull();
    expect(patchIdTable(table, [{ id: idOf(500), prefix: entries.get(idOf(3))! }])).toBeNull();
    const fresh = parsed('192.0.2.0/24');
    expect(
      patchIdTable(table, [
        { id: idOf(500), prefix: fresh },
        { id: idOf(501), prefix: fresh },
      ]),
    ).toBeNull();
  });
});

describe('a table of ids', () => {
  it('is none where a row has other labels than an id of its own', () => {
    const builder = new PrefixTableBuilder();
    builder.add('ipv4', [0x0a000000], 24, idOf(1));
    builder.add('ipv4', [0x0b000000], 24, idOf(1));
    const twice = builder.build();
    expect(idTableOf(twice, cutTable(twice))).toBeNull();
    builder.add('ipv4', [0x0b000000], 24, idOf(2));
    const shared = builder.build();
    expect(idTableOf(shared, cutTable(shared))).toBeNull();
    const words = new PrefixTableBuilder();
    words.add('ipv4', [0x0a000000], 24, 'an entry');
    expect(idTableOf(words.build(), cutTable(words.build()))).toBeNull();
  });

  it('finds the list of each id', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 60 })), fc.array(fc.nat({ max: 60 })), (first, second) => {
        const table = idsOf(entriesOf(40));
        const lists = [first, second.filter((id) => !first.includes(id))].map((some) => [...new Set(some)]);
        const texts = lists.map((some) => some.map(idOf).sort().join(','));
        const found = listOfIds(table, texts);
        const expected = plainTableOf(table).labelSets.map(([id]) =>
          lists.findIndex((some) => some.map(idOf).includes(id!)),
        );
        expect([...found]).toEqual(expected);
      }),
      { numRuns: times(50) },
    );
  });
});
