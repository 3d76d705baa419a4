/**
 * The oracle: slow and obvious models that the core is compared with. BigInt for addresses, strings for keys, a class for each
 * idea, nothing clever, and nothing taken from the core but the shapes of its results.
 */
import type { Family } from '../../src/core/address.ts';
import type { PrefixList } from '../../src/core/prefix.ts';

/** A prefix as a number and a length. */
export class BigPrefix {
  readonly family: Family;
  readonly first: bigint;
  readonly length: number;

  constructor(family: Family, first: bigint, length: number) {
    this.family = family;
    this.first = first;
    this.length = length;
  }

  static all(family: Family): BigPrefix {
    return new BigPrefix(family, 0n, 0);
  }

  static of(family: Family, words: ArrayLike<number>, length: number): BigPrefix {
    let first = 0n;
    for (let w = 0; w < (family === 'ipv4' ? 1 : 4); w++) first = (first << 32n) | BigInt(words[w]!);
    return new BigPrefix(family, first, length);
  }

  static listOf(list: PrefixList): BigPrefix[] {
    const width = list.family === 'ipv4' ? 1 : 4;
    return Array.from({ length: list.size }, (_, i) =>
      BigPrefix.of(list.family, list.words.subarray(i * width, (i + 1) * width), list.lengths[i]!),
    );
  }

  get bits(): number {
    return this.family === 'ipv4' ? 32 : 128;
  }

  get last(): bigint {
    return this.first + (1n << BigInt(this.bits - this.length)) - 1n;
  }

  get words(): number[] {
    const count = this.bits / 32;
    return Array.from({ length: count }, (_, w) =>
      Number((this.first >> BigInt(32 * (count - 1 - w))) & 0xffffffffn),
    );
  }

  /** Address and length in a form of its own, for comparing and as a key. */
  get text(): string {
    return `${this.family} ${this.first.toString(16).padStart(this.bits / 4, '0')}/${this.length}`;
  }

  get halves(): [BigPrefix, BigPrefix] {
    const length = this.length + 1;
    const upper = this.first + (1n << BigInt(this.bits - length));
    return [new BigPrefix(this.family, this.first, length), new BigPrefix(this.family, upper, length)];
  }

  contains(address: bigint): boolean {
    return address >= this.first && address <= this.last;
  }
}

export function texts(prefixes: readonly BigPrefix[]): string[] {
  return prefixes.map((prefix) => prefix.text);
}
