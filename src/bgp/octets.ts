/** Big-endian numbers in octet arrays. Callers check bounds first: reading past the end yields zeros, never an error. */

export function readU16(octets: Uint8Array, at: number): number {
  return (octets[at]! << 8) | octets[at + 1]!;
}

export function readU32(octets: Uint8Array, at: number): number {
  return ((octets[at]! << 24) | (octets[at + 1]! << 16) | (octets[at + 2]! << 8) | octets[at + 3]!) >>> 0;
}

export function writeU16(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value >>> 8;
  octets[at + 1] = value;
}

function writeU32(octets: Uint8Array, at: number, value: number): void {
  octets[at] = value >>> 24;
  octets[at + 1] = value >>> 16;
  octets[at + 2] = value >>> 8;
  octets[at + 3] = value;
}

export function u16(value: number): Uint8Array {
  const octets = new Uint8Array(2);
  writeU16(octets, 0, value);
  return octets;
}

export function u32(...values: number[]): Uint8Array {
  const octets = new Uint8Array(values.length * 4);
  values.forEach((value, i) => writeU32(octets, i * 4, value));
  return octets;
}

export function concatOctets(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
