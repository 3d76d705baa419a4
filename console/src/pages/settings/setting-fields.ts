/** The form of the settings, made of what the service says of them. */
import type { Schemas } from '@prefixcast/client';
import { settingsText } from '../../strings/operations.ts';
import type { Choice, FormField } from '../../views/forms/RecordForm.tsx';

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

/** What a setting names by its id, which people know by its name; by the key of the setting. */
export type Named = Readonly<Record<string, readonly Choice[]>>;

/** @param value what it is: of something that is there no more, its id is all that can be shown */
export function fieldOf(setting: KnownSetting, named: Named = {}, value?: unknown): FormField {
  const { key, type, description, minimum, maximum } = setting;
  const range = minimum === null || maximum === null ? '' : ` ${settingsText.range(minimum, maximum)}`;
  const field = { name: key, label: key, hint: `${description}.${range}` };
  const known = named[key];
  if (known !== undefined) {
    const isList = type.startsWith('list of');
    const choices = [...known, ...unknownOf(value, known)];
    return { ...field, kind: isList ? 'many' : 'choice', choices };
  }
  if (type === 'boolean') return { ...field, kind: 'toggle' };
  if (type === 'integer' || type === 'number') return { ...field, kind: 'number', isRequired: true };
  if (type.startsWith('list of')) return { ...field, kind: 'lines', isMono: true };
  if (!type.includes(','))
    return { ...field, kind: 'text', isMono: true, isRequired: !type.endsWith('or null') };
  const choices = type.split(', ').map((value) => ({ value, label: value }));
  return { ...field, kind: 'choice', isRequired: true, choices };
}

function unknownOf(value: unknown, known: readonly Choice[]): Choice[] {
  const ids = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string');
  return ids
    .filter((id) => known.every((choice) => choice.value !== id))
    .map((id) => ({ value: id, label: id }));
}
