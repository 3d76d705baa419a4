/** Generated input for properties: prefixes crowded into few places, so that they nest, touch and repeat. */
import fc from 'fast-check';
import { FAMILIES, type Family } from '../../src/core/address.ts';
import { type PrefixSet, PrefixSetBuilder } from '../../src/core/sets/prefix-set.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import { BigPrefix } from './big-prefix.ts';
import { LabelTable } from './label-table.ts';

export const family = fc.constantFrom<Family>(...FAMILIES);

/** Addresses near which prefixes are made: both ends of the family, and places around the word boundaries of IPv6. */
const PLACES: Record<Family, readonly bigint[]> = {
  ipv4: [0n, 0xffffffffn, 0x0a000000n, 0xc0a80000n, 0x7fffffffn, 0x80000000n],
  ipv6: [
    0n,
    (1n << 128n) - 1n,
    0x20010db8n << 96n,
    (0x20010db8n << 96n) | (0xffffffffn << 64n),
    (0x2a000001n << 96n) | (0xffffffffffffffffn << 32n),
    1n << 127n,
  ],
};

export function address(ofFamily: Family): fc.Arbitrary<bigint> {
  const bits = ofFamily === 'ipv4' ? 32 : 128;
  const near = fc
    .tuple(fc.constantFrom(...PLACES[ofFamily]), fc.nat({ max: bits - 4 }), fc.nat({ max: 15 }))
    .map(([place, shift, change]) => place ^ (BigInt(change) << BigInt(shift)));
  return fc.oneof(
    { weight: 4, arbitrary: near },
    { weight: 1, arbitrary: fc.bigInt(0n, (1n << BigInt(bits)) - 1n) },
  );
}

export function prefix(ofFamily: Family): fc.Arbitrary<BigPrefix> {
  const bits = ofFamily === 'ipv4' ? 32 : 128;
  const length = fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: bits - 5, max: bits }) },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: bits }) },
    { weight: 2, arbitrary: fc.constantFrom(...(bits === 32 ? [8, 24] : [32, 33, 64, 65, 96, 97])) },
  );
  return fc.tuple(address(ofFamily), length).map(([at, bitsKept]) => {
    const low = BigInt(bits - bitsKept);
    return new BigPrefix(ofFamily, (at >> low) << low, bitsKept);
  });
}

export function prefixes(ofFamily: Family, maxLength = 40): fc.Arbitrary<BigPrefix[]> {
  return fc.array(prefix(ofFamily), { maxLength });
}

/** Two lists of one family. */
export const twoLists = family.chain((ofFamily) =>
  fc.record({ family: fc.constant(ofFamily), a: prefixes(ofFamily), b: prefixes(ofFamily) }),
);

export function setOf(ofFamily: Family, from: readonly BigPrefix[]): PrefixSet {
  const builder = new PrefixSetBuilder(ofFamily);
  for (const { words, length } of from) builder.add(words, length);
  return builder.build();
}

const LABELS = ['65000:1', '65000:2', '65000:10', 'blackhole', '65000:1:1', 'ü', ''];

export interface LabelledPrefix {
  readonly prefix: BigPrefix;
  readonly label: string | null;
}

export const labelledPrefixes: fc.Arbitrary<LabelledPrefix[]> = fc.array(
  family.chain((ofFamily) =>
    fc.record({ prefix: prefix(ofFamily), label: fc.constantFrom(null, ...LABELS) }),
  ),
  { maxLength: 60 },
);

export function tableOf(rows: readonly LabelledPrefix[]): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const { prefix: row, label } of rows) builder.add(row.family, row.words, row.length, label);
  return builder.build();
}

export function modelOf(rows: readonly LabelledPrefix[]): LabelTable {
  const model = new LabelTable();
  for (const { prefix: row, label } of rows) model.add(row, label);
  return model;
}

/** Numbers below 2^32 that look random and are the same in every run, for inputs too large to be generated one by one. */
export function seededRandom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
