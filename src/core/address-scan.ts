/**
 * The one reader of address text, over bytes. It is a hot path for lists of millions of lines, so it makes no strings and no objects; only
 * rejected text is read again to say why.
 */
import type { Family } from './family.ts';

const DOT = 0x2e;
const COLON = 0x3a;

/** Where a scan ended and what it found; `family` is null if there is no address at the start. */
export interface ScannedAddress {
  readonly family: Family | null;
  readonly end: number;
}

const NOTHING: ScannedAddress = { family: null, end: -1 };

/** {@link scanIpv4}, then {@link scanIpv6}; rejects IPv4-mapped IPv6. */
export function scanAddress(bytes: Uint8Array, start: number, end: number, out: Uint32Array): ScannedAddress {
  const afterIpv4 = scanIpv4(bytes, start, end, out);
  if (afterIpv4 >= 0) return { family: 'ipv4', end: afterIpv4 };
  const afterIpv6 = scanIpv6(bytes, start, end, out);
  return afterIpv6 < 0 || isMapped(out) ? NOTHING : { family: 'ipv6', end: afterIpv6 };
}

/**
 * Reads a dotted quad that begins at `start` into `out[0]`. Returns the position behind it, or -1. The caller checks what follows.
 */
export function scanIpv4(bytes: Uint8Array, start: number, end: number, out: Uint32Array): number {
  let word = 0;
  let at = start;
  for (let part = 0; part < 4; part++) {
    if (part > 0) {
      if (at >= end || bytes[at] !== DOT) return -1;
      at++;
    }
    let value = at < end ? bytes[at]! - 0x30 : -1;
    if (value < 0 || value > 9) return -1;
    at++;
    const leadingZero = value === 0;
    for (let digits = 1; at < end; digits++, at++) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) break;
      if (digits === 3 || leadingZero) return -1;
      value = value * 10 + digit;
    }
    if (value > 255) return -1;
    word = (word << 8) | value;
  }
  out[0] = word;
  return at;
}

const GROUPS = new Uint16Array(8);
const EMBEDDED = new Uint32Array(1);

/**
 * Reads an IPv6 address (RFC 4291 section 2.2, all three forms) that begins at `start` into `out[0..3]`. Returns the
 * position behind it, or -1.
 */
export function scanIpv6(bytes: Uint8Array, start: number, end: number, out: Uint32Array): number {
  let count = 0;
  let gap = -1;
  let at = start;
  let groupMustFollow = true;
  if (bytes[at] === COLON && at + 1 < end) {
    if (bytes[at + 1] !== COLON) return -1;
    gap = 0;
    at += 2;
    groupMustFollow = false;
  }
  while (count < 8 && at < end) {
    const groupStart = at;
    let value = 0;
    for (let digit = hexDigit(bytes[at]!); digit >= 0; digit = at < end ? hexDigit(bytes[at]!) : -1) {
      if (at - groupStart === 4) return -1;
      value = value * 16 + digit;
      at++;
    }
    if (at === groupStart) break;
    groupMustFollow = false;
    if (at < end && bytes[at] === DOT) {
      at = scanIpv4(bytes, groupStart, end, EMBEDDED);
      if (at < 0 || count > 6) return -1;
      GROUPS[count++] = EMBEDDED[0]! >>> 16;
      GROUPS[count++] = EMBEDDED[0]! & 0xffff;
      break;
    }
    GROUPS[count++] = value;
    if (at >= end || bytes[at] !== COLON) break;
    if (at + 1 < end && bytes[at + 1] === COLON) {
      if (gap >= 0) return -1;
      gap = count;
      at += 2;
    } else {
      groupMustFollow = true;
      at++;
    }
  }
  if (groupMustFollow || (gap < 0 ? count !== 8 : count > 7)) return -1;
  spread(count, gap < 0 ? count : gap, out);
  return at;
}

/** Places the groups into words, with zeros for `::`. */
function spread(count: number, gap: number, out: Uint32Array): void {
  out.fill(0, 0, 4);
  for (let i = 0; i < count; i++) {
    const place = i < gap ? i : 8 - count + i;
    out[place >> 1]! |= place & 1 ? GROUPS[i]! : GROUPS[i]! << 16;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Inside ::ffff:0:0/96, RFC 4291 section 2.5.5.2. */
export function isMapped(words: ArrayLike<number>): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] === 0xffff;
}

/** Rejected text for messages: in quotes, at most 80 characters, with control characters and lone surrogates escaped. */
export function quoted(text: string): string {
  const shown = JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
  // ASCII control characters are already escaped.
  return shown.replace(/\p{Cc}/gu, (control) => `\\u00${control.charCodeAt(0).toString(16)}`);
}

/** Why {@link scanAddress} rejects this text as a whole. */
export function explainAddress(text: string): string {
  const shown = quoted(text);
  if (text === '') return 'The text is empty: write an IPv4 or IPv6 address';
  if (text.includes(':')) return explainIpv6(text, shown);
  const parts = text.split('.');
  if (!/^[0-9.]+$/.test(text)) return `${shown} is not an IPv4 or IPv6 address`;
  if (parts.length !== 4) {
    return `${shown} is not an IPv4 address: it has ${parts.length} of the 4 numbers that dots must separate`;
  }
  const padded = parts.find((part) => /^0[0-9]/.test(part));
  if (padded !== undefined) {
    return `${shown} has the number "${padded}" with a leading zero, which some programs read as octal: write it without`;
  }
  return `${shown} is not an IPv4 address: each of its 4 numbers must be 0 to 255`;
}

function explainIpv6(text: string, shown: string): string {
  const bytes = Buffer.from(text, 'utf8');
  const words = new Uint32Array(4);
  if (scanIpv6(bytes, 0, bytes.length, words) === bytes.length && isMapped(words)) {
    const low = words[3]!;
    const ipv4 = [low >>> 24, (low >>> 16) & 255, (low >>> 8) & 255, low & 255].join('.');
    return `${shown} is an IPv4-mapped IPv6 address: write ${ipv4} for the IPv4 address`;
  }
  if (text.includes('%'))
    return `${shown} carries a zone: write the address without the "%" and what follows`;
  if (text.startsWith('[')) return `${shown} stands in brackets: write the address without them`;
  if (text.split('::').length > 2) return `${shown} is not an IPv6 address: "::" may stand once only`;
  return `${shown} is not an IPv6 address (RFC 4291 section 2.2: eight groups of up to four hexadecimal digits, "::" once for zeros)`;
}
