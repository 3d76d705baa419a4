/** Names of objects in the kernel. There is one table, and nothing else is ever touched. */
import type { Family } from '../core/address.ts';

export const FAMILY = 'inet';
export const TABLE = 'prefixcast';
export const CHAINS = ['input', 'output'] as const;
export type ChainName = (typeof CHAINS)[number];

/** Before other packet filters (priority 0), after connection tracking (-200). */
export const PRIORITY = -10;

/** Sets that are the same for all rules. */
export const LOCAL_SETS = ['protected', 'control', 'resolvers'] as const;
export type LocalSetName = (typeof LOCAL_SETS)[number];

const SUFFIXES: Readonly<Record<Family, string>> = { ipv4: 'v4', ipv6: 'v6' };

export function localSet(name: LocalSetName, family: Family): string {
  return `${name}_${SUFFIXES[family]}`;
}

/**
 * The sets of a rule: the first is what it listed when the set was made, `less` what it no longer lists, and `more` what it lists in
 * addition. So a small change of a large set is a small transaction: nft reads a whole interval set to change one element of it.
 */
export function ruleSet(ruleId: string, family: Family, part: 'base' | 'less' | 'more' = 'base'): string {
  const name = `${ruleObject(ruleId)}_${SUFFIXES[family]}`;
  return part === 'base' ? name : `${name}_${part}`;
}

/** The counter of a rule. */
export function ruleObject(ruleId: string): string {
  return `rule_${ruleId.replaceAll('-', '_')}`;
}

/** The rule of a counter; null: it is not one of ours. */
export function ruleOfCounter(name: string): string | null {
  const match = /^rule_([0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12})$/.exec(name);
  return match === null ? null : match[1]!.replaceAll('_', '-');
}

/** The comment by which the kernel shows which ruleset it holds. */
export function rulesetComment(hash: string): string {
  return `ruleset ${hash}`;
}
