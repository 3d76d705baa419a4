/** The two families of addresses. */
export type Family = 'ipv4' | 'ipv6';

export const FAMILIES: readonly Family[] = ['ipv4', 'ipv6'];

/** Words of an address of this family. */
export function widthOf(family: Family): 1 | 4 {
  return family === 'ipv4' ? 1 : 4;
}

/** Bits of an address of this family. */
export function bitsOf(family: Family): 32 | 128 {
  return family === 'ipv4' ? 32 : 128;
}
