/**
 * The core: pure values about prefixes. No I/O, no clock, no randomness; bytes in, values out; build, then freeze.
 * Addresses are unsigned 32-bit words in network order: one for IPv4, four for IPv6.
 */

export type Family = 'ipv4' | 'ipv6';

export const FAMILIES: readonly Family[] = ['ipv4', 'ipv6'];

/** An address: `words` holds 1 (IPv4) or 4 (IPv6) unsigned 32-bit words in network order. */
export interface Address {
  readonly family: Family;
  readonly words: readonly number[];
}

/** Outcome of reading text: a value, or a reason a person can act on. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };
