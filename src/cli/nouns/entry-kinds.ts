/** By the type of the module: where its entries are, what names one, and what else a table shows. */
import { column, wide, type Column } from './noun.ts';

export interface EntryKind {
  readonly path: string;
  /** The member that names an entry. */
  readonly key: string;
  readonly columns: readonly Column[];
}

const NOTE = wide('NOTE', 'note');
const STATUS = [
  column('STATUS', 'status'),
  column('IPV4', 'prefix_count.ipv4'),
  column('IPV6', 'prefix_count.ipv6'),
  wide('ERROR', 'last_error'),
];

export const ENTRY_KINDS: Readonly<Record<string, EntryKind>> = {
  CDN_SOURCES: { path: 'cdn-sources', key: 'name', columns: [column('URL', 'url'), ...STATUS] },
  AS_PREFIXES: { path: 'as-entries', key: 'asn', columns: [...STATUS, NOTE] },
  DOMAINS: { path: 'domain-entries', key: 'domain', columns: [...STATUS, NOTE] },
  IP_RANGES: { path: 'ip-range-entries', key: 'cidr', columns: [column('NOTE', 'note')] },
  GEOFEED: { path: 'geofeed-entries', key: 'name', columns: [column('COUNTRIES', 'countries'), ...STATUS] },
};
