/** What a host of the policy `accept` lets pass: the console and the command line ask about the same before it drops the rest. */

interface Rule {
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
