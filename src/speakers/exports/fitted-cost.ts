import type { FittedByFamily } from '../../api/speakers/fitted.ts';
import type { AddedAddresses } from '../../core/tables/fit-table.ts';
import type { FittedRoutes } from '../speaker.ts';

/** What a cover adds, as the API says it. */
export function presentCost({ added, optimal }: FittedRoutes['cost']): FittedByFamily {
  const of = ({ addresses, percent }: AddedAddresses) =>
    addresses === 0n ? null : { added_addresses: String(addresses), added_percent: percent, optimal };
  return { ipv4: of(added.ipv4), ipv6: of(added.ipv6) };
}
