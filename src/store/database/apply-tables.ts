import type { PeerApplyResult } from '../../api/apply.ts';
import type { NotificationSummary } from '../../api/speakers.ts';
import type { Defaulted, NullableJson, NullableTime, Time } from './tables.ts';

export type ApplyState =
  'planned' | 'queued' | 'running' | 'succeeded' | 'failed' | 'superseded' | 'skipped' | 'undoing' | 'undone';

/** A session of a speaker as an apply left it. */
export interface AppliedSession {
  readonly peer_id: string;
  /** Since when it is up; null: it was not. */
  readonly since: string | null;
  /** Routes that it holds then, both families together; null: nobody can say. */
  readonly routes: number | null;
}

export interface SpeakerApplyTable {
  tenant_id: string;
  id: string;
  speaker_id: string;
  revision_id: string | null;
  job_id: string | null;
  sequence: Defaulted<number>;
  state: Defaulted<ApplyState>;
  bundle_sequence: number | null;
  wave: Defaulted<number>;
  previous_revision_id: string | null;
  code: string | null;
  sessions: NullableJson<readonly AppliedSession[]>;
  peers: NullableJson<readonly PeerApplyResult[]>;
  partial: Defaulted<boolean>;
  announced: number | null;
  withdrawn: number | null;
  changed: number | null;
  error: string | null;
  queued_at: Time;
  started_at: NullableTime;
  finished_at: NullableTime;
}

export interface RevertedPeerTable {
  tenant_id: string;
  speaker_id: string;
  peer_id: string;
  revision_id: string | null;
  tried_revision_id: string | null;
  since: Time;
  error: string;
  notification: NullableJson<NotificationSummary>;
  retry: boolean;
}
