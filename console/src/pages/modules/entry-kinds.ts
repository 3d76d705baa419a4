/** Entries of each type of module: where they are in the API, and how one is edited. */
import { ENTRY_KINDS, type EntryMember, type ModuleType } from '../../../../src/api/entries/entry-kinds.ts';
import type { Members } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { entryKindsText } from '../../strings/entry-kinds.ts';
import type { Choice, FormField } from '../../views/forms/RecordForm.tsx';

/** What entries of every kind have, and what some have. */
export interface Entry {
  readonly id: string;
  readonly enabled: boolean;
  readonly note?: string | null;
  readonly url?: string;
  readonly community_ids: readonly string[];
  readonly expires_at: string | null;
  readonly status?: string;
  readonly last_error?: string | null;
  readonly prefix_count?: { readonly ipv4: number; readonly ipv6: number };
}

export function entriesPath({ id, type }: { id: string; type: ModuleType }): string {
  return `/v1/modules/${id}/${ENTRY_KINDS[type].path}`;
}

/** The member that is unique in a module, as a text. */
export function keyOf(type: ModuleType, entry: Entry): string {
  const value = (entry as unknown as Members)[ENTRY_KINDS[type].key] as string | number;
  return typeof value === 'number' ? `AS${value}` : value;
}

/** How the member is called that is unique in a module. */
export function keyLabel(type: ModuleType): string {
  return entryKindsText.fields[ENTRY_KINDS[type].key]!.label;
}

/** What machines read, so that each character counts. */
const MONO: ReadonlySet<string> = new Set(['cidr', 'asn', 'domain', 'url', 'json_path']);

/** The fields of an entry that not every kind has, the key first. */
function ownFields(type: ModuleType): FormField[] {
  const { key, members, ...kind } = ENTRY_KINDS[type];
  return [
    { ...fieldOf(key), isRequired: true, isFixed: 'isKeyFixed' in kind },
    ...Object.entries<EntryMember>(members).map(([name, { choices, isList, isRequired }]): FormField => {
      const field = { ...fieldOf(name), isRequired: isRequired === true };
      if (isList === true) return { ...field, kind: 'lines' };
      if (choices === undefined) return field;
      // Of a choice, something is always chosen.
      const options = choices.map((value) => ({ value, label: value }));
      return { ...field, kind: 'choice', initial: choices[0], isRequired: true, choices: options };
    }),
  ];
}

function fieldOf(name: string): FormField {
  return { name, ...entryKindsText.fields[name]!, isMono: MONO.has(name) };
}

const { fields: names } = entriesText;

export function entryFields(type: ModuleType, communities: readonly Choice[]): FormField[] {
  return [
    ...ownFields(type),
    {
      ...{ name: 'community_ids', label: names.communities, hint: names.communitiesHint, kind: 'many' },
      choices: communities,
    },
    { name: 'expires_at', label: names.expires, hint: names.expiresHint, kind: 'time' },
    { name: 'enabled', label: names.enabled, kind: 'toggle', initial: true },
  ];
}
