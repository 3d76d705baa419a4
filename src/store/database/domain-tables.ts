/** Rows of domain entries and of the resolvers that are asked for them; migrations/0004_domains.sql says what each column means. */
import type { ColumnType, Generated } from 'kysely';
import type { DomainAddress } from '../../api/domain-entries.ts';
import type { CollectedColumns, Defaulted, EntryColumns, Stamps } from './tables.ts';

export interface DohProfileTable extends Stamps {
  tenant_id: string;
  id: string;
  name: string;
  url: string;
  method: Defaulted<'GET' | 'POST'>;
  bootstrap_addresses: Defaulted<string[]>;
  client_subnet: string | null;
  timeout_ms: Generated<number>;
  header_names: Defaulted<string[]>;
  headers_sealed: Buffer | null;
  enabled: Defaulted<boolean>;
}

export interface DomainEntryTable extends EntryColumns, CollectedColumns {
  domain: string;
  note: string | null;
  addresses: ColumnType<DomainAddress[], string | undefined, string>;
}
