import { counted } from '../../api/shapes/counted.ts';

export { counted };

const NAMED = 10;

/** How many different ones there are, such as `2 peers`, and the names of the first. */
export function named(
  noun: string,
  all: readonly string[],
): { readonly count: string; readonly names: string } {
  const names = [...new Set(all)];
  const shown = names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '');
  return { count: counted(names.length, noun), names: shown };
}

/** Such as `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ');
}

/** Of both families. */
export function total({ ipv4, ipv6 }: { readonly ipv4: number; readonly ipv6: number }): number {
  return ipv4 + ipv6;
}
