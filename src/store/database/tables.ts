/** Rows as the driver hands them out; migrations/ says what each column means. Times are RFC 3339 text, 8-byte integers numbers. */
import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { EntryStatus } from '../../api/cdn-sources.ts';
import type { EventKind } from '../../api/events.ts';
import type { JobError, JobProgress, JobState, JobType } from '../../api/jobs.ts';
import type { LastRefresh, Module } from '../../api/modules.ts';
import type { Role } from '../../api/permissions.ts';
import type {
  Finding,
  Quarantined,
  Revision,
  RevisionCommunity,
  RevisionTrigger,
} from '../../api/revisions.ts';
import type { Daemon, LiveSession, Speaker, SpeakerPolicies } from '../../api/speakers.ts';
import type { SigningKeyTable, SpeakerBundleTable } from './bundle-tables.ts';
import type { DohProfileTable, DomainEntryTable } from './domain-tables.ts';
import type { EnrollmentTokenTable } from './node-tables.ts';
import type { PendingChangeTable } from './pending-tables.ts';
import type {
  AcceptedSnapshotTable,
  EntryListTable,
  HeldSnapshotTable,
  ReleasedSnapshotTable,
  RevisionInputTable,
} from './rail-tables.ts';
import type { PeerEndpointTable, TenantQuotaTable, TenantTable } from './tenant-tables.ts';
import type { RevertedPeerTable, SpeakerApplyTable } from './apply-tables.ts';
import type { AuditDeliveryTable, AuditOutboxTable, AuditRecordTable } from './audit-tables.ts';

export type Time = ColumnType<string, string | Date | undefined, string | Date>;
export type NullableTime = ColumnType<string | null, string | Date | null | undefined, string | Date | null>;
/** Written as JSON text, read as a value. */
type Json<T> = JSONColumnType<T & object, string, string>;
export type NullableJson<T> = ColumnType<T | null, string | null | undefined, string | null>;
export type Defaulted<T> = Generated<T>;

export interface Stamps {
  version: Generated<number>;
  created_at: Time;
  updated_at: Time;
}

export interface PrefixCounts {
  prefix_count_ipv4: Generated<number>;
  prefix_count_ipv6: Generated<number>;
}

export interface ApiKeyTable extends Stamps {
  tenant_id: string;
  id: string;
  name: string;
  role: Role;
  prefix: string;
  secret_hash: Buffer;
  previous_secret_hash: Buffer | null;
  previous_valid_until: NullableTime;
  last_used_at: NullableTime;
  expires_at: NullableTime;
  revoked_at: NullableTime;
  created_by: string | null;
  speaker_id: string | null;
}

export interface SettingTable {
  tenant_id: string;
  key: string;
  value: ColumnType<unknown, string, string>;
  updated_at: Time;
}

export interface SettingsVersionTable {
  tenant_id: string;
  version: number;
}

export interface CommunityTable extends Stamps {
  tenant_id: string;
  id: string;
  community: string;
  title: string;
  description: string | null;
  color: string | null;
  next_hop_ipv4: string | null;
  next_hop_ipv6: string | null;
}

export interface ModuleTable extends Stamps, PrefixCounts {
  tenant_id: string;
  id: string;
  name: string;
  description: string | null;
  type: Module['type'];
  purpose: Defaulted<Module['purpose']>;
  enabled: Defaulted<boolean>;
  community_id: string | null;
  refresh_interval_seconds: number | null;
  families: Defaulted<Module['families']>;
  doh_profile_ids: Defaulted<string[]>;
  doh_profile_id: string | null;
  doh_resolver_policy: NullableJson<Module['doh_resolver_policy']>;
  can_be_empty: Defaulted<boolean>;
  last_refreshed_at: NullableTime;
  last_refresh: NullableJson<LastRefresh>;
  next_refresh_at: NullableTime;
  refresh_failures: Generated<number>;
}

