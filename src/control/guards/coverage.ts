/** How much of a family's unicast space a set covers: a default route comes in many pieces. */
import type { Family } from '../../core/address.ts';
import { lazily } from '../../core/lazily.ts';
import { percentRoundedDown } from '../../core/percent.ts';
import { parsePrefix } from '../../core/prefix.ts';
import {
  PrefixSetBuilder,
  type PrefixSet,
  coveredAddresses,
  subtract,
  intersect,
} from '../../core/sets/prefix-set.ts';
import { specialPurposeSet } from '../../core/sets/special-purpose.ts';

/** From this share on, in percent, a set is as good as a default route. */
export const DEFAULT_ROUTE_PERCENT = 90;

/**
 * What the Internet routes: IPv4 without, and of IPv6 the block of global unicast addresses without (2000::/3, RFC 4291 and IANA's
 * IPv6 address space registry), the special-purpose blocks that are not globally reachable (RFC 6890), multicast and reserved space.
 */
const WHOLE: Readonly<Record<Family, string>> = { ipv4: '0.0.0.0/0', ipv6: '2000::/3' };

interface UnicastSpace {
  readonly set: PrefixSet;
  readonly addresses: bigint;
}

const SPACE = { ipv4: lazily(() => spaceOf('ipv4')), ipv6: lazily(() => spaceOf('ipv6')) } as const;

/** How many globally reachable unicast addresses the family has. */
export function unicastAddresses(family: Family): bigint {
  return SPACE[family]().addresses;
}

/** Percent of the family's unicast space that the set covers, with two digits behind the point, rounded down. */
export function coveredPercent(set: PrefixSet): number {
  const { set: space, addresses } = SPACE[set.family]();
  return percentRoundedDown(coveredAddresses(intersect(set, space)), addresses);
}

/** The addresses in any of the lists. */
export function unionOf(family: Family, sets: readonly PrefixSet[]): PrefixSet {
  if (sets.length === 1) return sets[0]!;
  const all = new PrefixSetBuilder(family);
  for (const set of sets) all.addSet(set);
  return all.build();
}

function spaceOf(family: Family): UnicastSpace {
  const parsed = parsePrefix(WHOLE[family]);
  if (!parsed.ok) throw new Error(parsed.reason);
  const whole = new PrefixSetBuilder(family);
  whole.add(parsed.value.words, parsed.value.length);
  const set = subtract(whole.build(), specialPurposeSet(family));
  return { set, addresses: coveredAddresses(set) };
}
