/** Which ASes hold addresses, by the same sources that say what an AS has. */
import { type Prefix, parsePrefix } from '../../core/prefix.ts';
import { covers } from '../../core/bits.ts';

/** An AS that announces addresses, or has registered them. */
export interface Origin {
  readonly asn: number;
  /** As the source calls it. */
  readonly name: string | null;
  /** Where, as the source has it: a prefix, or the first and the last address. */
  readonly range: string;
}

/** Of one prefix. */
export const MOST_ORIGINS = 20;

/** Each AS once for each range. */
export function distinctOrigins(origins: readonly Origin[]): Origin[] {
  const byName = new Map(origins.map((origin) => [`${origin.asn} ${origin.range}`, origin]));
  return [...byName.values()].slice(0, MOST_ORIGINS);
}

/** Whether one contains the other. */
export function haveCommon(text: string, prefix: Prefix): boolean {
  const parsed = parsePrefix(text);
  if (!parsed.ok || parsed.value.family !== prefix.family) return false;
  const { words, length } = parsed.value;
  return covers(words, 0, length, prefix.words, 0) || covers(prefix.words, 0, prefix.length, words, 0);
}
