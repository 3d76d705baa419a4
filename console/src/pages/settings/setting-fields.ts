/** The form of the settings, made of what the service says of them. */
import type { Schemas } from '@prefixcast/client';
import { settingsText } from '../../strings/operations.ts';
import type { FormField } from '../../views/forms/RecordForm.tsx';

export type KnownSetting = Schemas['KnownSetting'];

/** By how keys begin. */
const GROUPS = [
  { title: settingsText.groups.guardrails, prefixes: ['guard_', 'fit_'] },
  { title: settingsText.groups.applies, prefixes: ['auto_', 'deploy_'] },
  { title: settingsText.groups.routes, prefixes: ['default_', 'bgp_'] },
  { title: settingsText.groups.keeping, prefixes: ['revision_', 'bundle_', 'runtime_logs_'] },
] as const;

/** Those that begin like none of these come last. */
export function groupsOf(known: readonly KnownSetting[]): [string, readonly KnownSetting[]][] {
  const titleOf = ({ key }: KnownSetting): string =>
    GROUPS.find(({ prefixes }) => prefixes.some((prefix) => key.startsWith(prefix)))?.title ??
    settingsText.groups.others;
  const titles = [...GROUPS.map(({ title }) => title), settingsText.groups.others];
  return titles
    .map((title): [string, readonly KnownSetting[]] => [title, known.filter((one) => titleOf(one) === title)])
    .filter(([, members]) => members.length > 0);
}

export function fieldOf({ key, type, description, minimum, maximum }: KnownSetting): FormField {
  const range = minimum === null || maximum === null ? '' : ` ${settingsText.range(minimum, maximum)}`;
  const field = { name: key, label: key, hint: `${description}.${range}` };
  if (type === 'boolean') return { ...field, kind: 'toggle' };
  if (type === 'integer' || type === 'number') return { ...field, kind: 'number', isRequired: true };
  if (type.startsWith('list of')) return { ...field, kind: 'lines', isMono: true };
  if (!type.includes(','))
    return { ...field, kind: 'text', isMono: true, isRequired: !type.endsWith('or null') };
  const choices = type.split(', ').map((value) => ({ value, label: value }));
  return { ...field, kind: 'choice', isRequired: true, choices };
}
