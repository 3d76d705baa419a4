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

/** The first part that is not announced; null: all of it is. `unknown`: the routes that are listed leave no gap, and there are more. */
export function findGap(
  normalized: string,
  { announced, has_more: hasMore }: Lookup,
): Gap | 'unknown' | null {
  const whole = read(normalized);
  const routes = announced.map(({ prefix }) => read(prefix)).filter(({ family }) => family === whole.family);
  const [all, covered] = [new PrefixSetBuilder(whole.family), new PrefixSetBuilder(whole.family)];
  all.add(whole.words, whole.length);
  for (const { words, length } of routes) covered.add(words, length);
  const left = subtract(all.build(), covered.build());
  if (left.size === 0) return null;
  const first = prefixAt(left, 0);
  const address = formatAddress(first);
  const end = hasMore === true ? listedTo(whole, announced) : null;
  // Routes that are not listed may cover it, or what follows its first address.
  if (end !== null && isAfter(first, end)) return 'unknown';
  const prefix = end === null ? formatPrefixAt(left, 0) : address;
  return { prefix, address, isPart: routes.length > 0 };
}

/** The most routes inside a prefix that an answer has of each revision, by address. */
const LISTED_INSIDE = 100;

/** The address up to which all routes are listed; null: all of them are. */
function listedTo({ length }: Prefix, announced: Lookup['announced']): Prefix | null {
  let end: Prefix | null = null;
  for (const own of Map.groupBy(announced, (route) => route.revision_id).values()) {
    const inside = own.map(({ prefix }) => read(prefix)).filter((route) => route.length > length);
    if (inside.length < LISTED_INSIDE) continue;
    const last = inside.reduce((a, b) => (isAfter(b, a) ? b : a));
    if (end === null || isAfter(end, last)) end = last;
  }
  return end;
}

function isAfter({ words: a }: Prefix, { words: b }: Prefix): boolean {
  const at = a.findIndex((word, i) => word !== b[i]);
  return at >= 0 && a[at]! > b[at]!;
}

function read(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(`The service answers with ${text}, which is no prefix`);
  return parsed.value;
}
