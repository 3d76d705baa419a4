import type { Tone } from '../../design/shown/Badge.tsx';
import type { Webhook } from '../../service/outlets.ts';
import { webhooksText as words } from '../../strings/webhooks.ts';
import type { FormField } from '../../views/forms/RecordForm.tsx';

const { kinds } = words;
const TONES: Readonly<Record<Webhook['status'], Tone>> = { ok: 'good', failing: 'bad', disabled: 'plain' };

export function webhookState({ status, last_delivered_at: last }: Webhook): { word: string; tone: Tone } {
  // Nobody knows whether it would.
  if (status === 'ok' && last === null) return { word: words.untried, tone: 'plain' };
  return { word: words.states[status], tone: TONES[status] };
}

export const WEBHOOK_FIELDS: readonly FormField[] = [
  { name: 'name', label: words.name, isRequired: true },
  { name: 'url', label: words.url, hint: words.urlHint, isRequired: true, isMono: true },
  {
    ...{ name: 'events', label: words.events, kind: 'many', initial: ['revision', 'apply', 'module'] },
    choices: (['revision', 'apply', 'module', 'session', 'source', 'job', 'tenant', 'audit'] as const).map(
      (value) => ({
        value,
        label: kinds[value],
      }),
    ),
  },
  {
    ...{ name: 'format', label: words.format, kind: 'choice', isRequired: true, initial: 'json' },
    choices: (['json', 'slack'] as const).map((value) => ({ value, label: words.formats[value] })),
  },
  { name: 'description', label: words.description },
  { name: 'enabled', label: words.enabled, hint: words.enabledHint, kind: 'toggle', initial: true },
];
