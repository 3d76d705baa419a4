/**
 * The minimal cover of many IPv4 prefixes without comparisons: a bit for each /24, and 256 bits for each /24 that is only partly in the
 * set, computed one after the other in one leaf.
 *
 *     /24 and shorter    blocks   |11111111|00110000|...      2^24 bits, set as they come
 *     longer             leaf              |0001..1|          256 bits, gathered from lists sorted by /24
 *
 * A full leaf sets its bit among the blocks and becomes part of their runs. Any other leaf separates the runs on its two sides, so the runs
 * of blocks and leaves come out in ascending order, each cut into its largest prefixes.
 */
import type { Aggregator } from './cover.ts';
import { readPlainLines } from '../text/ipv4-lines.ts';
import { PrefixBuffer } from '../prefix-buffer.ts';
import type { PrefixList } from '../prefix.ts';

const BLOCKS = 2 ** 24;

export class Ipv4Cover implements Aggregator {
  lines = 0;
  #view: DataView = new DataView(new ArrayBuffer(0));
  readonly #blocks = new Uint32Array(BLOCKS / 32);
  /** /32s, unchanged. */
  readonly #hosts = new BlockMembers();
  /**
   * /25 to /31: the /24's number above; below, the prefix's place in the binary tree under its /24, where 2 and 3 are the
   * /25s, 4 to 7 the /26s, and so on.
   */
  readonly #subnets = new BlockMembers();
  /** Upper bound of the cover's size. */
  #added = 0;

