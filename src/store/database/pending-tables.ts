/** Rows of edits that no revision holds yet; migrations/0016_pending_changes.sql says what each column means. */
import type { Generated, GeneratedAlways } from 'kysely';

export interface PendingChangeTable {
  tenant_id: string;
  id: GeneratedAlways<number>;
  module_id: string | null;
  needs_collect: boolean;
  needs_build: boolean;
  edits: number;
  at: Generated<string>;
  tries: Generated<number>;
  next_try_at: string | null;
}
