/** Rows of what rails need to know; migrations/0008_rails.sql says what each column means. */
import type { Family } from '../../core/address.ts';

export interface EntryListTable {
  tenant_id: string;
  hash: Buffer;
  entries: string;
}

export interface RevisionInputTable {
  tenant_id: string;
  revision_id: string;
  module_id: string;
  families: Family[];
  content_hash: Buffer;
  entries_hash: Buffer | null;
}
