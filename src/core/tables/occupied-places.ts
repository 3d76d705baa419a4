/**
 * Where rows are in the address space, coarsely: quickly excludes most addresses, so that an address can be looked up in a hundred tables
 * of which few have anything near it.
 */
import type { Address } from '../address.ts';
import type { PrefixRows } from './prefix-table.ts';

/** A place is a value of 16 bits of the address: in IPv4 the first, in IPv6 those after the first 16, which differ little. */
const SKIPPED = { ipv4: 0, ipv6: 16 } as const;
const PLACES = 2 ** 16;

/** Places by family, as {@link occupiedPlaces} makes them. */
export type OccupiedPlaces = Uint32Array;

/** False when no row contains the address; true when one may. O(1). */
export function mayContain(places: OccupiedPlaces, { family, words }: Address): boolean {
  const place = placeOf(family, words[0]!);
  return (places[place >>> 5]! & (1 << (place & 31))) !== 0;
}

/** The places of these rows; for addresses of their family only. O(n), and 8 KiB. */
export function occupiedPlaces({ family, words, lengths, size }: PrefixRows): OccupiedPlaces {
  const bitmap = new Uint32Array(PLACES / 32);
  const width = family === 'ipv4' ? 1 : 4;
  for (let row = 0; row < size; row++) {
    const bits = Math.min(Math.max(lengths[row]! - SKIPPED[family], 0), 16);
    const places = 1 << (16 - bits);
    // A prefix shorter than the skipped bits occupies every place.
    const first = bits === 0 ? 0 : placeOf(family, words[row * width]!);
    for (let place = first; place < first + places; place++) bitmap[place >>> 5]! |= 1 << (place & 31);
  }
  return bitmap;
}

function placeOf(family: keyof typeof SKIPPED, firstWord: number): number {
  return family === 'ipv4' ? firstWord >>> 16 : firstWord & 0xffff;
}
