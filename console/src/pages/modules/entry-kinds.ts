/** Entries of each type of module: where they are in the API, and how one is edited. */
import { ENTRY_KINDS, type ModuleType } from '../../../../src/api/entries/entry-kinds.ts';
import type { Members } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import type { Choice, FormField } from '../../views/records/RecordForm.tsx';

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

const PATHS: Readonly<Record<ModuleType, string>> = {
  CDN_SOURCES: 'cdn-sources',
  AS_PREFIXES: 'as-entries',
  DOMAINS: 'domain-entries',
  IP_RANGES: 'ip-range-entries',
  GEOFEED: 'geofeed-entries',
};

export function entriesPath({ id, type }: { id: string; type: ModuleType }): string {
  return `/v1/modules/${id}/${PATHS[type]}`;
}

/** The member that is unique in a module, as a text. */
export function keyOf(type: ModuleType, entry: Entry): string {
  const value = (entry as unknown as Members)[ENTRY_KINDS[type].key] as string | number;
  return typeof value === 'number' ? `AS${value}` : value;
}

const { fields: names } = entriesText;
const NOTE: FormField = { name: 'note', label: names.note };
const SOURCE: readonly FormField[] = [
  { name: 'name', label: names.name, isRequired: true },
  { name: 'url', label: names.url, isRequired: true, isMono: true },
];

const OWN: Readonly<Record<ModuleType, readonly FormField[]>> = {
  IP_RANGES: [{ name: 'cidr', label: names.cidr, isRequired: true, isMono: true }, NOTE],
  AS_PREFIXES: [{ name: 'asn', label: names.asn, isRequired: true, isFixed: true, isMono: true }, NOTE],
  DOMAINS: [{ name: 'domain', label: names.domain, isRequired: true, isFixed: true, isMono: true }, NOTE],
  CDN_SOURCES: [
    ...SOURCE,
    {
      ...{ name: 'format', label: names.format, kind: 'choice', initial: 'auto', isRequired: true },
      choices: ['auto', 'text', 'json', 'csv'].map((value) => ({ value, label: value })),
    },
    { name: 'json_path', label: names.jsonPath, hint: names.jsonPathHint, isMono: true },
    { name: 'csv_column', label: names.csvColumn, hint: names.csvColumnHint },
  ],
  GEOFEED: [
    ...SOURCE,
    { name: 'countries', label: names.countries, hint: names.countriesHint, kind: 'lines', isRequired: true },
    { name: 'regions', label: names.regions, hint: names.regionsHint, kind: 'lines' },
  ],
};

export function entryFields(type: ModuleType, communities: readonly Choice[]): FormField[] {
  return [
    ...OWN[type],
    {
      ...{ name: 'community_ids', label: names.communities, hint: names.communitiesHint, kind: 'many' },
      choices: communities,
    },
    { name: 'expires_at', label: names.expires, hint: names.expiresHint, kind: 'time' },
    { name: 'enabled', label: names.enabled, kind: 'toggle', initial: true },
  ];
}
