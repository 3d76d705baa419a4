/** BGP communities as text: RFC 1997 `65000:100`, RFC 8092 `65000:1:100`, and names of IANA's well-known communities. */
import type { Parsed } from './address.ts';

/** Numbers are unsigned: 16 bits each in a standard community, 32 in a large one and in the value of a well-known one. */
export type Community =
  | { readonly kind: 'standard'; readonly asn: number; readonly value: number }
  | { readonly kind: 'large'; readonly asn: number; readonly data1: number; readonly data2: number }
  | { readonly kind: 'well-known'; readonly name: string; readonly value: number };

/** IANA, BGP Well-known Communities. */
const WELL_KNOWN: Readonly<Record<string, number>> = {
  'graceful-shutdown': 0xffff0000, // RFC 8326
  'accept-own': 0xffff0001, // RFC 7611
  'route-filter-translated-v4': 0xffff0002,
  'route-filter-v4': 0xffff0003,
  'route-filter-translated-v6': 0xffff0004,
  'route-filter-v6': 0xffff0005,
  'llgr-stale': 0xffff0006, // RFC 9494
  'no-llgr': 0xffff0007, // RFC 9494
  'accept-own-nexthop': 0xffff0008,
  'standby-pe': 0xffff0009, // RFC 9026
  blackhole: 0xffff029a, // RFC 7999
  'no-export': 0xffffff01, // RFC 1997
  'no-advertise': 0xffffff02, // RFC 1997
  'no-export-subconfed': 0xffffff03, // RFC 1997
  'no-peer': 0xffffff04, // RFC 3765
};

const NAME_BY_VALUE = new Map(Object.entries(WELL_KNOWN).map(([name, value]) => [value, name]));

const FORMS = 'write two numbers such as 65000:100, three such as 65000:1:100, or a name such as no-export';

/**
 * Reads a community. The numbers of a well-known one give its name, so that every community has only one text. Names are read in any case;
 * 65535:n without a registered name is rejected (RFC 1997 reserves it).
 */
export function parseCommunity(text: string): Parsed<Community> {
  const name = text.toLowerCase();
  if (Object.hasOwn(WELL_KNOWN, name)) {
    return { ok: true, value: { kind: 'well-known', name, value: WELL_KNOWN[name]! } };
  }
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  const parts = text.split(':');
  if ((parts.length !== 2 && parts.length !== 3) || !parts.every((part) => /^[0-9]{1,10}$/.test(part))) {
    return { ok: false, reason: `${shown} is not a community: ${FORMS}` };
  }
  if (parts.some((part) => /^0[0-9]/.test(part))) {
    return { ok: false, reason: `${shown} has a number with a leading zero: write it without` };
  }
  const numbers = parts.map(Number);
  return numbers.length === 2 ? standard(numbers, shown) : large(numbers, shown);
}

function standard(numbers: readonly number[], shown: string): Parsed<Community> {
  const [asn, value] = numbers as [number, number];
  if (asn > 0xffff || value > 0xffff) {
    return {
      ok: false,
      reason: `${shown} does not fit a standard community, whose numbers are 0 to 65535: for a larger AS number write a large community, such as 70000:0:100`,
    };
  }
  if (asn !== 0xffff) return { ok: true, value: { kind: 'standard', asn, value } };
  const name = NAME_BY_VALUE.get(0xffff0000 + value);
  if (name === undefined) {
    return {
      ok: false,
      reason: `${shown} is reserved and has no well-known name (RFC 1997): use your own AS number in front`,
    };
  }
  return { ok: true, value: { kind: 'well-known', name, value: WELL_KNOWN[name]! } };
}

function large(numbers: readonly number[], shown: string): Parsed<Community> {
  const [asn, data1, data2] = numbers as [number, number, number];
  if (numbers.some((number) => number > 0xffffffff)) {
    return {
      ok: false,
      reason: `${shown} does not fit a large community, whose numbers are 0 to 4294967295`,
    };
  }
  return { ok: true, value: { kind: 'large', asn, data1, data2 } };
}

/** BLACKHOLE (RFC 7999): whoever receives such a route drops the traffic instead of forwarding it. */
export function isBlackhole(community: Community): boolean {
  return community.kind === 'well-known' && community.name === 'blackhole';
}

/** The only text of a community, which {@link parseCommunity} reads back. */
export function formatCommunity(community: Community): string {
  switch (community.kind) {
    case 'standard':
      return `${community.asn}:${community.value}`;
    case 'large':
      return `${community.asn}:${community.data1}:${community.data2}`;
    case 'well-known':
      return community.name;
  }
}
