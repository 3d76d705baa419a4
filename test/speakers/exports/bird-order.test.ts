import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Family } from '../../../src/core/address.ts';
import { type PrefixRows, PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { birdOrder } from '../../../src/speakers/exports/bird-order.ts';
import '../../fuzz.ts';

const LENGTHS = { ipv4: 32, ipv6: 64 };

/** `count` prefixes that have nothing to do with each other, from a seed. */
function scattered(family: Family, count: number, seed: number): PrefixRows {
  const builder = new PrefixTableBuilder();
  let state = seed;
  const random = (): number => (state = (Math.imul(state, 0x19660d) + 0x3c6ef35f) >>> 0);
  for (let i = 0; i < count; i++) {
    const words = family === 'ipv4' ? [random()] : [random(), random(), 0, 0];
    builder.add(family, words, LENGTHS[family], '65000:1');
  }
  return builder.build()[family];
}

function orderOf(rows: PrefixRows): Uint32Array {
  const work = birdOrder(rows);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

const word = (value: bigint): bigint => value & 0xffffffffn;

/** net_hash_ip4 and net_hash_ip6 of BIRD 2, written as they are defined. */
function hashOf({ family, words, lengths }: PrefixRows, row: number): bigint {
  const length = BigInt(lengths[row]!) << 26n;
  if (family === 'ipv4') return word((BigInt(words[row]!) * 0xad07a05bn) ^ length);
  const mixed = [0, 1, 2, 3].reduce((sum, i) => sum ^ BigInt(words[row * 4 + i]!), 0n);
  return word(mixed ^ (mixed << 16n) ^ (mixed << 24n) ^ length);
}

describe.each(['ipv4', 'ipv6'] as const)('the order of %s routes for a BIRD', (family) => {
  it('has every row once, by the places in the table of a BIRD', () => {
    const rows = scattered(family, 100_000, 7);
    const order = orderOf(rows);
    expect(Uint32Array.from(order).sort()).toEqual(Uint32Array.from({ length: rows.size }, (_, row) => row));
    const places = Array.from(order, (row) => Number(hashOf(rows, row) >> 16n));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('has every row once, however many there are', () => {
    fc.assert(
      fc.property(fc.nat({ max: 300 }), fc.nat(), (count, seed) => {
        const { size } = scattered(family, count, seed);
        const order = orderOf(scattered(family, count, seed));
        expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: size }, (_, row) => row));
      }),
    );
  });
});
