/** A range of addresses where text has to be one prefix. */
import { prefixesOf, formatPrefix } from '../prefix.ts';
import { prefixesFromValues } from './prefix-text.ts';

const RANGE = /^[\s\d.]+-|^[\s\da-f.:]+-/i;

/** The fewest prefixes that are this range, `first-last` with both ends, in their order; null: it is none. */
export function prefixesOfRange(text: string): readonly string[] | null {
  if (!RANGE.test(text)) return null;
  const { ipv4, ipv6, rejectedCount } = prefixesFromValues([{ line: 1, text }]);
  if (rejectedCount > 0) return null;
  return [ipv4, ipv6].flatMap((list) => [...prefixesOf(list)].map(formatPrefix));
}
