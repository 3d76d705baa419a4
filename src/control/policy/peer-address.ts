/** Where a tenant's peers may be at all, whatever its policy says: not within the machines of the service. */
import { Problem } from '../../api/problems/problem.ts';
import { formatAddress, parseAddress } from '../../core/address.ts';
import { insideAddress, isAmong, translatedAddress } from '../../core/inside-address.ts';
import { machineAddresses } from '../../core/own-addresses.ts';
import type { Prefix } from '../../core/prefix.ts';
import type { Reach } from '../../core/reach.ts';
import { DEFAULT_TENANT } from '../../store/tenants/bootstrap.ts';

/**
 * What is against a connection to this address for a tenant, for a person; null: nothing. Asked when a peer is written, and again by the
 * process that connects, whose addresses are others.
 * @param reach networks of `APP_PEER_ALLOW`
 * @param own the addresses of this machine and of what it needs; asked for when all else is well
 */
export function peerAddressRefusal(
  slug: string,
  text: string,
  reach: Reach,
  own: () => readonly Prefix[] = () => machineAddresses(reach.own),
): string | null {
  // Operators of the home tenant run the machines themselves.
  if (slug === DEFAULT_TENANT) return null;
  const parsed = parseAddress(text);
  if (!parsed.ok) return `${text} is not a plain address. ${REMEDY}`;
  if (isAmong(reach.allow, parsed.value)) return null;
  const translated = translatedAddress(parsed.value);
  // A claim of the router's own address would not cover this one.
  if (translated !== null)
    return `${text} is the address of another router, ${formatAddress(translated.ipv4)}, behind ${translated.by}. Use the address of the router itself.`;
  const what = insideAddress(parsed.value) ?? (isAmong(own(), parsed.value) ? 'of this service' : null);
  return what === null ? null : `${text} is not an address of a router (${what}). ${REMEDY}`;
}

const REMEDY =
  'Use the address of the router, or have the operator of the service add its network to APP_PEER_ALLOW.';

/** @throws {Problem} `peer_refused_address` */
export function refusePeerAddress(slug: string, address: string, reach: Reach): void {
  const detail = peerAddressRefusal(slug, address, reach);
  if (detail === null) return;
  throw new Problem('peer_refused_address', `/address: ${detail}`, {
    errors: [{ pointer: '/address', detail }],
  });
}
