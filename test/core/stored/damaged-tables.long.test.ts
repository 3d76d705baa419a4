/** Stored tables that were damaged, or made by somebody who means harm: they are refused, or read as well-formed ones. */
import { createHash } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import {
  type EncodedTable,
  TableCodecError,
  blockHashes,
  decodeTable,
  encodeTable,
} from '../../../src/core/stored/table-codec.ts';
import { encodeBlock } from '../../../src/core/stored/table-block.ts';
import { tableOf } from '../../oracle/arbitraries.ts';
import { damaged, packed, varint } from '../damaged.ts';
import { expectWellFormed } from '../well-formed.ts';
import { times } from '../../fuzz.ts';
import { blocksOf, mixed } from './encoded-tables.ts';

/** The table, or null where the codec refused; anything else thrown is a fault. */
function tryDecode(manifest: Uint8Array, blocks: ReadonlyMap<string, Uint8Array>): PrefixTable | null {
  try {
    return decodeTable(manifest, blocks);
  } catch (error) {
    expect(error).toBeInstanceOf(TableCodecError);
    return null;
  }
}

describe('damage', () => {
  it('is found in every truncation and every flipped bit of the manifest', () => {
    const encoded = encodeTable(tableOf(mixed));
    for (const manifest of damaged(encoded.manifest)) {
      expect(tryDecode(manifest, blocksOf(encoded))).toBeNull();
      expect(() => blockHashes(manifest)).toThrow(TableCodecError);
    }
  });

  it('is found in every truncation and every flipped bit of a block, or is none', () => {
    const table = tableOf(mixed);
    const encoded = encodeTable(table);
    let refused = 0;
    for (const { hash, bytes } of encoded.blocks) {
      for (const block of damaged(bytes)) {
        const decoded = tryDecode(encoded.manifest, blocksOf(encoded).set(hash, block));
        if (decoded === null) refused++;
        else expect(decoded).toEqual(table);
      }
    }
    expect(refused).toBeGreaterThan(encoded.blocks[0]!.bytes.length * 8);
  });

  it('names the block that is missing or was swapped', () => {
    const encoded = encodeTable(tableOf(mixed));
    const [first, second] = encoded.blocks as [EncodedTable['blocks'][0], EncodedTable['blocks'][0]];
    const without = blocksOf(encoded);
    without.delete(first.hash);
    expect(() => decodeTable(encoded.manifest, without)).toThrow(`The block ${first.hash} is missing`);
    const swapped = blocksOf(encoded).set(first.hash, second.bytes);
    expect(() => decodeTable(encoded.manifest, swapped)).toThrow(
      `The block ${first.hash} does not match its hash`,
    );
  });
});

/** A manifest and blocks whose checksums are right whatever they hold, as somebody who means harm would make them. */
function forge(parts: readonly { family: number; count: number; content: Uint8Array }[]): {
  manifest: Uint8Array;
  blocks: Map<string, Uint8Array>;
} {
  const blocks = new Map<string, Uint8Array>();
  const entries = parts.map(({ family, count, content }) => {
    const hash = createHash('sha256').update(content).digest();
    blocks.set(hash.toString('hex'), Buffer.concat([Uint8Array.of(1), brotliCompressSync(content)]));
    return Buffer.concat([Uint8Array.of(family), Uint8Array.from(varint(count)), hash]);
  });
  const body = Buffer.concat([
    Buffer.from('PFXT\x01', 'latin1'),
    Uint8Array.from(varint(parts.length)),
    ...entries,
  ]);
  return { manifest: Buffer.concat([body, createHash('sha256').update(body).digest()]), blocks };
}

