/** How much of a prefix is announced: of many addresses, each may have another answer. */
import type { Schemas } from '#client';
import { formatAddress } from '../../core/address.ts';
import { formatPrefixAt, parsePrefix, prefixAt, type Prefix } from '../../core/prefix.ts';
import { PrefixSetBuilder, subtract } from '../../core/sets/prefix-set.ts';

type Lookup = Schemas['Lookup'];

/** What of a prefix no route covers. */
export interface Gap {
  readonly prefix: string;
  /** The first address of it, which an answer can explain. */
  readonly address: string;
  /** Whether routes cover another part. */
  readonly isPart: boolean;
}

/** The first part that is not announced; null: all of it is. */
export function findGap(normalized: string, { announced, has_more: hasMore }: Lookup): Gap | null {
  const whole = read(normalized);
  const routes = announced.map(({ prefix }) => read(prefix)).filter(({ family }) => family === whole.family);
  const [all, covered] = [new PrefixSetBuilder(whole.family), new PrefixSetBuilder(whole.family)];
  all.add(whole.words, whole.length);
  for (const { words, length } of routes) covered.add(words, length);
  const left = subtract(all.build(), covered.build());
  // Routes that are not listed may cover what is left.
  if (left.size === 0 || hasMore === true) return null;
  return {
    prefix: formatPrefixAt(left, 0),
    address: formatAddress(prefixAt(left, 0)),
    isPart: routes.length > 0,
  };
}

function read(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(`The service answers with ${text}, which is no prefix`);
  return parsed.value;
}
