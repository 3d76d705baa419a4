import type { FittedByFamily, NamedFittedByFamily } from '../../api/speakers/fitted.ts';
import type { AddedAddresses } from '../../core/fitting/fit-table.ts';
import type { FittedRoutes } from '../speaker.ts';

/** What a cover adds, as the API says it. */
export function presentCost({ added, optimal }: FittedRoutes['cost']): FittedByFamily {
  const of = ({ addresses, percent }: AddedAddresses) =>
    addresses === 0n ? null : { added_addresses: String(addresses), added_percent: percent, optimal };
  return { ipv4: of(added.ipv4), ipv6: of(added.ipv6) };
}

/** With the largest prefixes that it adds. */
export function presentNamedCost(cost: FittedRoutes['cost']): NamedFittedByFamily {
  const { ipv4, ipv6 } = presentCost(cost);
  const { added } = cost;
  return {
    ipv4: ipv4 && { ...ipv4, added_prefixes: [...added.ipv4.prefixes] },
    ipv6: ipv6 && { ...ipv6, added_prefixes: [...added.ipv6.prefixes] },
  };
}
