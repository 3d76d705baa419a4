import { parsePrefix } from '../core/prefix.ts';
import type { ProtectedPrefix } from './rails.ts';

let own: readonly ProtectedPrefix[] = [];

/**
 * Says at which hosts this process and what it needs can be reached. Names are left out: what they resolve to is not known
 * without asking, and a wildcard address is nobody's.
 */
export function setOwnAddresses(hosts: readonly { readonly host: string; readonly of: string }[]): void {
  own = hosts.flatMap(({ host, of }) => {
    const parsed = parsePrefix(host.replace(/^\[(.*)\]$/, '$1'));
    const isAddress = parsed.ok && !parsed.value.words.every((word) => word === 0);
    return isAddress ? [{ prefix: host.replace(/^\[(.*)\]$/, '$1'), of }] : [];
  });
}

/** The addresses of the service and its database, as far as they are known. */
export function ownAddresses(): readonly ProtectedPrefix[] {
  return own;
}
