import { isIPv4 } from 'node:net';
import { AddressRanges } from './address-ranges.ts';
import { BigPrefix } from './big-prefix.ts';

/** The minimal cover of prefixes of one family, text to text, ascending. */
export function aggregate(prefixes: readonly string[]): string[] {
  const parsed = prefixes.map(parsePlainPrefix);
  const family = parsed[0]?.family ?? 'ipv4';
  return AddressRanges.of(parsed).minimalCover(family).map(plainText);
}

/** Reads canonical text, such as published lists hold; a bare address is its host prefix. */
export function parsePlainPrefix(text: string): BigPrefix {
  const [address, length] = text.split('/') as [string, string?];
  if (isIPv4(address)) {
    const first = address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
    return new BigPrefix('ipv4', first, Number(length ?? 32));
  }
  const [head, tail] = address.split('::').map((side) => side.split(':').filter((group) => group !== ''));
  const zeros = new Array<string>(tail === undefined ? 0 : 8 - head!.length - tail.length).fill('0');
  const groups = [...head!, ...zeros, ...(tail ?? [])];
  const first = groups.reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n);
  return new BigPrefix('ipv6', first, Number(length ?? 128));
}

/** Canonical text; for IPv6 the platform shortens the zeros. */
export function plainText({ family, first, bits, length }: BigPrefix): string {
  const digits = first.toString(16).padStart(bits / 4, '0');
  if (family === 'ipv4')
    return `${digits
      .match(/../g)!
      .map((pair) => parseInt(pair, 16))
      .join('.')}/${length}`;
  const { hostname } = new URL(`http://[${digits.match(/..../g)!.join(':')}]`);
  return `${hostname.slice(1, -1)}/${length}`;
}
