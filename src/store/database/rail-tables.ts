/** Rows of what guardrails need to know; migrations/0008_rails.sql and 0015_held_modules.sql say what each column means. */
import type { ColumnType, Generated, JSONColumnType } from 'kysely';
import type { Finding } from '../../api/revisions.ts';
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
  left_out: Generated<string[]>;
  released: Generated<string[]>;
}

type Moment = ColumnType<string, string | undefined, string>;

export interface AcceptedSnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  entries_hash: Buffer | null;
  left_out: Generated<string[]>;
  warnings: JSONColumnType<Finding[], string | undefined, string>;
  accepted_at: Moment;
}

export interface HeldSnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  findings: JSONColumnType<Finding[], string, string>;
  entry_ids: Generated<string[]>;
  since: Moment;
}

export interface ReleasedSnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  codes: string[];
  reason: string;
  released_by: string;
  released_at: Moment;
}
