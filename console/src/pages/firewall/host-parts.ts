import type { Schemas } from '@prefixcast/client';
import type { Tone } from '../../design/shown/Badge.tsx';
import { firewallHostText as words } from '../../strings/firewall-host.ts';
import { firewallText } from '../../strings/host.ts';
import type { FormField } from '../../views/forms/RecordForm.tsx';

export type Host = Schemas['FirewallClient'];

interface State {
  readonly word: string;
  readonly tone: Tone;
}

/** Whether it reports. */
export function hostState({ online, last_seen_at }: Host): State {
  if (online) return { word: words.states.online, tone: 'good' };
  return last_seen_at === null
    ? { word: words.states.unheard, tone: 'warning' }
    : { word: words.states.away, tone: 'bad' };
}

/** Whether it has the rules that it should have. The service makes them when a host asks: of one that is away, nobody knows. */
export function rulesetState({ status, online, ruleset_hash, applied_ruleset_hash }: Host): State {
  const { rulesets } = words;
  if (status === 'failed' || status === 'reverted') return { word: rulesets[status], tone: 'bad' };
  if (applied_ruleset_hash === null) return { word: rulesets.none, tone: 'warning' };
  if (applied_ruleset_hash !== ruleset_hash) return { word: rulesets.behind, tone: 'warning' };
  return online ? { word: rulesets.current, tone: 'good' } : { word: rulesets.unknown, tone: 'plain' };
}

export const HOST_FIELDS: readonly FormField[] = [
  { name: 'name', label: firewallText.name, isRequired: true },
  {
    ...{ name: 'policy', label: words.policy, hint: words.policyHint, kind: 'choice', isRequired: true },
    choices: (['block', 'accept'] as const).map((value) => ({ value, label: words.policies[value] })),
  },
  {
    ...{ name: 'protected', label: words.protected, hint: words.protectedHint },
    ...{ kind: 'lines', isMono: true },
  },
];
