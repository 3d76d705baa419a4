/** Rows of bundles and of the keys that sign them, as tables.ts has those of everything else. */
import type { ColumnType } from 'kysely';
import type { NullableTime } from './tables.ts';

type Time = ColumnType<string, string | Date, string | Date>;

export interface SigningKeyTable {
  tenant_id: string;
  key_id: string;
  public_key: Buffer;
  private_sealed: Buffer | null;
  not_before: Time;
  not_after: NullableTime;
  endorsed_by: string | null;
  endorsement: Buffer | null;
  created_at: ColumnType<string, undefined, undefined>;
}

export interface SpeakerBundleTable {
  tenant_id: string;
  speaker_id: string;
  sequence: number;
  issue: number;
  fingerprint: Buffer;
  /** Null: no routes at all. */
  revision_id: string | null;
  keys_hash: Buffer;
  expires_at: Time;
  length: number;
  sha256: Buffer;
  sealed: Buffer;
  applied_sequence: number | null;
}
