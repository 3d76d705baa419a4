import { formatAddress, parseAddress } from './address.ts';

/**
 * An address of a socket in the canonical form that addresses have everywhere else. An IPv4 peer of a socket that listens on `::` shows as
 * `::ffff:192.0.2.1` (RFC 4291, section 2.5.5.2); a link-local address carries its zone.
 */
export function plainAddress(text: string | undefined): string {
  const bare = (text ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  const parsed = parseAddress(bare);
  return parsed.ok ? formatAddress(parsed.value) : bare;
}
