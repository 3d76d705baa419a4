/** Scripts for `nft -f`: each is one transaction, which the kernel applies completely or not at all. */
import type { FirewallPolicy } from '../api/firewall/firewall-clients.ts';
import { FAMILIES, type Family } from '../core/address.ts';
import { formatLines } from '../core/prefix-format.ts';
import type { PrefixSet } from '../core/sets/prefix-set.ts';
import { setOfTexts } from '../core/sets/set-of-texts.ts';
import {
  chainLine,
  chainRules,
  type ChainsShape,
  type OpenConnection,
  type RuleShape,
  type ScriptRule,
} from './chains.ts';
import {
  CHAINS,
  FAMILY,
  LOCAL_SETS,
  TABLE,
  localSet,
  ruleObject,
  ruleSet,
  type LocalSetName,
} from './names.ts';

/** Prefixes per piece of text. */
const SLICE = 2_048;

/** What a rule lists. */
export interface ScriptSet {
  readonly rule: ScriptRule;
  readonly ipv4: PrefixSet;
  readonly ipv6: PrefixSet;
}

/** Addresses that only the host knows. */
export interface LocalAddresses {
  /** Addresses of the control plane. */
  readonly control: readonly { readonly address: string; readonly port: number }[];
  /** Addresses from which the host is administered. */
  readonly sessions: readonly string[];
  /** Resolvers of the host. */
  readonly resolvers: readonly string[];
  /** Connections that were open when the table was made. */
  readonly connections: readonly OpenConnection[];
}

export interface Script {
  readonly hash: string;
  readonly policy: FirewallPolicy;
  readonly protected: readonly string[];
  readonly sets: readonly ScriptSet[];
  readonly local: LocalAddresses;
}

/** The script that replaces the whole table, whatever it contains. */
export function* writeScript(script: Script): Generator<string> {
  yield `add table ${FAMILY} ${TABLE}\ndelete table ${FAMILY} ${TABLE}\nadd table ${FAMILY} ${TABLE}\n`;
  yield* writeLocalSets(script);
  for (const { rule, ...sets } of script.sets) {
    yield `add counter ${FAMILY} ${TABLE} ${ruleObject(rule.id)}\n`;
    for (const family of FAMILIES)
      if (sets[family].size > 0) yield* writeSet(ruleSet(rule.id, family), sets[family]);
  }
  yield* writeChains(shapeOf(script, (set) => ({ base: set.size > 0, less: false, more: false })));
}

/** The chains of a script whose sets have these parts. */
export function shapeOf(
  { hash, policy, local, sets }: Script,
  partsOf: (set: PrefixSet, rule: ScriptRule, family: Family) => RuleShape['parts'][Family],
): ChainsShape {
  return {
    hash,
    policy,
    controlPorts: local.control.map(({ port }) => port),
    connections: local.connections,
    rules: sets.map(({ rule, ipv4, ipv6 }) => ({
      rule,
      parts: { ipv4: partsOf(ipv4, rule, 'ipv4'), ipv6: partsOf(ipv6, rule, 'ipv6') },
    })),
  };
}

export function* writeChains(shape: ChainsShape): Generator<string> {
  yield `${CHAINS.map((chain) => chainLine(chain, shape.policy)).join('\n')}\n`;
  yield `${chainRules(shape).join('\n')}\n`;
}

/** The sets that are the same for all rules, by name. */
export function localSets({ protected: kept, local }: Script): ReadonlyMap<string, PrefixSet> {
  const texts: Readonly<Record<LocalSetName, readonly string[]>> = {
    protected: [...kept, ...local.sessions],
    control: local.control.map(({ address }) => address),
    resolvers: local.resolvers,
  };
  return new Map(
    LOCAL_SETS.flatMap((name) =>
      FAMILIES.map((family) => [localSet(name, family), setOfTexts(family, texts[name])] as const),
    ),
  );
}

function* writeLocalSets(script: Script): Generator<string> {
  for (const [name, set] of localSets(script)) yield* writeSet(name, set);
}

/** A new set with its elements. */
export function* writeSet(name: string, set: PrefixSet): Generator<string> {
  const type = set.family === 'ipv4' ? 'ipv4_addr' : 'ipv6_addr';
  yield `add set ${FAMILY} ${TABLE} ${name} { type ${type}; flags interval; `;
  for (let at = 0; at < set.size; at += SLICE) {
    const lines = Buffer.from(formatLines(set, at, Math.min(set.size, at + SLICE))).toString('latin1');
    yield `${at === 0 ? 'elements = { ' : ',\n'}${lines.trimEnd().replaceAll('\n', ', ')}`;
  }
  yield set.size === 0 ? '}\n' : ' } }\n';
}
