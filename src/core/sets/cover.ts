/** The interface of the two aggregators: the plain one (`ipv4-cover.ts`) and the compiled one (`compiled-cover.ts`). */
import type { PrefixList } from '../prefix.ts';
import type { LineTaker } from '../text/line-taker.ts';

/** Computes the minimal cover of many prefixes of one family, in any order. */
export interface Aggregator extends LineTaker {
  /** Adds a list, minimal or not. O(n). */
  addAll(list: PrefixList): void;
  /** The minimal cover of everything added, in its own memory. More may be added afterwards, if the result was not changed. */
  build(): PrefixList;
}
