/**
 * Arithmetic on addresses as runs of 32-bit words inside larger arrays: `words[at]` is the first and highest word, `width`
 * their number (1 or 4). Bit 0 is the highest, as in prefix lengths.
 */

/** Negative, zero or positive as the address at `a[ai]` is below, equal to or above the one at `b[bi]`. */
export function compareWords(
  a: ArrayLike<number>,
  ai: number,
  b: ArrayLike<number>,
  bi: number,
  width: number,
): number {
  for (let w = 0; w < width; w++) {
    const difference = a[ai + w]! - b[bi + w]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether the prefix of `length` bits at `a[ai]` contains the address at `b[bi]`. */
export function covers(
  a: ArrayLike<number>,
  ai: number,
  length: number,
  b: ArrayLike<number>,
  bi: number,
): boolean {
  let w = 0;
  for (; length >= 32; length -= 32, w++) {
    if (a[ai + w] !== b[bi + w]) return false;
  }
  return length === 0 || (a[ai + w]! ^ b[bi + w]!) >>> (32 - length) === 0;
}

/** Number of leading bits in which the two addresses agree. */
export function sharedBits(
  a: ArrayLike<number>,
  ai: number,
  b: ArrayLike<number>,
  bi: number,
  width: number,
): number {
  for (let w = 0; w < width; w++) {
    const difference = a[ai + w]! ^ b[bi + w]!;
    if (difference !== 0) return w * 32 + Math.clz32(difference);
  }
  return width * 32;
}

/** Number of zero bits at the low end of the address. */
export function trailingZeros(words: ArrayLike<number>, at: number, width: number): number {
  return lowRun(words, at, width, 0);
}

/** Number of one bits at the low end of the address. */
export function trailingOnes(words: ArrayLike<number>, at: number, width: number): number {
  return lowRun(words, at, width, -1);
}

function lowRun(words: ArrayLike<number>, at: number, width: number, of: 0 | -1): number {
  for (let w = width - 1; w >= 0; w--) {
    const other = words[at + w]! ^ of;
    if (other !== 0) return (width - 1 - w) * 32 + 31 - Math.clz32(other & -other);
  }
  return width * 32;
}

/** Whether a bit behind the first `length` is set. */
export function hasHostBits(words: ArrayLike<number>, at: number, length: number, width: number): boolean {
  return trailingZeros(words, at, width) < width * 32 - length;
}

/** Clears the bits behind the first `length`. */
export function clearHostBits(
  words: Uint32Array | number[],
  at: number,
  length: number,
  width: number,
): void {
  for (let w = 0; w < width; w++) {
    const kept = Math.min(32, Math.max(0, length - w * 32));
    if (kept === 0) words[at + w] = 0;
    else if (kept < 32) words[at + w] = (words[at + w]! & (-1 << (32 - kept))) >>> 0;
  }
}

/** Sets the bits behind the first `length`: the prefix's last address. */
export function setHostBits(words: Uint32Array | number[], at: number, length: number, width: number): void {
  for (let w = 0; w < width; w++) {
    const kept = Math.min(32, Math.max(0, length - w * 32));
    if (kept < 32) words[at + w] = kept === 0 ? 0xffffffff : (words[at + w]! | (0xffffffff >>> kept)) >>> 0;
  }
}

/** Steps over a prefix of `length` bits: adds 2^(bits - length). False if that exceeds the family's last address. */
export function stepOver(words: Uint32Array, at: number, length: number): boolean {
  if (length === 0) return false;
  let w = (length - 1) >> 5;
  let carry = 2 ** (31 - ((length - 1) & 31));
  for (; w >= 0; w--) {
    const sum = words[at + w]! + carry;
    words[at + w] = sum;
    if (sum <= 0xffffffff) return true;
    carry = 1;
  }
  return false;
}

/** The 16 bits after the first `skipped`; the address must have that many. */
export function sixteenBits(words: ArrayLike<number>, at: number, skipped: number): number {
  const word = at + (skipped >> 5);
  const bits = skipped & 31;
  const high = words[word]! << bits;
  return bits <= 16 ? high >>> 16 : (high | (words[word + 1]! >>> (32 - bits))) >>> 16;
}
