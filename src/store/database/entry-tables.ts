/** The tables of entries, one of each kind: what a statement over all of them needs to know about each. */
import { type RawBuilder, sql } from 'kysely';
import { ENTRY_TYPES, type EntryType } from '../../api/entries/entry-kinds.ts';
import type { Tables } from '../generated/rows.ts';

/** The tables of entries that have the column. */
type TablesWith<Column extends string> = {
  [T in EntryType]: Column extends keyof Tables[T] ? T : never;
}[EntryType];
type ValidatedTable = TablesWith<'etag'>;
export type FetchedTable = TablesWith<'headers_sealed'>;

interface EntryTableFacts {
  /** The type of the column that is unique in a module. */
  readonly keyType: RawBuilder<unknown>;
  /** The value of an entry in a lookup. */
  readonly value: RawBuilder<string>;
  /** The name by which operators know an entry. */
  readonly name: RawBuilder<string>;
  /** The name of an entry in a sentence. */
  readonly title: RawBuilder<string>;
  /** What `q` looks at: see `searched_texts` of the database. */
  readonly searched: readonly RawBuilder<string>[];
  /** Whether lists come with validators. */
  readonly hasValidators: boolean;
  /** For lists with a URL: columns that determine the answer. If one of them changes, the validators are void. */
  readonly asking: readonly string[];
}

export const ENTRY_TABLES: Readonly<Record<EntryType, EntryTableFacts>> = {
  cdn_source: {
    ...{ keyType: sql`text`, value: sql`url`, name: sql`name`, title: sql`'the CDN source ' || name` },
    ...{ hasValidators: true, asking: ['url', 'format', 'json_path', 'csv_column'] },
    searched: [sql`name`, sql`url`],
  },
  as_entry: {
    ...{ keyType: sql`bigint`, value: sql`'AS' || asn`, name: sql`'AS' || asn`, title: sql`'AS' || asn` },
    ...{ hasValidators: true, asking: [] },
    searched: [sql`('AS' || asn::text)`, sql`note`],
  },
  domain_entry: {
    ...{ keyType: sql`text`, value: sql`domain`, name: sql`domain`, title: sql`'the domain ' || domain` },
    ...{ hasValidators: false, asking: [] },
    searched: [sql`domain`, sql`note`],
  },
  ip_range_entry: {
    ...{
      keyType: sql`cidr`,
      value: sql`cidr::text`,
      name: sql`cidr::text`,
      title: sql`'the range ' || cidr`,
    },
    ...{ hasValidators: false, asking: [] },
    searched: [sql`cidr::text`, sql`note`],
  },
  geofeed_entry: {
    ...{ keyType: sql`text`, value: sql`url`, name: sql`name`, title: sql`'the geofeed ' || name` },
    ...{ hasValidators: true, asking: ['url', 'countries', 'regions'] },
    searched: [sql`name`, sql`url`],
  },
};

export const VALIDATED_TABLES = ENTRY_TYPES.filter(
  (type): type is ValidatedTable => ENTRY_TABLES[type].hasValidators,
);
export const FETCHED_TABLES = ENTRY_TYPES.filter(
  (type): type is FetchedTable => ENTRY_TABLES[type].asking.length > 0,
);
