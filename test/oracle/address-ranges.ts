import { BigPrefix } from './big-prefix.ts';
import type { Family } from '../../src/core/address.ts';

interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** A set of addresses as ranges that neither meet nor touch, ascending. */
export class AddressRanges {
  readonly ranges: readonly Range[];

  constructor(ranges: readonly Range[]) {
    const merged: Range[] = [];
    for (const range of [...ranges].sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))) {
      const before = merged.at(-1);
      if (before === undefined || range.first > before.last + 1n) merged.push(range);
      else if (range.last > before.last)
        merged[merged.length - 1] = { first: before.first, last: range.last };
    }
    this.ranges = merged;
  }

  static of(prefixes: readonly BigPrefix[]): AddressRanges {
    return new AddressRanges(prefixes.map(({ first, last }) => ({ first, last })));
  }

  union(other: AddressRanges): AddressRanges {
    return new AddressRanges([...this.ranges, ...other.ranges]);
  }

  intersect(other: AddressRanges): AddressRanges {
    const common = this.ranges.flatMap((a) =>
      other.ranges.map((b) => ({
        first: a.first > b.first ? a.first : b.first,
        last: a.last < b.last ? a.last : b.last,
      })),
    );
    return new AddressRanges(common.filter(({ first, last }) => first <= last));
  }

  subtract(other: AddressRanges): AddressRanges {
    let left = [...this.ranges];
    for (const hole of other.ranges) {
      left = left.flatMap((range) => {
        const below = { first: range.first, last: range.last < hole.first ? range.last : hole.first - 1n };
        const above = { first: range.first > hole.last ? range.first : hole.last + 1n, last: range.last };
        return [below, above].filter(({ first, last }) => first <= last);
      });
    }
    return new AddressRanges(left);
  }

  get size(): bigint {
    return this.ranges.reduce((sum, { first, last }) => sum + last - first + 1n, 0n);
  }

  contains(address: bigint): boolean {
    return this.ranges.some(({ first, last }) => address >= first && address <= last);
  }

  /** The fewest prefixes: a block that is covered whole is taken, one that is covered in part is halved. */
  minimalCover(family: Family): BigPrefix[] {
    return coverWithin(BigPrefix.all(family), this.ranges);
  }
}

function coverWithin(block: BigPrefix, ranges: readonly Range[]): BigPrefix[] {
  const inside = ranges.filter(({ first, last }) => first <= block.last && last >= block.first);
  if (inside.length === 0) return [];
  if (inside.some(({ first, last }) => first <= block.first && last >= block.last)) return [block];
  return block.halves.flatMap((half) => coverWithin(half, inside));
}
