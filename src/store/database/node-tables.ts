/** Rows of what node agents need; migrations/0011_nodes.sql says what each column means. */
import type { ColumnType, Generated } from 'kysely';

export interface EnrollmentTokenTable {
  tenant_id: string;
  id: string;
  speaker_id: string;
  prefix: string;
  secret_hash: Buffer;
  expires_at: ColumnType<string>;
  used_at: ColumnType<string | null>;
  created_by: string | null;
  created_at: Generated<string>;
}