  begin(bytes: Uint8Array): void {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  takeLines(from: number): number {
    const rows = new PrefixBuffer('ipv4', 1024);
    const end = readPlainLines(this.#view, from, rows, Infinity);
    this.addAll(rows);
    this.lines += rows.size;
    return end;
  }

  /** Adds IPv4 prefixes in any order. O(n), and O(2^24 / 32) for a /0. */
  addAll(list: PrefixList): void {
    const hosts = this.#hosts.room(list.size);
    this.#hosts.size += copyHosts(list, hosts);
    const subnets = this.#subnets.room(list.size);
    this.#subnets.size += copySubnets(list, subnets);
    setBlocks(list, this.#blocks);
    this.#added += list.size;
  }

  /** The minimal cover of everything added; more may be added afterwards. O(n + 2^24 / 32). */
  build(): PrefixList {
    const blocks = this.#blocks;
    const cover = new PrefixBuffer('ipv4', this.#added);
    const leaf = new Uint32Array(8);
    const hosts = this.#hosts.sorted();
    const subnets = this.#subnets.sorted();
    let host = 0;
    let subnet = 0;
    let done = 0;
    while (host < hosts.length || subnet < subnets.length) {
      const block = Math.min(blockAt(hosts, host), blockAt(subnets, subnet));
      const firstHost = host;
      const firstSubnet = subnet;
      while (blockAt(hosts, host) === block) host++;
      while (blockAt(subnets, subnet) === block) subnet++;
      if ((blocks[block >> 5]! >>> (block & 31)) & 1) continue;
      if (host - firstHost === 1 && subnet === firstSubnet) {
        // In a list from the whole Internet most of these /24s have one address in the set.
        appendRuns(cover, blocks, done, block, 0, 8);
        cover.pushWord(hosts[firstHost]!, 32);
        done = block + 1;
        continue;
      }
      for (let w = 0; w < 8; w++) leaf[w] = 0;
      for (let i = firstHost; i < host; i++) leaf[(hosts[i]! >> 5) & 7]! |= 1 << (hosts[i]! & 31);
      for (let i = firstSubnet; i < subnet; i++) {
        const node = subnets[i]! & 0xff;
        const size = 1 << (Math.clz32(node) - 23);
        setBits(leaf, (node * size) & 0xff, size);
      }
      if (isFull(leaf)) {
        blocks[block >> 5]! |= 1 << (block & 31);
        continue;
      }
      appendRuns(cover, blocks, done, block, 0, 8);
      appendRuns(cover, leaf, 0, 256, block << 8, 0);
      done = block + 1;
    }
    appendRuns(cover, blocks, done, BLOCKS, 0, 8);
    return cover.toList();
  }
}

/**
 * Copies the /32s, and returns their number. The lengths of a list are unpredictable for a processor, so there is no branch: every row is
 * written, and rows that do not count are overwritten.
 */
function copyHosts({ size, words, lengths }: PrefixList, hosts: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < size; i++) {
    hosts[count] = words[i]!;
    count += lengths[i]! >>> 5;
  }
  return count;
}

/** Like {@link copyHosts}, for /25 to /31. */
function copySubnets({ size, words, lengths }: PrefixList, subnets: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < size; i++) {
    const word = words[i]!;
    const length = lengths[i]!;
    subnets[count] = (word & ~0xff) | ((0x100 | (word & 0xff)) >>> (32 - length));
    count += IS_SUBNET[length]!;
  }
  return count;
}

const IS_SUBNET = Uint8Array.from({ length: 33 }, (_, length) => (length > 24 && length < 32 ? 1 : 0));

/** Sets the bits of prefixes no longer than /24. */
function setBlocks({ size, words, lengths }: PrefixList, blocks: Uint32Array): void {
  for (let i = 0; i < size; i++) {
    const length = lengths[i]!;
    if (length <= 24) setBits(blocks, words[i]! >>> 8, 1 << (24 - length));
  }
}

/** The /24 of the member at `place`; after the last member, an impossible one. */
function blockAt(members: Uint32Array, place: number): number {
  return place < members.length ? members[place]! >>> 8 : BLOCKS;
}

function isFull(leaf: Uint32Array): boolean {
  return (leaf[0]! & leaf[1]! & leaf[2]! & leaf[3]! & leaf[4]! & leaf[5]! & leaf[6]! & leaf[7]!) === -1;
}

/**
 * Sets `count` bits starting at bit `from`; bit 0 is the lowest of the first word. `count` is a power of 2, and `from` a multiple of it.
 */
function setBits(bits: Uint32Array, from: number, count: number): void {
  const word = from >>> 5;
  if (count >= 32) bits.fill(0xffffffff, word, word + (count >> 5));
  else bits[word]! |= ((1 << count) - 1) << (from & 31);
}

/**
 * Appends the prefixes of the runs of set bits between bits `from` and `to` (not included); no run crosses `to`. A bit stands for 2^`unit`
 * addresses, bit 0 for those starting at `base`.
 */
function appendRuns(
  cover: PrefixBuffer,
  bits: Uint32Array,
  from: number,
  to: number,
  base: number,
  unit: number,
): void {
  let at = from;
  while (at < to) {
    const rest = bits[at >>> 5]! >>> (at & 31);
    if (rest === 0) {
      at = (at | 31) + 1;
      continue;
    }
    at += trailingZeros(rest);
    if (at >= to) return;
    let end = at;
    for (;;) {
      const left = 32 - (end & 31);
      const ones = trailingZeros(~(bits[end >>> 5]! >>> (end & 31)));
      end += Math.min(ones, left);
      if (ones < left || end >= to) break;
    }
    while (at < end) {
      const aligned = at === 0 ? 24 : trailingZeros(at);
      const log = Math.min(aligned, 31 - Math.clz32(end - at));
      cover.pushWord(base | (at << unit), 32 - unit - log);
      at += 1 << log;
    }
  }
}

/** 32 for zero. */
function trailingZeros(word: number): number {
  return word === 0 ? 32 : 31 - Math.clz32(word & -word);
}

/** Numbers whose upper 24 bits are a /24, to be sorted by it. */
class BlockMembers {
  #members = new Uint32Array(1024);
  size = 0;

  /** Room for `more` members after the last one; the writer adds their number to `size`. One extra member may be written. */
  room(more: number): Uint32Array {
    const needed = this.size + more + 1;
    if (needed > this.#members.length) {
      const members = new Uint32Array(Math.max(needed, this.#members.length * 2));
      members.set(this.#members.subarray(0, this.size));
      this.#members = members;
    }
    return this.#members.subarray(this.size);
  }

  /** All members, those of one /24 together and the /24s ascending. Valid until more are added. */
  sorted(): Uint32Array {
    const members = this.#members.subarray(0, this.size);
    if (!inOrder(members)) {
      const spare = new Uint32Array(this.#members.length);
      scatter(members, spare.subarray(0, this.size), 8);
      scatter(spare.subarray(0, this.size), members, 20);
    }
    return members;
  }
}

function inOrder(members: Uint32Array): boolean {
  for (let i = 1; i < members.length; i++) {
    if (members[i - 1]! >>> 8 > members[i]! >>> 8) return false;
  }
  return true;
}

/** One pass of a radix sort, least significant digit first, by the 12 bits above `shift`. */
function scatter(from: Uint32Array, to: Uint32Array, shift: number): void {
  const { length } = from;
  const places = new Uint32Array(4096);
  // By index: `for … of` takes six times as long on typed arrays.
  for (let i = 0; i < length; i++) places[(from[i]! >>> shift) & 0xfff]!++;
  let place = 0;
  for (let digit = 0; digit < 4096; digit++) {
    const count = places[digit]!;
    places[digit] = place;
    place += count;
  }
  for (let i = 0; i < length; i++) {
    const member = from[i]!;
    to[places[(member >>> shift) & 0xfff]!++] = member;
  }
}
