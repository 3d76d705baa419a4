/** Autonomous system numbers, RFC 6793. */
import type { Parsed } from './address.ts';

const LARGEST = 4_294_967_294;

/** Numbers that no network can have. Those for documentation (RFC 5398) stay allowed, since labs and examples use them. */
const RESERVED: readonly (readonly [first: number, last: number, why: string])[] = [
  [0, 0, 'stands for "no AS" (RFC 7607)'],
  [23456, 23456, 'is AS_TRANS, a stand-in for 4-octet numbers (RFC 6793)'],
  [65535, 65535, 'is reserved (RFC 7300)'],
  [65552, 131071, 'is reserved by IANA'],
  [4_294_967_295, 4_294_967_295, 'is reserved (RFC 7300)'],
];

/**
 * Reads an AS number, 1 to 4294967294 without the reserved ones, as a number, `"3333"` or `"AS3333"` (any case): the forms that
 * registries and their services use.
 */
export function parseAsn(input: string | number): Parsed<number> {
  const text = String(input);
  const shown = JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
  const dotted = /^(?:AS)?([0-9]{1,5})\.([0-9]{1,5})$/i.exec(text);
  if (dotted !== null && typeof input === 'string') {
    const plain = Number(dotted[1]) * 65536 + Number(dotted[2]);
    return { ok: false, reason: `${shown} is in dotted form (RFC 5396): write it as ${plain}` };
  }
  const digits = /^(?:AS)?(0|[1-9][0-9]{0,9})$/i.exec(text)?.[1];
  const asn = Number(digits);
  if (digits === undefined || asn > LARGEST + 1) {
    return {
      ok: false,
      reason: `${shown} is not an AS number: write a number from 1 to ${LARGEST}, such as 3333`,
    };
  }
  const reserved = RESERVED.find(([first, last]) => asn >= first && asn <= last);
  if (reserved !== undefined) {
    return { ok: false, reason: `AS${asn} ${reserved[2]}: write the number of a network` };
  }
  return { ok: true, value: asn };
}

/** Text for people: `AS3333`. */
export function formatAsn(asn: number): string {
  return `AS${asn}`;
}
