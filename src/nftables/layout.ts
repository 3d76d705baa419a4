/**
 * Which part of a ruleset is in which set of the kernel, and the transaction from one ruleset to the next: unchanged sets are not touched,
 * small changes of large sets go into their `less` and `more`, and everything else is rebuilt.
 */
import { FAMILIES, type Family } from '../core/address.ts';
import { equalSets, subtract, type PrefixSet } from '../core/sets/prefix-set.ts';
import type { ChainsShape, ScriptRule } from './chains.ts';
import { CHAINS, FAMILY, TABLE, ruleObject, ruleSet } from './names.ts';
import { localSets, shapeOf, writeChains, writeScript, writeSet, type Script } from './script.ts';

/** A set of up to this many prefixes is rebuilt whenever it changes. */
const SMALL = 1_024;
/** `less` and `more` together hold at most this share of the set that they change. */
const WORTHWHILE = 1 / 8;

interface Parts {
  readonly base: PrefixSet;
  readonly less: PrefixSet;
  readonly more: PrefixSet;
}

/** What the kernel holds after the transaction. */
export interface Layout {
  readonly script: Script;
  readonly shape: ChainsShape;
  /** Every set by its name. */
  readonly sets: ReadonlyMap<string, PrefixSet>;
}

export interface Transaction {
  readonly layout: Layout;
  /** The script, in pieces. */
  readonly write: () => Iterable<string>;
  /** Names of the sets that it creates. */
  readonly made: readonly string[];
}

/** From any state of the table. */
export function wholeTransaction(script: Script): Transaction {
  const sets = new Map(localSets(script));
  for (const { rule, ...of } of script.sets)
    for (const family of FAMILIES) if (of[family].size > 0) sets.set(ruleSet(rule.id, family), of[family]);
  const shape = shapeOf(script, (set) => ({ base: set.size > 0, less: false, more: false }));
  return {
    layout: { script, shape, sets },
    write: () => writeScript(script),
    made: [...sets.keys()],
  };
}

/** From what the kernel holds to another ruleset. */
export function nextTransaction(before: Layout, script: Script): Transaction {
  const sets = new Map(localSets(script));
  const parts = new Map<string, Parts>();
  for (const { rule, ...of } of script.sets)
    for (const family of FAMILIES) {
      const found = partsOf(before, rule, family, of[family]);
      parts.set(ruleSet(rule.id, family), found);
      for (const part of ['base', 'less', 'more'] as const)
        if (found[part].size > 0) sets.set(ruleSet(rule.id, family, part), found[part]);
    }
  const shape = shapeOf(script, (_, rule, family) => {
    const { base, less, more } = parts.get(ruleSet(rule.id, family))!;
    return { base: base.size > 0, less: less.size > 0, more: more.size > 0 };
  });
  const isSame = (name: string): boolean => {
    const [one, other] = [before.sets.get(name), sets.get(name)];
    return one !== undefined && other !== undefined && (one === other || equalSets(one, other));
  };
  const gone = [...before.sets.keys()].filter((name) => !isSame(name));
  const made = [...sets.keys()].filter((name) => !isSame(name));
  return {
    layout: { script, shape, sets },
    made,
    *write() {
      yield `${CHAINS.map((chain) => `flush chain ${FAMILY} ${TABLE} ${chain}`).join('\n')}\n`;
      for (const name of gone) yield `delete set ${FAMILY} ${TABLE} ${name}\n`;
      yield* countersBetween(before.script, script);
      for (const name of made) yield* writeSet(name, sets.get(name)!);
      yield* writeChains(shape);
    },
  };
}

function partsOf(before: Layout, { id }: ScriptRule, family: Family, set: PrefixSet): Parts {
  const none: PrefixSet = {
    ...set,
    size: 0,
    words: set.words.subarray(0, 0),
    lengths: set.lengths.subarray(0, 0),
  };
  const whole = { base: set, less: none, more: none };
  const base = before.sets.get(ruleSet(id, family));
  if (base === undefined || base.size <= SMALL || set.size === 0) return whole;
  const less = subtract(base, set);
  const more = subtract(set, base);
  return less.size + more.size <= base.size * WORTHWHILE ? { base, less, more } : whole;
}

function* countersBetween(before: Script, after: Script): Generator<string> {
  const ids = ({ sets }: Script): Set<string> => new Set(sets.map(({ rule }) => rule.id));
  const [had, has] = [ids(before), ids(after)];
  for (const id of had) if (!has.has(id)) yield `delete counter ${FAMILY} ${TABLE} ${ruleObject(id)}\n`;
  for (const id of has) if (!had.has(id)) yield `add counter ${FAMILY} ${TABLE} ${ruleObject(id)}\n`;
}