/** Of every entry of a module. */
export interface EntryColumns extends Stamps {
  tenant_id: string;
  id: string;
  module_id: string;
  enabled: Defaulted<boolean>;
  community_id: string | null;
}

/** Of entries that are collected from somewhere. */
export interface CollectedColumns extends PrefixCounts {
  last_refreshed_at: NullableTime;
  status: Defaulted<EntryStatus>;
  last_error: string | null;
}

export interface CdnSourceTable extends EntryColumns, CollectedColumns {
  name: string;
  url: string;
  format: Defaulted<'auto' | 'text' | 'json' | 'csv'>;
  json_path: string | null;
  csv_column: string | null;
  header_names: Defaulted<string[]>;
  headers_sealed: Buffer | null;
  etag: string | null;
  last_modified: string | null;
}

export interface AsEntryTable extends EntryColumns, CollectedColumns {
  asn: number;
  note: string | null;
  asked: string | null;
  etag: string | null;
  last_modified: string | null;
}

export interface IpRangeEntryTable extends EntryColumns {
  cidr: string;
  note: string | null;
}

export interface ContentBlockTable {
  tenant_id: string;
  hash: Buffer;
  bytes: Buffer;
}

export interface ContentTable {
  tenant_id: string;
  content_hash: Buffer;
  /** Null where base_hash, delta and step are not. */
  manifest: Buffer | null;
  block_hashes: Buffer[];
  base_hash: Buffer | null;
  delta: Buffer | null;
  step: Generated<number>;
  prefix_count_ipv4: number;
  prefix_count_ipv6: number;
  created_at: Time;
}

export interface SnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  collected_at: Time;
  entries_hash: Buffer | null;
  warnings: JSONColumnType<Finding[], string | undefined, string>;
}

export interface RevisionTable extends Stamps, PrefixCounts {
  tenant_id: string;
  id: string;
  number: number;
  state: Revision['state'];
  findings: Json<Finding[]>;
  content_hash: Buffer | null;
  parent_id: string | null;
  rollback_of: string | null;
  trigger: Json<RevisionTrigger>;
  communities: Json<RevisionCommunity[]>;
  warnings: Json<Finding[]>;
  pinned: Defaulted<boolean>;
  rails_hash: Buffer | null;
  quarantined: Json<Quarantined[]>;
}

export interface JobTable {
  tenant_id: string;
  id: string;
  type: JobType;
  state: Defaulted<JobState>;
  input: Json<Record<string, unknown>>;
  progress: NullableJson<JobProgress>;
  attempt: Generated<number>;
  queued_at: Time;
  started_at: NullableTime;
  finished_at: NullableTime;
  error: NullableJson<JobError>;
  result: NullableJson<Record<string, unknown>>;
  resource_type: string | null;
  resource_id: string | null;
  requested_by: string | null;
  parent_id: string | null;
  cancel_requested_at: NullableTime;
  parked_at: NullableTime;
  holder: string | null;
  sequence: GeneratedAlways<number>;
  created_at: Time;
  updated_at: Time;
}

export interface SpeakerTable extends Stamps {
  tenant_id: string;
  id: string;
  name: string;
  label: string | null;
  daemon: Defaulted<Daemon>;
  mode: Defaulted<Speaker['mode']>;
  router_id: string | null;
  local_asn: number;
  local_ipv4: string | null;
  local_ipv6: string | null;
  policies_json: ColumnType<SpeakerPolicies, string | undefined, string>;
  enabled: Defaulted<boolean>;
  applied_revision_id: string | null;
  applied_at: NullableTime;
  agent_version: string | null;
  agent_last_seen_at: NullableTime;
  agent_hostname: string | null;
}

export interface SpeakerLeaseTable {
  tenant_id: string;
  speaker_id: string;
  holder: string;
  expires_at: Time;
  reachable: Defaulted<boolean>;
  version: string | null;
  router_id: string | null;
  up_since: NullableTime;
  reconfigured_at: NullableTime;
  error: string | null;
  rival_hostname: string | null;
  rival_seen_at: NullableTime;
  hostname: string | null;
  daemon_router_id: string | null;
  protocols: number | null;
  protocols_up: number | null;
  obstacle: string | null;
  obstacle_at: NullableTime;
  reload_job_id: string | null;
  reload_state: 'asked' | 'done' | 'failed' | null;
  reload_error: string | null;
}

