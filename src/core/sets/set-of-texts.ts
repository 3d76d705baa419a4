import type { Family } from '../address.ts';
import { parsePrefix } from '../prefix.ts';
import { PrefixSetBuilder, type PrefixSet } from './prefix-set.ts';

/** The prefixes of the family among texts of both. What is no prefix is passed over: these lists were checked when they were written. */
export function setOfTexts(family: Family, texts: readonly string[]): PrefixSet {
  const builder = new PrefixSetBuilder(family);
  for (const text of texts) {
    const parsed = parsePrefix(text.trim());
    if (parsed.ok && parsed.value.family === family) builder.add(parsed.value.words, parsed.value.length);
  }
  return builder.build();
}
