/**
 * The lists that benchmarks read, made from a seed, so that they are the same on every machine: written once, kept in .cache/bench.
 * Nothing in them is a real network.
 */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Family } from '../../src/core/address.ts';
import { clearHostBits } from '../../src/core/bits.ts';
import { PrefixBuffer } from '../../src/core/prefix-buffer.ts';
import { formatLines } from '../../src/core/prefix-format.ts';
import type { PrefixList } from '../../src/core/prefix.ts';
import { sortOrder } from '../../src/core/sort-order.ts';

const FOLDER = join(import.meta.dirname, '../../.cache/bench');

/** Numbers below 2^32 that look random (xorshift, 32 bits). */
export function seededRandom(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** How often each length occurs, in hundredths: about as in the routing tables of 2026. */
const IPV4_LENGTHS = { 24: 60, 23: 9, 22: 11, 21: 5, 20: 5, 19: 4, 18: 2, 17: 1, 16: 3 };
const IPV6_LENGTHS = { 48: 46, 32: 12, 44: 8, 40: 9, 36: 5, 29: 4, 47: 4, 46: 5, 33: 3, 64: 4 };
/** As {@link IPV4_LENGTHS}, with the addresses and small nets that block lists hold. */
const MIXED_LENGTHS = { 24: 42, 32: 34, 30: 5, 29: 5, 28: 5, 27: 2, 26: 2, 25: 2, 23: 2, 22: 1 };

function wheelOf(hundredths: Readonly<Record<number, number>>): readonly number[] {
  return Object.entries(hundredths).flatMap(([length, count]) =>
    new Array<number>(count).fill(Number(length)),
  );
}

/**
 * `count` prefixes in random order, of which 30 in a hundred lie in one of the others or are that other once more. IPv6: within
 * 2000::/3.
 */
export function mixedList(family: Family, count: number): PrefixList {
  const random = seededRandom(count);
  const wheel = wheelOf(family === 'ipv4' ? MIXED_LENGTHS : IPV6_LENGTHS);
  const list = new PrefixBuffer(family, count);
  const { width } = list;
  const words = new Uint32Array(width);
  for (let i = 0; i < count; i++) {
    let length = wheel[random() % wheel.length]!;
    for (let w = 0; w < width; w++) words[w] = random();
    if (family === 'ipv6') words[0] = (words[0]! >>> 3) | 0x20000000;
    if (i > 0 && random() % 10 < 3) {
      const other = random() % i;
      const kept = list.lengths[other]!;
      length = Math.max(length, kept);
      for (let w = 0; w < width; w++) {
        const mask = kept >= 32 * (w + 1) ? 0xffffffff : kept <= 32 * w ? 0 : -1 << (32 * (w + 1) - kept);
        words[w] = (list.words[other * width + w]! & mask) | (words[w]! & ~mask);
      }
    }
    clearHostBits(words, 0, length, width);
    list.push(words, 0, length);
  }
  return list;
}

/** `count` addresses in random order, about 100 in each /22 that holds any. */
function clusteredList(count: number): PrefixList {
  const random = seededRandom(count);
  const list = new PrefixBuffer('ipv4', count);
  const clusters = Uint32Array.from({ length: Math.ceil(count / 100) }, () => random() & 0xfffffc00);
  for (let i = 0; i < count; i++)
    list.pushWord(clusters[random() % clusters.length]! | (random() & 0x3ff), 32);
  return list;
}

/** `count` different prefixes in ascending order with the lengths of a full table. */
export function fullTable(family: Family, count: number): PrefixList {
  const random = seededRandom(count);
  const wheel = wheelOf(family === 'ipv4' ? IPV4_LENGTHS : IPV6_LENGTHS);
  const list = new PrefixBuffer(family, count);
  const { width } = list;
  const words = new Uint32Array(width);
  for (let i = 0; i < count; i++) {
    const length = wheel[random() % wheel.length]!;
    for (let w = 0; w < width; w++) words[w] = random();
    // Unicast space only: 1.0.0.0 to 223.255.255.255, and 2000::/3.
    words[0] = family === 'ipv4' ? 0x01000000 + (words[0]! % 0xdf000000) : (words[0]! >>> 3) | 0x20000000;
    clearHostBits(words, 0, length, width);
    list.push(words, 0, length);
  }
  const sorted = new PrefixBuffer(family, count);
  const order = sortOrder(list) ?? Uint32Array.from({ length: count }, (_, i) => i);
  for (const row of order) sorted.push(list.words, row * width, list.lengths[row]!);
  return sorted;
}

const LISTS = {
  mixed: (count: number) => mixedList('ipv4', count),
  clustered: clusteredList,
  'full-table': (count: number) => fullTable('ipv4', count),
  'mixed-ipv6': (count: number) => mixedList('ipv6', count),
  'full-table-ipv6': (count: number) => fullTable('ipv6', count),
} as const;

export type ListName = keyof typeof LISTS;

/** The file of a list, made when it is not there yet. */
export function listFile(name: ListName, count: number): string {
  const path = join(FOLDER, `${name}-${count}.txt`);
  if (existsSync(path)) return path;
  mkdirSync(FOLDER, { recursive: true });
  const list = LISTS[name](count);
  const file = openSync(`${path}.partial`, 'w');
  for (let from = 0; from < list.size; from += 65_536) {
    writeSync(file, formatLines(list, from, Math.min(list.size, from + 65_536)));
  }
  closeSync(file);
  renameSync(`${path}.partial`, path);
  return path;
}
