/** By the type of the module: where its entries are, what names one, and what else a table shows. */
import { column, wide, type Column, type Field } from './noun.ts';

export interface EntryKind {
  readonly path: string;
  /** The member that names an entry. */
  readonly key: string;
  readonly columns: readonly Column[];
  /** Options that only entries of some kinds have. */
  readonly options: readonly string[];
}

const NOTE = wide('NOTE', 'note');
const STATUS = [
  column('STATUS', 'status'),
  column('IPV4', 'prefix_count.ipv4'),
  column('IPV6', 'prefix_count.ipv6'),
  wide('ERROR', 'last_error'),
];

export const ENTRY_KINDS: Readonly<Record<string, EntryKind>> = {
  CDN_SOURCES: {
    path: 'cdn-sources',
    key: 'name',
    columns: [column('URL', 'url'), ...STATUS],
    options: ['url', 'format', 'json-path', 'csv-column'],
  },
  AS_PREFIXES: { path: 'as-entries', key: 'asn', columns: [...STATUS, NOTE], options: ['note'] },
  DOMAINS: { path: 'domain-entries', key: 'domain', columns: [...STATUS, NOTE], options: ['note'] },
  IP_RANGES: { path: 'ip-range-entries', key: 'cidr', columns: [column('NOTE', 'note')], options: ['note'] },
  GEOFEED: {
    path: 'geofeed-entries',
    key: 'name',
    columns: [column('COUNTRIES', 'countries'), ...STATUS],
    options: ['url', 'countries'],
  },
};

/** Members of entries by the options that set them; each kind takes some of them. */
export const ENTRY_FIELDS: Readonly<Record<string, Field>> = {
  note: { member: 'note', kind: 'text', about: 'for people' },
  community: { member: 'community_id', kind: 'reference', noun: 'community', about: 'of these routes' },
  enabled: { member: 'enabled', kind: 'flag', about: 'whether it counts' },
  expires: { member: 'expires_at', kind: 'text', about: 'when it leaves by itself' },
  url: { member: 'url', kind: 'text', about: 'of a source' },
  format: { member: 'format', kind: 'text', about: 'of a source' },
  'json-path': { member: 'json_path', kind: 'text', about: 'to the prefixes in a source' },
  'csv-column': { member: 'csv_column', kind: 'text', about: 'of the prefixes in a source' },
  countries: { member: 'countries', kind: 'list', about: 'of a geofeed' },
};
