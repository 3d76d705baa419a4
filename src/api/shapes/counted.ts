/** How many of something, for people. */

/** `1 prefix`, `2 prefixes`, `1 entry`, `0 entries`. @param noun what is counted in the singular; of several words the last one is it */
export function counted(count: number, noun: string): string {
  return `${count} ${inNumber(count, noun)}`;
}

/** The noun alone, for a number that stands elsewhere or is written otherwise. */
export function inNumber(count: number, noun: string): string {
  if (count === 1) return noun;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}
