/** What a host of the policy `accept` lets pass: the console and the command line ask about the same before it drops the rest. */

interface Rule {
  readonly id: string;
  readonly action: string;
  readonly enabled: boolean;
  /** None: it is for every host. */
  readonly client_ids: readonly string[];
}

/** Those that accept something at the host. */
export function acceptingRules<T extends Rule>(rules: readonly T[], hostId: string): readonly T[] {
  return rules.filter(
    ({ action, enabled, client_ids: ids }) =>
      enabled && action === 'accept' && (ids.length === 0 || ids.includes(hostId)),
  );
}

interface Host {
  readonly id: string;
  readonly policy: string;
}

/** Hosts of that policy at which a rule is the last one that accepts something. @param after the rule as it is then; null: it is gone */
export function hostsLeftWithout<T extends Host, R extends Rule>(
  hosts: readonly T[],
  rules: readonly R[],
  ruleId: string,
  after: R | null,
): readonly T[] {
  const then = rules.flatMap((rule) => (rule.id !== ruleId ? [rule] : after === null ? [] : [after]));
  return hosts.filter(
    ({ id, policy }) =>
      policy === 'accept' && acceptingRules(rules, id).length > 0 && acceptingRules(then, id).length === 0,
  );
}
