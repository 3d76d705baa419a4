/** What the two ways to a minimal cover have in common: the plain one (`ipv4-cover.ts`) and the compiled one (`compiled-cover.ts`). */
import type { PrefixList } from '../prefix.ts';
import type { LineTaker } from '../text/line-taker.ts';

/** Makes the minimal cover of many prefixes of one family, in whatever order they come. */
export interface Aggregator extends LineTaker {
  /** Adds a list, minimal or not. O(n). */
  addAll(list: PrefixList): void;
  /** The minimal cover of all that was added, in memory of its own. More may be added afterwards, as long as nobody has changed it. */
  build(): PrefixList;
}
