import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeRoutes,
  decodeRoutesDelta,
  encodeRoutes,
  encodeRoutesDelta,
} from '../../src/bundle/routes-part.ts';
import { FAMILIES } from '../../src/core/address.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { seededRandom } from '../oracle/arbitraries.ts';
import { BigPrefix } from '../oracle/big-prefix.ts';
import { applyRoutesDelta, readRoutes, type Route } from '../oracle/bundle-routes.ts';
import { damaged, varint } from '../core/damaged.ts';
import { refusal, relatedTables, tables } from './sample.ts';
import '../fuzz.ts';

const linesOf = (routes: readonly Route[]) =>
  routes.map(({ prefix, labels }) => `${prefix.text} ${JSON.stringify(labels)}`);

function linesOfTable(table: PrefixTable): string[] {
  return FAMILIES.flatMap((family) =>
    BigPrefix.listOf(table[family]).map(
      (prefix, row) => `${prefix.text} ${JSON.stringify(table.labelSets[table[family].labels[row]!])}`,
    ),
  );
}

/** As many rows as take several blocks. */
function large(seed: number): PrefixTable {
  const random = seededRandom(seed);
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < 60_000; i++)
    builder.add('ipv4', [(random() & 0xffffff00) >>> 0], 24, i % 7 === 0 ? '65000:2' : '65000:1');
  return builder.build();
}

describe('routes in a file', () => {
  test('are read by who knows the documentation only', () => {
    fc.assert(
      fc.property(tables, (table) => {
        const { contentHash, bytes } = encodeRoutes(table);
        const read = readRoutes(bytes);
        expect(read.contentHash).toBe(contentHash);
        expect(linesOf(read.routes)).toEqual(linesOfTable(table));
      }),
    );
    const table = large(3);
    expect(linesOf(readRoutes(encodeRoutes(table).bytes).routes)).toEqual(linesOfTable(table));
  });

  test('come back as they were, many blocks of them too', () => {
    const table = large(5);
    expect(decodeRoutes(encodeRoutes(table))).toEqual(table);
  });

  test('are refused when they are damaged in any way', () => {
    const builder = new PrefixTableBuilder();
    for (let i = 0; i < 5; i++) builder.add('ipv4', [0x0a000000 + i * 512], 24, `65000:${i % 2}`);
    const { contentHash, bytes } = encodeRoutes(builder.build());
    for (const bad of damaged(bytes))
      expect(refusal(() => decodeRoutes({ contentHash, bytes: bad }))).toBe('bundle_corrupt');
  });

  test('are refused when they claim lengths that are not there', () => {
    const { contentHash, bytes } = encodeRoutes(large(7));
    for (const length of [0, 2 ** 31, 2 ** 32 - 1]) {
      const claims = Buffer.concat([Uint8Array.from(varint(length)), bytes]);
      expect(refusal(() => decodeRoutes({ contentHash, bytes: claims }))).toBe('bundle_corrupt');
    }
  });
});

describe('what changed', () => {
  test('is read by who knows the documentation only', () => {
    fc.assert(
      fc.property(relatedTables, ([before, after]) => {
        const base = encodeRoutes(before);
        const delta = encodeRoutesDelta(base.contentHash, before, after);
        fc.pre(delta !== null);
        expect(decodeRoutesDelta(delta, { contentHash: base.contentHash, table: before })).toEqual(after);
        const read = applyRoutesDelta(readRoutes(base.bytes), delta);
        expect(linesOf(read).sort()).toEqual(linesOfTable(after).sort());
      }),
    );
  });

  test('is refused, or makes something well-formed, when it is damaged', () => {
    const before = large(11);
    const builder = new PrefixTableBuilder();
    builder.addTable(before);
    builder.add('ipv6', [0x20010db8, 0, 0, 0], 32, '65000:3');
    const base = { contentHash: encodeRoutes(before).contentHash, table: before };
    const delta = encodeRoutesDelta(base.contentHash, before, builder.build())!;
    let refused = 0;
    let read = 0;
    // The hash of the base is its own part: whatever is wrong with it is another base.
    for (const bad of damaged(delta.subarray(32))) {
      const code = refusal(() => decodeRoutesDelta(Buffer.concat([delta.subarray(0, 32), bad]), base));
      if (code === null) read++;
      else refused++;
      expect([null, 'bundle_corrupt']).toContain(code);
    }
    expect(refused).toBeGreaterThan(read);
  });
});