export interface PeerTable extends Stamps {
  tenant_id: string;
  id: string;
  name: string;
  description: string | null;
  address: string;
  remote_asn: number;
  families: Defaulted<Module['families']>;
  passive: Defaulted<boolean>;
  port: Defaulted<number>;
  multihop: number | null;
  password_sealed: Buffer | null;
  hold_time: Defaulted<number>;
  next_hop_ipv4: string | null;
  next_hop_ipv6: string | null;
  max_prefixes_out: number | null;
  graceful_restart: Defaulted<boolean>;
  bfd: Defaulted<boolean>;
  enabled: Defaulted<boolean>;
}

export interface PeerSpeakerTable {
  tenant_id: string;
  peer_id: string;
  speaker_id: string;
}

export interface PeerCommunityTable {
  tenant_id: string;
  peer_id: string;
  community_id: string;
}

export interface SpeakerSessionTable {
  tenant_id: string;
  speaker_id: string;
  peer_id: string;
  state: LiveSession['state'];
  since: ColumnType<string, string, string>;
  routes_exported: number;
  routes_received: number;
  updates_sent: number;
  last_error: string | null;
  reported_at: Time;
}

export interface IdempotencyKeyTable {
  tenant_id: string;
  api_key_id: string;
  key: string;
  request_hash: Buffer;
  claim: string;
  claimed_at: Time;
  answer: Buffer | null;
  created_at: Time;
}

export interface DutyTable {
  tenant_id: string;
  name: string;
  done_at: Time;
}

export interface EventTable {
  tenant_id: string;
  entry: GeneratedAlways<number>;
  sequence: number | null;
  kind: EventKind;
  data: Json<Record<string, unknown>>;
  written_at: Time;
}

export interface EventCounterTable {
  tenant_id: string;
  last_sequence: Generated<number>;
  pruned_sequence: Generated<number>;
}

export interface Tables {
  audit_record: AuditRecordTable;
  audit_outbox: AuditOutboxTable;
  audit_delivery: AuditDeliveryTable;
  tenant: TenantTable;
  tenant_quota: TenantQuotaTable;
  api_key: ApiKeyTable;
  enrollment_token: EnrollmentTokenTable;
  setting: SettingTable;
  settings_version: SettingsVersionTable;
  community: CommunityTable;
  module: ModuleTable;
  cdn_source: CdnSourceTable;
  as_entry: AsEntryTable;
  doh_profile: DohProfileTable;
  domain_entry: DomainEntryTable;
  ip_range_entry: IpRangeEntryTable;
  content_block: ContentBlockTable;
  content: ContentTable;
  snapshot: SnapshotTable;
  accepted_snapshot: AcceptedSnapshotTable;
  held_snapshot: HeldSnapshotTable;
  released_snapshot: ReleasedSnapshotTable;
  entry_list: EntryListTable;
  revision_input: RevisionInputTable;
  revision: RevisionTable;
  job: JobTable;
  speaker: SpeakerTable;
  speaker_lease: SpeakerLeaseTable;
  speaker_apply: SpeakerApplyTable;
  reverted_peer: RevertedPeerTable;
  signing_key: SigningKeyTable;
  speaker_bundle: SpeakerBundleTable;
  peer: PeerTable;
  peer_speaker: PeerSpeakerTable;
  peer_community: PeerCommunityTable;
  peer_endpoint: PeerEndpointTable;
  speaker_session: SpeakerSessionTable;
  idempotency_key: IdempotencyKeyTable;
  duty: DutyTable;
  pending_change: PendingChangeTable;
  event: EventTable;
  event_counter: EventCounterTable;
}
