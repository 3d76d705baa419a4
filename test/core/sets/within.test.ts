import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PrefixSetBuilder, subtract } from '../../../src/core/sets/prefix-set.ts';
import { countMeeting, holdsPrefix, holdsRow, meets } from '../../../src/core/sets/within.ts';
import '../../fuzz.ts';

/** Within 10.0.0.0/24, so that they meet. */
const prefix = fc
  .record({ host: fc.integer({ min: 0, max: 255 }), length: fc.integer({ min: 24, max: 32 }) })
  .map(({ host, length }) => ({
    family: 'ipv4' as const,
    words: [(0x0a000000 | (length === 32 ? host : host & (-1 << (32 - length)))) >>> 0],
    length,
  }));

test('a set holds a prefix exactly when nothing is left of it without the set', () => {
  fc.assert(
    fc.property(fc.array(prefix, { maxLength: 20 }), prefix, (blocks, asked) => {
      const builder = new PrefixSetBuilder('ipv4');
      for (const { words, length } of blocks) builder.add(words, length);
      const set = builder.build();
      const one = new PrefixSetBuilder('ipv4');
      one.add(asked.words, asked.length);
      const row = one.build();
      const expected = subtract(row, set).size === 0;
      expect(holdsPrefix(set, asked)).toBe(expected);
      expect(holdsRow(set, row, 0)).toBe(expected);
    }),
  );
});

test('blocks that share an address with another set are counted once each', () => {
  const some = fc.array(prefix, { maxLength: 30 });
  fc.assert(
    fc.property(some, some, (blocks, others) => {
      const [set, other] = [blocks, others].map((all) => {
        const builder = new PrefixSetBuilder('ipv4');
        for (const { words, length } of all) builder.add(words, length);
        return builder.build();
      });
      const rows = Array.from({ length: set!.size }, (_, row) => row);
      expect(countMeeting(set!, other!)).toBe(rows.filter((row) => meets(set!, row, other!)).length);
    }),
  );
});

test('a set holds no prefix of the other family', () => {
  const builder = new PrefixSetBuilder('ipv4');
  builder.add([0], 0);
  expect(holdsPrefix(builder.build(), { family: 'ipv6', words: [0, 0, 0, 0], length: 0 })).toBe(false);
});