describe('hostile bytes', () => {
  it('are read as a well-formed table or refused, when a block is random', () => {
    const content = fc
      .tuple(fc.constantFrom(4, 6, 5), fc.nat({ max: 20 }), fc.uint8Array({ maxLength: 120 }))
      .map(([family, count, rest]) => ({
        family: family === 5 ? 4 : family,
        count,
        content: Buffer.concat([Uint8Array.of(family, count), rest]),
      }));
    fc.assert(
      fc.property(fc.array(content, { maxLength: 3 }), (parts) => {
        const { manifest, blocks } = forge(parts);
        const table = tryDecode(manifest, blocks);
        if (table !== null) expectWellFormed(table);
      }),
      { numRuns: times(5_000, 1_000) },
    );
  });

  it('are read as a well-formed table or refused, when a true block is changed', () => {
    const table = tableOf(mixed);
    let readable = 0;
    for (const rows of [table.ipv4, table.ipv6]) {
      const content = encodeBlock(table.labelSets, rows, 0, rows.size);
      const family = rows.family === 'ipv4' ? 4 : 6;
      for (const changed of damaged(content)) {
        const { manifest, blocks } = forge([{ family, count: rows.size, content: changed }]);
        const decoded = tryDecode(manifest, blocks);
        if (decoded === null) continue;
        readable++;
        expectWellFormed(decoded);
        // One content has one form: what was read would be written as exactly these bytes.
        expect(Buffer.from(encodeBlock(decoded.labelSets, decoded[rows.family], 0, rows.size))).toEqual(
          Buffer.from(changed),
        );
      }
    }
    expect(readable).toBeGreaterThan(0);
  });

  it('are refused when they would fill the memory', () => {
    const bomb = forge([{ family: 4, count: 1, content: Buffer.alloc(100 * 1024 * 1024) }]);
    expect(() => decodeTable(bomb.manifest, bomb.blocks)).toThrow(/can't be unpacked/);
    const table = tableOf(mixed);
    const content = encodeBlock(table.labelSets, table.ipv4, 0, table.ipv4.size);
    const many = forge([{ family: 4, count: 0xffffffff, content }]);
    expect(() => decodeTable(many.manifest, many.blocks)).toThrow(/names 4294967295 rows/);
    const claims = forge([{ family: 4, count: 5, content: Uint8Array.of(4, 255, 255, 255, 127) }]);
    expect(() => decodeTable(claims.manifest, claims.blocks)).toThrow(TableCodecError);
  });

  it('are refused when they come in more pieces than a block has columns, each of which needs a decoder', () => {
    const table = tableOf(mixed);
    const { manifest, blocks } = encodeTable(table);
    const content = encodeBlock(table.labelSets, table.ipv4, 0, table.ipv4.size);
    const inPieces = (size: number): Map<string, Uint8Array> => {
      const pieces = Array.from({ length: Math.ceil(content.length / size) }, (_, i) =>
        packed(content.subarray(i * size, (i + 1) * size)).subarray(1),
      );
      return blocksOf(encodeTable(table)).set(blocks[0]!.hash, Buffer.concat([Uint8Array.of(2), ...pieces]));
    };
    expect(decodeTable(manifest, inPieces(content.length / 4))).toEqual(table);
    expect(() => decodeTable(manifest, inPieces(1))).toThrow(/can't be unpacked/);
  });

  it.each([
    ['one block', 1, /The block [0-9a-f]{64} has label sets that hold more than 268435456 characters/],
    ['several blocks', 2, /The label sets hold more than 268435456 characters/],
  ])('are refused when the label sets of %s would repeat a label of megabytes', (_where, parts, reported) => {
    const long = Buffer.alloc(2 ** 23, 'a');
    const count = 40 / parts;
    const blocks = Array.from({ length: parts }, (_, part) => {
      const short = Array.from({ length: count }, (_set, i) => Buffer.from(`\x04b${part}${10 + i}`));
      const content = Buffer.concat([
        Buffer.from([4, count, count + 1, ...varint(long.length)]),
        long,
        ...short,
        Buffer.from([count, ...short.flatMap((_label, i) => [2, 0, i])]),
        Buffer.alloc(count, 32),
        Buffer.from(short.map((_label, i) => i)),
        Buffer.from(short.map((_label, i) => (i === 0 ? part * 100 : 1))),
      ]);
      return { family: 4, count, content };
    });
    const { manifest, blocks: bytes } = forge(blocks);
    expect(() => decodeTable(manifest, bytes)).toThrow(reported);
  });

  it('are refused when blocks are out of order or repeated', () => {
    const table = tableOf(mixed);
    const ipv4 = {
      family: 4,
      count: table.ipv4.size,
      content: encodeBlock(table.labelSets, table.ipv4, 0, table.ipv4.size),
    };
    const ipv6 = {
      family: 6,
      count: table.ipv6.size,
      content: encodeBlock(table.labelSets, table.ipv6, 0, table.ipv6.size),
    };
    const decode = (...parts: Parameters<typeof forge>[0][number][]): PrefixTable => {
      const { manifest, blocks } = forge(parts);
      return decodeTable(manifest, blocks);
    };
    expect(decode(ipv4, ipv6)).toEqual(table);
    expect(() => decode(ipv6, ipv4)).toThrow(/IPv4 blocks behind IPv6/);
    expect(() => decode(ipv4, ipv4)).toThrow(/out of order/);
    expect(() => decode({ ...ipv4, family: 6 })).toThrow(/other rows than the manifest says/);
    expect(() => decode({ ...ipv4, family: 5 })).toThrow(/family 5/);
    expect(() => decode({ ...ipv4, count: 1 })).toThrow(/other rows than the manifest says/);
  });

  // One row without labels: family, rows, labels, label sets, size of the set, length, step.
  it.each([
    ['a prefix', [4, 1, 0, 1, 0, 32, 1], null],
    ['the last IPv6 address', [6, 1, 0, 1, 0, 128, ...Array<number>(18).fill(255), 3], null],
    ['a number with a needless digit', [4, 0x81, 0, 0, 1, 0, 32, 1], /malformed number/],
    ['a step with a needless digit', [4, 1, 0, 1, 0, 32, 0x81, 0], /malformed number/],
    ['a step beyond 32 bits', [4, 1, 0, 1, 0, 32, 255, 255, 255, 255, 0x1f], /malformed number/],
    ['a step beyond 128 bits', [6, 1, 0, 1, 0, 128, ...Array<number>(18).fill(255), 4], /malformed number/],
    ['a step beyond the family', [4, 1, 0, 1, 0, 8, 0x80, 2], /past the end/],
    ['a step beyond the family', [6, 1, 0, 1, 0, 8, 0x80, 2], /past the end/],
    ['a length beyond the family', [4, 1, 0, 1, 0, 33, 1], /length 33/],
    ['a length beyond the family', [6, 1, 0, 1, 0, 129, 1], /length 129/],
    ['a label that no row uses', [4, 1, 1, 1, 97, 1, 0, 32, 1], /label that no row uses/],
    ['labels out of order', [4, 1, 2, 1, 98, 1, 97, 1, 2, 0, 0, 32, 1], /labels out of order/],
    ['a label twice', [4, 1, 2, 1, 97, 1, 97, 1, 2, 0, 0, 32, 1], /labels out of order/],
    ['a label that is not UTF-8', [4, 1, 1, 1, 255, 1, 1, 0, 32, 1], /not UTF-8/],
    ['more label sets than rows', [4, 1, 0, 2, 0, 0, 32, 1], /wrong number of label sets/],
    ['no rows', [4, 0, 0, 1, 0], /no rows/],
  ])('that hold %s: %j', (_, bytes, fault) => {
    const content = Uint8Array.from(bytes);
    const { manifest, blocks } = forge([{ family: bytes[0]!, count: 1, content }]);
    if (fault === null) expectWellFormed(decodeTable(manifest, blocks));
    else expect(() => decodeTable(manifest, blocks)).toThrow(fault);
  });

  it('are refused when one row stands in two blocks', () => {
    const row = { family: 4, count: 1, content: Uint8Array.of(4, 1, 0, 1, 0, 32, 1) };
    const { manifest, blocks } = forge([row, row]);
    expect(() => decodeTable(manifest, blocks)).toThrow(/out of order/);
  });

  it('are refused when they are just any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => blockHashes(bytes)).toThrow(TableCodecError);
      }),
    );
  });
});
