/** How large sets of addresses are, and what share one is of another. */
import { percentRoundedUp } from '../../core/percent.ts';
import { type PrefixSet, coveredAddresses } from '../../core/sets/prefix-set.ts';
import { countMeeting } from '../../core/sets/within.ts';

/** A list of fewer prefixes is a small one: a share of it says little. */
export const FEW = 100;

/** A set of addresses in both measures: the fewest prefixes that write it, and the addresses themselves. */
export interface Extent {
  readonly prefixes: number;
  readonly addresses: bigint;
}

export function extentOf(set: PrefixSet): Extent {
  return { prefixes: set.size, addresses: coveredAddresses(set) };
}

/**
 * What a set loses: how many of its prefixes do, wholly or in part, and which addresses. The prefixes that write what is lost of one are many more.
 * @param lost nothing that is not in the set
 */
export function extentOfLoss(set: PrefixSet, lost: PrefixSet): Extent {
  return { prefixes: countMeeting(set, lost), addresses: coveredAddresses(lost) };
}

/** What part a set is of another, in one of the two measures. */
export interface Share {
  readonly unit: 'prefixes' | 'addresses';
  /** Percent. */
  readonly measured: number;
  /** What it is a part of, in a sentence that names these prefixes, such as `12 IPv4 prefixes`. */
  readonly of: (count: string) => string;
  readonly isOver: (percent: number) => boolean;
}

/** How much the part is of what there was, in prefixes and in addresses. @param before not empty */
export function sharesOf(before: Extent, { prefixes, addresses }: Extent): readonly Share[] {
  // Whole numbers on both sides, so that exactly the limit is no more than the limit.
  return [
    {
      unit: 'prefixes',
      measured: percentRoundedUp(BigInt(prefixes), BigInt(before.prefixes)),
      of: (count) => count,
      isOver: (percent) => prefixes * 100 > percent * before.prefixes,
    },
    {
      unit: 'addresses',
      measured: percentRoundedUp(addresses, before.addresses),
      of: (count) => `addresses in the ${count}`,
      isOver: (percent) => addresses * 100n > BigInt(percent) * before.addresses,
    },
  ];
}
