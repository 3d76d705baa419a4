/** Bytes as storage, or somebody who means harm, may hand them to a decoder. */
import { zstdCompressSync } from 'node:zlib';

/** Every beginning of the bytes, the bytes with each bit flipped in turn, and with a byte more. */
export function* damaged(bytes: Uint8Array): Generator<Uint8Array> {
  for (let length = 0; length < bytes.length; length++) yield bytes.slice(0, length);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    yield flipped;
  }
  yield Buffer.concat([bytes, Uint8Array.of(0)]);
}

/** A number as stored tables write it. */
export function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) | 128);
  }
}

/** One Zstandard frame, as table-packing.ts reads it. */
export function packed(content: Uint8Array): Uint8Array {
  const frame = zstdCompressSync(content);
  return Buffer.concat([Uint8Array.of(2), Uint8Array.from(varint(frame.length)), frame]);
}
