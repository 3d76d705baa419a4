/** The guardrail `tenant_policy`: routes that super roles have not given the tenant. Pure, for threads and tests alike. */
import { counted } from '../../api/shapes/counted.ts';
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import { type PrefixSet, subtract } from '../../core/sets/prefix-set.ts';
import { holdsRow } from '../../core/sets/within.ts';
import { ASK, allowsCommunity } from '../../policy/limits.ts';
import type { PolicyGuardrail } from '../../policy/policy-guardrail.ts';
import type { Bad, Find } from './bad-rows.ts';

/** A finding in the making, and what it says. */
export interface Outside {
  readonly bad: Bad;
  /** Which of the checks has found it. */
  readonly rule: string;
  readonly detail: string;
}

/**
 * What the rows of one family break of the policy. O(rows x log(prefixes)).
 * @param allowedSet the addresses that it allows, and that somebody let through; undefined: any
 */
export function findOutsidePolicy(
  { labelSets }: Pick<PrefixTable, 'labelSets'>,
  rows: PrefixRows,
  policy: PolicyGuardrail,
  allowedSet: PrefixSet | undefined,
  find: Find,
): Outside[] {
  const name = rows.family === 'ipv4' ? 'IPv4' : 'IPv6';
  const carries = (isBad: (label: string) => boolean): ((row: number) => boolean) => {
    const areBad = labelSets.map((labels) => labels.some(isBad));
    return (row) => areBad[rows.labels[row]!]!;
  };
  const foreign = new Set(policy.foreignNextHops);
  const checks: readonly (readonly [
    isBad: ((row: number) => boolean) | null,
    what: (isOne: boolean) => string,
    allowed?: PrefixSet | undefined,
  ])[] = [
    [
      allowedSet === undefined ? null : (row) => !holdsRow(allowedSet, rows, row),
      (isOne) =>
        `${isOne ? 'is' : 'are'} not among those that the policy of the tenant allows (allowed_prefixes)`,
      allowedSet,
    ],
    [
      policy.communities === null ? null : carries((label) => !allowsCommunity(policy.communities, label)),
      (isOne) =>
        `${isOne ? 'carries' : 'carry'} communities that the policy of the tenant does not allow (allowed_communities)`,
    ],
    [
      foreign.size === 0 ? null : carries((label) => foreign.has(label)),
      (isOne) =>
        `${isOne ? 'carries' : 'carry'} communities whose next hop the policy of the tenant does not allow (allowed_source_addresses, allowed_peer_networks)`,
    ],
  ];
  return checks.flatMap(([isBad, what, allowed]) => {
    const bad = isBad === null ? null : find('tenant_policy', isBad);
    if (bad === null) return [];
    const isOne = bad.count === 1;
    const such = isOne ? `: ${bad.examples[0]}` : `, such as ${bad.examples[0]}`;
    const detail = `${counted(bad.count, `${name} prefix`)} ${what(isOne)}${such}. Correct what ${isOne ? 'it comes' : 'they come'} from. ${ASK}`;
    // A route may be of neighbouring entries, some of which are allowed: those have no part in it.
    const routes = allowed === undefined ? bad.routes : subtract(bad.routes, allowed);
    return [{ bad: { ...bad, routes }, rule: what(false), detail }];
  });
}
