/**
 * Which addresses a source may have. URLs come from tenants and addresses from strangers' answers, so only global unicast is reached, and
 * nothing of this service, unless the operator allows it. The check is made at the socket: whatever name, literal or redirect led there,
 * the checked address is the one that is connected to.
 */
import { lookup, type LookupAddress, type LookupAllOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { buildConnector } from 'undici';
import { type Address, bitsOf, formatAddress, parseAddress } from '../../core/address.ts';
import { isAmong, translatedAddress } from '../../core/inside-address.ts';
import { machineAddresses, type OwnAddress } from '../../core/own-addresses.ts';
import type { Reach } from '../../core/reach.ts';
import { specialPurpose } from '../../core/sets/special-purpose.ts';
import { SourceError } from '../source-error.ts';
import { portRefusal } from './blocked-ports.ts';

/**
 * A public address that is internal in effect: Azure's hosts answer their virtual machines there. Other clouds use special-purpose space
 * for such services.
 */
const HOST_SERVICE = 0xa83f8110;

/** Why the address may not be reached, or null. Special-purpose prefixes in `allow` may be reached, but never this service. */
export function addressRefusal(text: string, { allow, own }: Reach): string | null {
  const parsed = parseAddress(text);
  // IPv4-mapped and scoped addresses are rejected: they are second names of plain addresses.
  if (!parsed.ok) return 'not a plain address';
  const address = parsed.value;
  return isAmong(allow, address) ? null : (notGlobal(address) ?? ofService(address, own));
}

function notGlobal(address: Address): string | null {
  const special = specialPurpose({ ...address, length: bitsOf(address.family) });
  if (special !== null) return `${special.name}, ${special.rfc}`;
  if (address.family === 'ipv4') return address.words[0] === HOST_SERVICE ? 'a service of the host' : null;
  const translated = translatedAddress(address);
  if (translated !== null) {
    const { ipv4, by } = translated;
    const reason = notGlobal(ipv4);
    return reason === null ? null : `${formatAddress(ipv4)} behind ${by}, ${reason}`;
  }
  return address.words[0]! >>> 29 === 1 ? null : 'outside of 2000::/3, RFC 4291';
}

const OF_SERVICE = 'of this service';

/** A server on a public address of this machine may rely on its firewall, which a local connection bypasses. */
function ofService(address: Address, ofServiceItself: readonly OwnAddress[]): string | null {
  const own = machineAddresses(ofServiceItself);
  const translated = translatedAddress(address);
  const isOwn = isAmong(own, address) || (translated !== null && isAmong(own, translated.ipv4));
  return isOwn ? OF_SERVICE : null;
}

/**
 * Why a URL that names an address in place of a host would never be reached, or null. Of addresses of this service nothing is said: they
 * refuse connections, as those of a machine that has no server do.
 */
export function hostRefusal({ hostname }: URL, reach: Reach): string | null {
  const host = hostname.replace(/^\[|\]$/g, '');
  const reason = isIP(host) === 0 ? null : addressRefusal(host, reach);
  return reason === null || reason === OF_SERVICE ? null : notPublic(host, reason);
}

/** The behaviour of `dns.lookup` for all addresses. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** An undici connector that reaches only addresses accepted by {@link addressRefusal}. `connectMs` limits one attempt, in ms. */
export async function guardedConnector(
  reach: Reach,
  connectMs: number,
  resolve: Resolve = lookup,
): Promise<buildConnector.connector> {
  const undici = await import('undici');
  const connect = undici.buildConnector({
    allowH2: false,
    timeout: connectMs,
    autoSelectFamily: true,
    lookup: guardedLookup(reach, resolve),
  });
  return (options, callback) => {
    // What was stored before this rule was there is checked here alone.
    const port = portRefusal(options.port);
    if (port !== null) return void callback(new SourceError('source_bad_url', port), null);
    // Literals skip the lookup.
    const reason = isIP(options.hostname) === 0 ? null : addressRefusal(options.hostname, reach);
    if (reason !== null)
      return void callback(refusedAddress(options.hostname, portOf(options), reason), null);
    connect(options, (...answer) => {
      const [error] = answer;
      // A lookup does not know the port, which the error of a connection names.
      if (error instanceof OwnAddressError)
        callback(new OwnAddressError(error.address, portOf(options)), null);
      else callback(...answer);
    });
  };
}

/** A lookup for sockets that returns only addresses accepted by {@link addressRefusal}. It is not called for literals. */
export function guardedLookup(reach: Reach, resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null)
        return void callback(error.code === 'ENOTFOUND' ? withoutAddress(hostname, error) : error, []);
      const reached = addresses.filter(({ address }) => addressRefusal(address, reach) === null);
      const [first] = reached;
      if (first === undefined) callback(refusedName(hostname, addresses, reach), []);
      else if (options.all === true) callback(null, reached);
      else callback(null, first.address, first.family);
    });
  };
}

const REMEDY =
  'Use a public address, or have the operator of the service add its network to APP_FETCH_ALLOW.';

export function refusedAddress(address: string, port: number, reason: string): Error {
  if (reason === OF_SERVICE) return new OwnAddressError(address, port);
  return new SourceError('source_refused_address', notPublic(address, reason));
}

const notPublic = (address: string, reason: string): string =>
  `${address} is not public (${reason}). ${REMEDY}`;

/** As of a machine that has no server there: whoever tries public addresses must not learn which the service has. The log has it. */
class OwnAddressError extends Error {
  readonly code = 'ECONNREFUSED';
  readonly address: string;

  constructor(address: string, port: number) {
    const what = `${address} is an address of this service or its database, and APP_FETCH_ALLOW does not name it`;
    super(`connect ECONNREFUSED ${address}:${port}`, { cause: new Error(what) });
    this.address = address;
  }
}

/** Empty where it is that of the scheme. */
function portOf({ port, protocol }: { readonly port: string; readonly protocol: string }): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function refusedName(hostname: string, addresses: readonly LookupAddress[], reach: Reach): Error {
  const own = addresses.find(({ address }) => addressRefusal(address, reach) === OF_SERVICE);
  if (own !== undefined) return new OwnAddressError(own.address, 0);
  const found = addresses.map(({ address }) => address).join(', ') || 'nothing';
  return withoutAddress(hostname, new Error(`${hostname} resolves to ${found}`));
}

/** The tenant must not learn which names there are inside, nor where they lead; the log has it. */
function withoutAddress(hostname: string, cause: Error): SourceError {
  const what = `${hostname} has no public address: the name does not exist, or leads inside`;
  return new SourceError('source_refused_address', `${what}. ${REMEDY}`, { cause });
}
