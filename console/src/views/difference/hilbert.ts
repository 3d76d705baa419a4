/** Maps of addresses: 65,536 equal parts of a prefix along a Hilbert curve, as the API draws them. */

export const SIDE = 256;
const PARTS = SIDE * SIDE;
const PART_BITS = 16;

/** Where the part of this number is drawn. */
export function pointOf(part: number): { readonly x: number; readonly y: number } {
  let [x, y, rest] = [0, 0, part];
  for (let size = 1; size < SIDE; size *= 2) {
    const right = 1 & (rest >> 1);
    const up = 1 & (rest ^ right);
    [x, y] = turned(size, x, y, right, up);
    x += size * right;
    y += size * up;
    rest >>= 2;
  }
  return { x, y };
}

let places: Uint16Array | undefined;

/** For each part, where it is drawn: rows of {@link SIDE} points one after the other. */
export function allPlaces(): Uint16Array {
  return (places ??= Uint16Array.from({ length: PARTS }, (_, part) => {
    const { x, y } = pointOf(part);
    return y * SIDE + x;
  }));
}

/** The number of the part that is drawn there. */
export function partAt(x: number, y: number): number {
  let part = 0;
  for (let size = SIDE / 2; size > 0; size /= 2) {
    const right = (x & size) > 0 ? 1 : 0;
    const up = (y & size) > 0 ? 1 : 0;
    part += size * size * ((3 * right) ^ up);
    [x, y] = turned(SIDE, x, y, right, up);
  }
  return part;
}

function turned(size: number, x: number, y: number, right: number, up: number): [number, number] {
  if (up === 1) return [x, y];
  return right === 1 ? [size - 1 - y, size - 1 - x] : [y, x];
}

interface Network {
  readonly bits: 32 | 128;
  readonly address: bigint;
  readonly length: number;
}

/** The prefix that a part of `within` is. */
export function partPrefix(within: string, part: number): string {
  const { bits, address, length } = networkOf(within);
  const partLength = length + PART_BITS;
  return `${textOf(bits, address | (BigInt(part) << BigInt(bits - partLength)))}/${partLength}`;
}

/** The part of `within` that a prefix begins in; null: it is elsewhere. */
export function partOf(within: string, prefix: string): number | null {
  const [frame, network] = [networkOf(within), networkOf(prefix)];
  if (frame.bits !== network.bits) return null;
  const shift = BigInt(frame.bits - frame.length - PART_BITS);
  const part = (network.address - frame.address) >> shift;
  return part >= 0n && part < BigInt(PARTS) ? Number(part) : null;
}

/** The prefix that a map is zoomed out to. */
export function wider(within: string): string | null {
  const { bits, address, length } = networkOf(within);
  const least = bits === 32 ? 0 : 3;
  if (length <= least) return null;
  const wide = Math.max(least, length - PART_BITS);
  const host = BigInt(bits - wide);
  return `${textOf(bits, (address >> host) << host)}/${wide}`;
}

/** The prefix that is drawn to show this one: itself, or what is around it where its parts would be smaller than an address. */
export function frameOf(prefix: string | undefined): string | undefined {
  if (prefix === undefined) return undefined;
  const { bits, length } = networkOf(prefix);
  return length + PART_BITS <= bits ? prefix : (wider(prefix) ?? undefined);
}

function networkOf(prefix: string): Network {
  const [text = '', length = ''] = prefix.split('/');
  if (!text.includes(':'))
    return { bits: 32, length: Number(length), address: joined(text.split('.').map(BigInt), 8n) };
  const [head = '', tail = ''] = text.split('::');
  const groups = (part: string): bigint[] =>
    part === '' ? [] : part.split(':').map((group) => BigInt(`0x${group}`));
  const [before, after] = [groups(head), groups(tail)];
  const missing = Array.from({ length: 8 - before.length - after.length }, () => 0n);
  return { bits: 128, length: Number(length), address: joined([...before, ...missing, ...after], 16n) };
}

function joined(groups: readonly bigint[], bits: bigint): bigint {
  return groups.reduce((address, group) => (address << bits) | group, 0n);
}

function textOf(bits: 32 | 128, address: bigint): string {
  const [count, size] = bits === 32 ? [4, 8] : [8, 16];
  const groups = Array.from({ length: count }, (_, at) =>
    Number((address >> BigInt((count - 1 - at) * size)) & ((1n << BigInt(size)) - 1n)),
  );
  if (bits === 32) return groups.join('.');
  const used = groups.findLastIndex((group) => group !== 0) + 1;
  const hex = groups.slice(0, used).map((group) => group.toString(16));
  return used === 8 ? hex.join(':') : `${hex.join(':')}::`;
}
