/** Addresses at which no router of a peer can be: those of machines themselves, of their links, and of local services. */
import type { Address } from './address.ts';
import { covers } from './bits.ts';
import { parsePrefix, type Prefix } from './prefix.ts';

const INSIDE: readonly (readonly [prefix: string, name: string])[] = [
  ['0.0.0.0/8', 'of this network, RFC 791'],
  ['127.0.0.0/8', 'loopback, RFC 1122'],
  ['169.254.0.0/16', 'link-local, RFC 3927'],
  ['100.100.100.200/32', 'a metadata service'],
  ['168.63.129.16/32', 'a service of the host'],
  ['192.0.0.192/32', 'a metadata service'],
  ['224.0.0.0/4', 'multicast, RFC 5771'],
  ['240.0.0.0/4', 'reserved, RFC 1112'],
  // Includes the unspecified address, loopback, and IPv4-compatible addresses.
  ['::/96', 'of the machine itself, RFC 4291'],
  ['fe80::/10', 'link-local, RFC 4291'],
  ['fec0::/10', 'site-local, RFC 4291'],
  ['fd00:ec2::254/128', 'a metadata service'],
  ['fd20:ce::254/128', 'a metadata service'],
  ['ff00::/8', 'multicast, RFC 4291'],
];

const BLOCKS = INSIDE.map(([text, name]) => ({ range: rangeOf(text), name }));
/**
 * Addresses that contain an IPv4 address: of NAT64 (RFC 6052 section 2.1), 6to4 (RFC 3056 section 2) and Teredo (RFC 4380 section 4), where it is inverted.
 * The prefix for local use (RFC 8215) is divided as each network likes; most give a /96 of it to a translator.
 */
const TRANSLATED: readonly {
  readonly range: Prefix;
  readonly name: string;
  readonly ipv4: (words: readonly number[]) => number;
}[] = [
  { range: rangeOf('64:ff9b::/96'), name: 'NAT64', ipv4: (words) => words[3]! },
  { range: rangeOf('64:ff9b:1::/48'), name: 'NAT64', ipv4: (words) => words[3]! },
  { range: rangeOf('2001::/32'), name: 'Teredo', ipv4: (words) => ~words[3]! >>> 0 },
  {
    range: rangeOf('2002::/16'),
    name: '6to4',
    ipv4: ([first, second]) => ((first! << 16) | (second! >>> 16)) >>> 0,
  },
];

/** What the address is, for a person, if only the operator of the machine may connect to it; otherwise null. */
export function insideAddress(address: Address): string | null {
  const found = BLOCKS.find(({ range }) => contains(range, address));
  if (found !== undefined) return found.name;
  const translated = translatedAddress(address);
  return translated === null ? null : insideAddress(translated.ipv4);
}

/** The IPv4 address that packets to this IPv6 address are sent to, and by what; null: none. */
export function translatedAddress(address: Address): { readonly ipv4: Address; readonly by: string } | null {
  const way = TRANSLATED.find(({ range }) => contains(range, address));
  if (way === undefined) return null;
  return { ipv4: { family: 'ipv4', words: [way.ipv4(address.words)] }, by: way.name };
}

/** Whether one of the prefixes contains the address. */
export function isAmong(prefixes: readonly Prefix[], address: Address): boolean {
  return prefixes.some((prefix) => contains(prefix, address));
}

function contains(range: Prefix, address: Address): boolean {
  return range.family === address.family && covers(range.words, 0, range.length, address.words, 0);
}

function rangeOf(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}
