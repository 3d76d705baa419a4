/** The parts that are read of `nft -j list` of our table (libnftables-json(5)). */
import { parseAddress } from '../core/address.ts';
import { parsePrefix } from '../core/prefix.ts';
import { PrefixSetBuilder, equalSets, type PrefixSet } from '../core/sets/prefix-set.ts';
import { countRules } from './chains.ts';
import type { Layout } from './layout.ts';
import { CHAINS, FAMILY, TABLE, ruleOfCounter, rulesetComment, type ChainName } from './names.ts';

interface ListedObject {
  readonly family?: string;
  readonly table?: string;
  readonly name?: string;
}

export interface Listing {
  readonly nftables: readonly {
    readonly table?: ListedObject;
    readonly set?: ListedObject & { readonly type?: string; readonly elem?: readonly Element[] };
    readonly chain?: ListedObject & { readonly policy?: string };
    readonly rule?: ListedObject & {
      readonly chain?: string;
      readonly comment?: string;
      readonly expr?: unknown;
    };
    readonly counter?: ListedObject & { readonly packets: number; readonly bytes: number };
  }[];
}

type Element =
  | string
  | { readonly prefix: { readonly addr: string; readonly len: number } }
  | { readonly range: readonly [string, string] };

export interface RuleCounter {
  readonly rule_id: string;
  readonly packets: number;
  readonly bytes: number;
}

/** Thrown for elements that no set of ours has. */
class ListingError extends Error {
  override readonly name = 'ListingError';
}

function isOurs(object: ListedObject | undefined): boolean {
  return object?.family === FAMILY && object.table === TABLE;
}

/** Whether our table exists. */
export function hasTable({ nftables }: Listing): boolean {
  return nftables.some(({ table }) => table?.family === FAMILY && table.name === TABLE);
}

export function countersOf({ nftables }: Listing): RuleCounter[] {
  return nftables.flatMap(({ counter }) => {
    const id = isOurs(counter) ? ruleOfCounter(counter!.name ?? '') : null;
    return id === null ? [] : [{ rule_id: id, packets: counter!.packets, bytes: counter!.bytes }];
  });
}

/**
 * What the rules of our chains say, in their order: without handles, which are new each time. The elements of a set within a rule
 * have no order.
 */
export function rulesOf({ nftables }: Listing): Readonly<Record<ChainName, readonly string[]>> {
  const of = (chain: ChainName): string[] =>
    nftables.flatMap(({ rule }) =>
      isOurs(rule) && rule!.chain === chain
        ? [JSON.stringify([rule!.comment, rule!.expr], withoutOrder)]
        : [],
    );
  return { input: of('input'), output: of('output') };
}

function withoutOrder(key: string, value: unknown): unknown {
  if (key !== 'set' || !Array.isArray(value)) return value;
  return value.map((element) => JSON.stringify(element)).sort();
}

/** The first chain whose rules are others than they were, in words; null: there is none. */
export function changedRulesFault(
  before: ReturnType<typeof rulesOf>,
  now: ReturnType<typeof rulesOf>,
): string | null {
  for (const chain of CHAINS) {
    const index = before[chain].findIndex((rule, at) => rule !== now[chain][at]);
    if (index >= 0) return `rule ${index + 1} of the chain ${chain} was changed`;
  }
  return null;
}

/** How a listing without elements differs from what was applied, in words; null: it does not. */
export function structureFault({ nftables }: Listing, { script, shape, sets }: Layout): string | null {
  if (!hasTable({ nftables })) return `the table ${FAMILY} ${TABLE} is gone`;
  const wanted = countRules(shape);
  for (const chain of CHAINS) {
    const found = nftables.find((one) => isOurs(one.chain) && one.chain!.name === chain)?.chain;
    if (found === undefined) return `the chain ${chain} is gone`;
    const policy = script.policy === 'accept' ? 'drop' : 'accept';
    if (found.policy !== policy) return `the policy of the chain ${chain} is ${found.policy}, not ${policy}`;
    const fault = rulesFault(nftables, chain, wanted[chain], rulesetComment(script.hash));
    if (fault !== null) return fault;
  }
  const names = nftables.flatMap(({ set }) => (isOurs(set) ? [set!.name ?? ''] : [])).sort();
  const expected = [...sets.keys()].sort();
  if (names.join() !== expected.join()) {
    const strange = names.find((name) => !sets.has(name));
    const lacking = expected.find((name) => !names.includes(name));
    return strange === undefined
      ? `the set ${lacking} is gone`
      : `the set ${strange} is not one of the ruleset`;
  }
  return null;
}

function rulesFault(
  nftables: Listing['nftables'],
  chain: ChainName,
  wanted: number,
  comment: string,
): string | null {
  const rules = nftables.flatMap(({ rule }) => (isOurs(rule) && rule!.chain === chain ? [rule!] : []));
  if (rules.length !== wanted) return `the chain ${chain} has ${rules.length} rules, not ${wanted}`;
  return rules.some((rule) => rule.comment === comment) ? null : `the chain ${chain} holds another ruleset`;
}

/** The first listed set that does not hold what it should, in words; null: there is none. */
export function elementsFault({ nftables }: Listing, sets: Layout['sets']): string | null {
  for (const { set } of nftables) {
    if (set === undefined || !isOurs(set)) continue;
    const wanted = sets.get(set.name ?? '');
    if (wanted !== undefined && !equalSets(readElements(wanted.family, set.elem ?? []), wanted))
      return `the set ${set.name} holds other prefixes`;
  }
  return null;
}

/** Elements as the fewest prefixes. The kernel joins neighbours, and lists some as ranges. */
function readElements(family: PrefixSet['family'], elements: readonly Element[]): PrefixSet {
  const builder = new PrefixSetBuilder(family);
  const addressOf = (text: string): Uint32Array | readonly number[] => {
    const parsed = parseAddress(text);
    if (!parsed.ok) throw new ListingError(`nft lists ${text}, which is not an address`);
    return parsed.value.words;
  };
  for (const element of elements) {
    if (typeof element === 'object' && 'range' in element) {
      builder.addRange(addressOf(element.range[0]), addressOf(element.range[1]));
      continue;
    }
    const text = typeof element === 'string' ? element : `${element.prefix.addr}/${element.prefix.len}`;
    const parsed = parsePrefix(text);
    if (!parsed.ok || parsed.value.family !== family)
      throw new ListingError(`nft lists ${text}, which is not a prefix`);
    builder.add(parsed.value.words, parsed.value.length);
  }
  return builder.build();
}
