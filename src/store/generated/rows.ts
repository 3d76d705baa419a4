/** Rows as the driver hands them out, made by `npm run rows` of what migrations/ make; those say what each column means. */
import type { Generated, GeneratedAlways } from 'kysely';
import type {
  Time,
  DefaultedTime,
  NullableTime,
  Json,
  DefaultedJson,
  NullableJson,
} from '../columns/column-kinds.ts';
import type { ColumnShapes } from '../columns/column-shapes.ts';

export interface AcceptedSnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  entries_hash: Buffer | null;
  left_out: Generated<string[]>;
  warnings: DefaultedJson<ColumnShapes['accepted_snapshot.warnings']>;
  accepted_at: DefaultedTime;
}

export interface ApiKeyTable {
  tenant_id: string;
  id: string;
  name: string;
  role: 'viewer' | 'operator' | 'node' | 'firewall' | 'super_viewer' | 'super_admin';
  prefix: string;
  secret_hash: Buffer;
  previous_secret_hash: Buffer | null;
  previous_valid_until: NullableTime;
  last_used_at: NullableTime;
  expires_at: NullableTime;
  revoked_at: NullableTime;
  created_by: string | null;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  speaker_id: string | null;
  firewall_client_id: string | null;
}

export interface AsEntryTable {
  tenant_id: string;
  id: string;
  module_id: string;
  asn: number;
  note: string | null;
  enabled: Generated<boolean>;
  last_refreshed_at: NullableTime;
  status: Generated<'pending' | 'ok' | 'stale' | 'failed'>;
  last_error: string | null;
  prefix_count_ipv4: Generated<number>;
  prefix_count_ipv6: Generated<number>;
  asked: string | null;
  etag: string | null;
  last_modified: string | null;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  question_version: Generated<number>;
  expires_at: NullableTime;
  community_ids: Generated<string[]>;
  community_id: GeneratedAlways<string | null>;
}

export interface AuditDeliveryTable {
  tenant_id: string;
  holder: string | null;
  lease_expires_at: Time;
  failures: Generated<number>;
  next_attempt_at: DefaultedTime;
  last_error: string | null;
  failing_since: NullableTime;
}

export interface AuditOutboxTable {
  tenant_id: string;
  record_id: string;
  transaction_id: Generated<string>;
  sequence: GeneratedAlways<number>;
  queued_at: DefaultedTime;
  refused_at: NullableTime;
  refusal: string | null;
}

export interface AuditRecordTable {
  tenant_id: string;
  id: string;
  at: DefaultedTime;
  actor: string;
  action: string;
  severity: 'info' | 'notice' | 'warning' | 'critical';
  resource_type: string;
  resource_id: string | null;
  resource_name: string | null;
  changes_before: NullableJson<ColumnShapes['audit_record.changes_before']>;
  changes_after: NullableJson<ColumnShapes['audit_record.changes_after']>;
  request_id: string | null;
  address: string | null;
  policy_id: string | null;
}

export interface BrowserSessionTable {
  tenant_id: string;
  id: string;
  api_key_id: string;
  secret_hash: Buffer;
  key_secret_hash: Buffer;
  created_at: DefaultedTime;
  last_used_at: DefaultedTime;
}

export interface CdnSourceTable {
  tenant_id: string;
  id: string;
  module_id: string;
  name: string;
  url: string;
  format: Generated<'auto' | 'text' | 'json' | 'csv'>;
  json_path: string | null;
  csv_column: string | null;
  header_names: Generated<string[]>;
  headers_sealed: Buffer | null;
  enabled: Generated<boolean>;
  last_refreshed_at: NullableTime;
  status: Generated<'pending' | 'ok' | 'stale' | 'failed'>;
  last_error: string | null;
  prefix_count_ipv4: Generated<number>;
  prefix_count_ipv6: Generated<number>;
  etag: string | null;
  last_modified: string | null;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  name_key: string | null;
  question_version: Generated<number>;
  expires_at: NullableTime;
  community_ids: Generated<string[]>;
  community_id: GeneratedAlways<string | null>;
  rejected_count: Generated<number>;
  rejected: DefaultedJson<ColumnShapes['*.rejected']>;
}

export interface CommunityTable {
  tenant_id: string;
  id: string;
  community: string;
  title: string;
  description: string | null;
  color: string | null;
  next_hop_ipv4: string | null;
  next_hop_ipv6: string | null;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

export interface ContentTable {
  tenant_id: string;
  content_hash: Buffer;
  manifest: Buffer | null;
  block_hashes: Buffer[];
  prefix_count_ipv4: number;
  prefix_count_ipv6: number;
  created_at: DefaultedTime;
  base_hash: Buffer | null;
  delta: Buffer | null;
  step: Generated<number>;
}

export interface ContentBlockTable {
  tenant_id: string;
  hash: Buffer;
  bytes: Buffer;
}

export interface DohProfileTable {
  tenant_id: string;
  id: string;
  name: string;
  url: string;
  method: Generated<'GET' | 'POST'>;
  bootstrap_addresses: Generated<string[]>;
  client_subnet: string | null;
  timeout_ms: Generated<number>;
  header_names: Generated<string[]>;
  headers_sealed: Buffer | null;
  enabled: Generated<boolean>;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  name_key: string | null;
}

export interface DomainEntryTable {
  tenant_id: string;
  id: string;
  module_id: string;
  domain: string;
  note: string | null;
  enabled: Generated<boolean>;
  last_refreshed_at: NullableTime;
  status: Generated<'pending' | 'ok' | 'stale' | 'failed'>;
  last_error: string | null;
  prefix_count_ipv4: Generated<number>;
  prefix_count_ipv6: Generated<number>;
  addresses: DefaultedJson<ColumnShapes['domain_entry.addresses']>;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  question_version: Generated<number>;
  expires_at: NullableTime;
  community_ids: Generated<string[]>;
  community_id: GeneratedAlways<string | null>;
}

export interface DueStepTable {
  tenant_id: string;
  id: GeneratedAlways<number>;
  claimed_at: NullableTime;
}

export interface DutyTable {
  tenant_id: string;
  name: string;
  done_at: Time;
}

export interface EndedJobCountTable {
  tenant_id: string;
  state: string;
  slot: GeneratedAlways<number>;
  jobs: number;
}

export interface EnrollmentTokenTable {
  tenant_id: string;
  id: string;
  speaker_id: string | null;
  prefix: string;
  secret_hash: Buffer;
  expires_at: Time;
  used_at: NullableTime;
  created_by: string | null;
  created_at: DefaultedTime;
  firewall_client_id: string | null;
  firewall_policy: 'block' | 'accept' | null;
}

export interface EntryBeforeHoldTable {
  tenant_id: string;
  module_id: string;
  entry_id: string;
  version: number;
  content_hash: Buffer;
}

export interface EntryListTable {
  tenant_id: string;
  hash: Buffer;
  entries: string;
}

export interface EventTable {
  tenant_id: string;
  entry: GeneratedAlways<number>;
  sequence: number | null;
  kind: ColumnShapes['event.kind'];
  data: Json<ColumnShapes['event.data']>;
  written_at: DefaultedTime;
}

export interface EventCounterTable {
  tenant_id: string;
  last_sequence: Generated<number>;
  pruned_sequence: Generated<number>;
}

export interface FeedTable {
  tenant_id: string;
  id: string;
  name: string;
  description: string | null;
  community_ids: Generated<string[]>;
  module_ids: Generated<string[]>;
  families: ColumnShapes['feed.families'];
  format: ColumnShapes['feed.format'];
  max_prefixes: number | null;
  when_too_many: 'fail' | 'fit';
  allowed_networks: Generated<string[]>;
  enabled: Generated<boolean>;
  token_prefix: string;
  token_hash: Buffer;
  served: NullableJson<ColumnShapes['feed.served']>;
  served_revision_id: string | null;
  tried: string | null;
  status: Generated<'pending' | 'ok' | 'stale' | 'failed'>;
  last_error: string | null;
  last_fetched_at: NullableTime;
  last_fetched_by: string | null;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

export interface FirewallClientTable {
  tenant_id: string;
  id: string;
  name: string;
  name_key: string | null;
  hostname: string;
  policy: Generated<'block' | 'accept'>;
  protected: Generated<string[]>;
  client_version: string | null;
  last_seen_at: NullableTime;
  applied_ruleset_hash: Buffer | null;
  status: Generated<'pending' | 'applied' | 'failed' | 'reverted'>;
  last_error: string | null;
  counters: DefaultedJson<ColumnShapes['firewall_client.counters']>;
  ruleset_sequence: Generated<number>;
  ruleset_hash: Buffer | null;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

export interface FirewallRuleTable {
  tenant_id: string;
  id: string;
  name: string;
  name_key: string | null;
  action: 'block' | 'accept';
  direction: 'in' | 'out' | 'both';
  module_ids: Generated<string[]>;
  community_ids: Generated<string[]>;
  cidrs: Generated<string[]>;
  protocol: Generated<'any' | 'tcp' | 'udp' | 'icmp'>;
  ports: Generated<string[]>;
  priority: Generated<number>;
  client_ids: Generated<string[]>;
  enabled: Generated<boolean>;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

export interface GeofeedEntryTable {
  tenant_id: string;
  id: string;
  module_id: string;
  name: string;
  name_key: string | null;
  url: string;
  countries: string[];
  regions: Generated<string[]>;
  header_names: Generated<string[]>;
  headers_sealed: Buffer | null;
  enabled: Generated<boolean>;
  last_refreshed_at: NullableTime;
  status: Generated<'pending' | 'ok' | 'stale' | 'failed'>;
  last_error: string | null;
  prefix_count_ipv4: Generated<number>;
  prefix_count_ipv6: Generated<number>;
  etag: string | null;
  last_modified: string | null;
  version: Generated<number>;
  question_version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  expires_at: NullableTime;
  community_ids: Generated<string[]>;
  community_id: GeneratedAlways<string | null>;
  rejected_count: Generated<number>;
  rejected: DefaultedJson<ColumnShapes['*.rejected']>;
}

export interface HeldSnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  findings: Json<ColumnShapes['held_snapshot.findings']>;
  entry_ids: Generated<string[]>;
  since: DefaultedTime;
}

export interface HeldWithdrawalTable {
  tenant_id: string;
  module_id: string;
  name: string;
  hash: Buffer;
  state_hash: Buffer;
  findings: Json<ColumnShapes['held_withdrawal.findings']>;
  since: DefaultedTime;
}

export interface IdempotencyKeyTable {
  tenant_id: string;
  api_key_id: string;
  key: string;
  request_hash: Buffer;
  claim: string;
  claimed_at: DefaultedTime;
  answer: Buffer | null;
  created_at: DefaultedTime;
}

export interface IpRangeEntryTable {
  tenant_id: string;
  id: string;
  module_id: string;
  cidr: string;
  note: string | null;
  enabled: Generated<boolean>;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  expires_at: NullableTime;
  community_ids: Generated<string[]>;
  community_id: GeneratedAlways<string | null>;
}

export interface JobTable {
  tenant_id: string;
  id: string;
  type: ColumnShapes['job.type'];
  state: Generated<'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'>;
  input: Json<ColumnShapes['job.input']>;
  progress: NullableJson<ColumnShapes['job.progress']>;
  attempt: Generated<number>;
  queued_at: DefaultedTime;
  started_at: NullableTime;
  finished_at: NullableTime;
  error: NullableJson<ColumnShapes['job.error']>;
  result: NullableJson<ColumnShapes['job.result']>;
  resource_type: string | null;
  resource_id: string | null;
  requested_by: string | null;
  parent_id: string | null;
  cancel_requested_at: NullableTime;
  holder: string | null;
  sequence: GeneratedAlways<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  parked_at: NullableTime;
}

export interface LimitedPeerTable {
  tenant_id: string;
  speaker_id: string;
  peer_id: string;
  revision_id: string | null;
  labels: NullableJson<ColumnShapes['limited_peer.labels']>;
  families: Json<ColumnShapes['limited_peer.families']>;
}

export interface MaintenancePolicyTable {
  tenant_id: string;
  id: string;
  name: string;
  name_key: string | null;
  kind: ColumnShapes['maintenance_policy.kind'];
  parameters: Json<ColumnShapes['maintenance_policy.parameters']>;
  schedule: string | null;
  enabled: Generated<boolean>;
  next_run_at: NullableTime;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

export interface ModuleTable {
  tenant_id: string;
  id: string;
  name: string;
  description: string | null;
  type: 'CDN_SOURCES' | 'AS_PREFIXES' | 'DOMAINS' | 'IP_RANGES' | 'GEOFEED';
  purpose: Generated<'announce' | 'exclude'>;
  enabled: Generated<boolean>;
  community_id: string | null;
  refresh_interval_seconds: number | null;
  families: Generated<ColumnShapes['module.families']>;
  doh_profile_ids: Generated<string[]>;
  doh_profile_id: string | null;
  doh_resolver_policy: NullableJson<ColumnShapes['module.doh_resolver_policy']>;
  last_refreshed_at: NullableTime;
  last_refresh: NullableJson<ColumnShapes['module.last_refresh']>;
  next_refresh_at: NullableTime;
  prefix_count_ipv4: Generated<number>;
  prefix_count_ipv6: Generated<number>;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  refresh_failures: Generated<number>;
  can_be_empty: Generated<boolean>;
  name_key: string | null;
}

export interface ModuleEntryCountTable {
  tenant_id: string;
  module_id: string;
  slot: GeneratedAlways<number>;
  entries: number;
  stamp: Generated<string>;
}

export interface ModulePolicyTable {
  tenant_id: string;
  hash: Buffer;
  groups: Json<ColumnShapes['module_policy.groups']>;
}

export interface PastExpiryTable {
  tenant_id: string;
  entry_id: string;
  at: DefaultedTime;
  module_id: string | null;
  is_open: Generated<boolean>;
}

export interface PeerTable {
  tenant_id: string;
  id: string;
  name: string;
  description: string | null;
  address: string;
  remote_asn: number;
  families: Generated<ColumnShapes['peer.families']>;
  passive: Generated<boolean>;
  port: Generated<number>;
  multihop: number | null;
  password_sealed: Buffer | null;
  hold_time: Generated<number>;
  next_hop_ipv4: string | null;
  next_hop_ipv6: string | null;
  max_prefixes_out: number | null;
  graceful_restart: Generated<boolean>;
  bfd: Generated<boolean>;
  enabled: Generated<boolean>;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  name_key: string | null;
  when_too_many: Generated<'keep' | 'fit'>;
}

export interface PeerCommunityTable {
  tenant_id: string;
  peer_id: string;
  community_id: string;
}

export interface PeerEndpointTable {
  tenant_id: string;
  address: string;
  port: number;
  claimed_at: DefaultedTime;
}

export interface PeerSpeakerTable {
  tenant_id: string;
  peer_id: string;
  speaker_id: string;
}

export interface PendingChangeTable {
  tenant_id: string;
  id: GeneratedAlways<number>;
  module_id: string | null;
  needs_collect: boolean;
  needs_build: boolean;
  edits: number;
  at: DefaultedTime;
  tries: Generated<number>;
  next_try_at: NullableTime;
  is_expiry: Generated<boolean>;
  actor: Generated<string | null>;
}

export interface RangeEditTable {
  tenant_id: string;
  module_id: string;
  id: GeneratedAlways<number>;
  entry_ids: string[] | null;
}

export interface RangeStepTable {
  tenant_id: string;
  module_id: string;
  stamp: string;
  before: string;
  entry_ids: string[] | null;
  made_at: DefaultedTime;
}

export interface ReleasedSnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  codes: string[];
  reason: string;
  released_by: string;
  released_at: DefaultedTime;
}

export interface ReleasedWithdrawalTable {
  tenant_id: string;
  module_id: string;
  state_hash: Buffer;
  reason: string;
  released_by: string;
  released_at: DefaultedTime;
  revision_id: string | null;
}

export interface RemovedBatchTable {
  tenant_id: string;
  id: string;
  module_id: string;
  module: NullableJson<ColumnShapes['removed_batch.module']>;
  state: NullableJson<ColumnShapes['removed_batch.state']>;
  removed_by: string | null;
  removed_at: Time;
  transaction: number;
  restored_at: NullableTime;
  restored_by: string | null;
}

export interface RemovedChunkTable {
  tenant_id: string;
  batch_id: string;
  place: GeneratedAlways<number>;
  kind: string;
  entries: ColumnShapes['removed_chunk.entries'];
  entry_count: number;
  names: string[];
  communities: NullableJson<ColumnShapes['removed_chunk.communities']>;
}

export interface RevertedPeerTable {
  tenant_id: string;
  speaker_id: string;
  peer_id: string;
  revision_id: string | null;
  tried_revision_id: string | null;
  since: DefaultedTime;
  error: string;
  notification: NullableJson<ColumnShapes['reverted_peer.notification']>;
  retry: boolean;
  tries: Generated<number>;
  tried_at: DefaultedTime;
  returned_at: NullableTime;
  outage_seconds: number | null;
  tried_routes: number | null;
  requested: Generated<boolean>;
  narrowed: Generated<boolean>;
}

export interface RevisionTable {
  tenant_id: string;
  id: string;
  number: number;
  state: 'building' | 'ready' | 'held' | 'failed';
  findings: DefaultedJson<ColumnShapes['revision.findings']>;
  content_hash: Buffer | null;
  parent_id: string | null;
  rollback_of: string | null;
  trigger: Json<ColumnShapes['revision.trigger']>;
  prefix_count_ipv4: Generated<number>;
  prefix_count_ipv6: Generated<number>;
  communities: DefaultedJson<ColumnShapes['revision.communities']>;
  warnings: DefaultedJson<ColumnShapes['revision.warnings']>;
  pinned: Generated<boolean>;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  rails_hash: Buffer | null;
  quarantined: DefaultedJson<ColumnShapes['revision.quarantined']>;
  without_community_ipv4: number | null;
  without_community_ipv6: number | null;
  reason: string | null;
}

export interface RevisionInputTable {
  tenant_id: string;
  revision_id: string;
  module_id: string;
  families: ColumnShapes['revision_input.families'];
  content_hash: Buffer;
  entries_hash: Buffer | null;
  left_out: Generated<string[]>;
  released: Generated<string[]>;
  purpose: ColumnShapes['revision_input.purpose'];
  policy_hash: Buffer | null;
  name: string | null;
}

export interface RevisionStepTable {
  tenant_id: string;
  revision_id: string;
  previous_id: string;
  switched: string[];
}

export interface RolledBackSnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  left_out: string[] | null;
}

export interface SettingTable {
  tenant_id: string;
  key: string;
  value: Json<ColumnShapes['setting.value']>;
  updated_at: DefaultedTime;
}

export interface SettingsVersionTable {
  tenant_id: string;
  version: number;
}

export interface SigningKeyTable {
  tenant_id: string;
  key_id: string;
  public_key: Buffer;
  private_sealed: Buffer | null;
  not_before: Time;
  not_after: NullableTime;
  endorsed_by: string | null;
  endorsement: Buffer | null;
  created_at: DefaultedTime;
}

export interface SnapshotTable {
  tenant_id: string;
  module_id: string;
  content_hash: Buffer;
  collected_at: DefaultedTime;
  entries_hash: Buffer | null;
  warnings: DefaultedJson<ColumnShapes['snapshot.warnings']>;
}

export interface SpeakerTable {
  tenant_id: string;
  id: string;
  name: string;
  label: string | null;
  daemon: Generated<'builtin' | 'bird' | 'frr' | 'gobgp' | 'openbgpd'>;
  mode: Generated<'local' | 'agent'>;
  router_id: string | null;
  local_asn: number;
  local_ipv4: string | null;
  local_ipv6: string | null;
  policies_json: DefaultedJson<ColumnShapes['speaker.policies_json']>;
  enabled: Generated<boolean>;
  applied_revision_id: string | null;
  applied_at: NullableTime;
  agent_version: string | null;
  agent_last_seen_at: NullableTime;
  agent_hostname: string | null;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  name_key: string | null;
}

export interface SpeakerApplyTable {
  tenant_id: string;
  id: string;
  speaker_id: string;
  revision_id: string | null;
  job_id: string | null;
  sequence: Generated<number>;
  state: Generated<
    | 'planned'
    | 'queued'
    | 'running'
    | 'succeeded'
    | 'failed'
    | 'superseded'
    | 'skipped'
    | 'undoing'
    | 'undone'
  >;
  announced: number | null;
  withdrawn: number | null;
  changed: number | null;
  error: string | null;
  queued_at: DefaultedTime;
  started_at: NullableTime;
  finished_at: NullableTime;
  bundle_sequence: number | null;
  wave: Generated<number>;
  previous_revision_id: string | null;
  code: string | null;
  sessions: NullableJson<ColumnShapes['speaker_apply.sessions']>;
  peers: NullableJson<ColumnShapes['speaker_apply.peers']>;
  partial: Generated<boolean>;
}

export interface SpeakerBundleTable {
  tenant_id: string;
  speaker_id: string;
  sequence: number;
  issue: number;
  fingerprint: Buffer;
  revision_id: string | null;
  keys_hash: Buffer;
  expires_at: Time;
  length: number;
  sha256: Buffer;
  sealed: Buffer;
  applied_sequence: number | null;
}

export interface SpeakerLeaseTable {
  tenant_id: string;
  speaker_id: string;
  holder: string;
  expires_at: Time;
  reachable: Generated<boolean>;
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

export interface SpeakerSessionTable {
  tenant_id: string;
  speaker_id: string;
  peer_id: string;
  state: 'idle' | 'connect' | 'active' | 'open_sent' | 'open_confirm' | 'established';
  since: Time;
  routes_exported: number;
  routes_received: number;
  updates_sent: number;
  last_error: string | null;
  reported_at: DefaultedTime;
  deleted_peer: NullableJson<ColumnShapes['speaker_session.deleted_peer']>;
  next_attempt_at: NullableTime;
}

export interface StepPieceTable {
  tenant_id: string;
  revision_id: string;
  place: number;
  number: number;
  module_id: string | null;
  family: 'ipv4' | 'ipv6';
  first_address: Buffer;
  last_address: Buffer;
  bytes: Buffer;
}

export interface TenantTable {
  id: string;
  name: string;
  slug: string;
  status: Generated<'active' | 'suspended' | 'stopped'>;
  last_revision_number: Generated<number>;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
  policy: DefaultedJson<ColumnShapes['tenant.policy']>;
}

export interface TenantEntryCountTable {
  tenant_id: string;
  slot: GeneratedAlways<number>;
  entries: number;
}

export interface TenantQuotaTable {
  tenant_id: string;
  resource: string;
  maximum: number;
}

export interface WebhookTable {
  tenant_id: string;
  id: string;
  name: string;
  name_key: string | null;
  description: string | null;
  url: string;
  events: ColumnShapes['webhook.events'];
  format: 'json' | 'slack';
  enabled: Generated<boolean>;
  secret_prefix: string;
  secret_sealed: Buffer;
  version: Generated<number>;
  created_at: DefaultedTime;
  updated_at: DefaultedTime;
}

export interface WebhookDeliveryTable {
  tenant_id: string;
  webhook_id: string;
  id: string;
  number: GeneratedAlways<number>;
  event_sequence: number | null;
  event: ColumnShapes['webhook_delivery.event'];
  data: Json<ColumnShapes['webhook_delivery.data']>;
  state: 'pending' | 'delivered' | 'refused' | 'skipped';
  attempts: Generated<number>;
  attempted_at: NullableTime;
  status: number | null;
  error: string | null;
  created_at: DefaultedTime;
}

export interface WebhookTurnTable {
  tenant_id: string;
  webhook_id: string;
  position: number;
  last_delivered_at: NullableTime;
  holder: string | null;
  lease_expires_at: DefaultedTime;
  failures: Generated<number>;
  next_attempt_at: DefaultedTime;
  last_error: string | null;
  failing_since: NullableTime;
  passed: Generated<number[]>;
}

/** Every table by its name. */
export interface Tables {
  accepted_snapshot: AcceptedSnapshotTable;
  api_key: ApiKeyTable;
  as_entry: AsEntryTable;
  audit_delivery: AuditDeliveryTable;
  audit_outbox: AuditOutboxTable;
  audit_record: AuditRecordTable;
  browser_session: BrowserSessionTable;
  cdn_source: CdnSourceTable;
  community: CommunityTable;
  content: ContentTable;
  content_block: ContentBlockTable;
  doh_profile: DohProfileTable;
  domain_entry: DomainEntryTable;
  due_step: DueStepTable;
  duty: DutyTable;
  ended_job_count: EndedJobCountTable;
  enrollment_token: EnrollmentTokenTable;
  entry_before_hold: EntryBeforeHoldTable;
  entry_list: EntryListTable;
  event: EventTable;
  event_counter: EventCounterTable;
  feed: FeedTable;
  firewall_client: FirewallClientTable;
  firewall_rule: FirewallRuleTable;
  geofeed_entry: GeofeedEntryTable;
  held_snapshot: HeldSnapshotTable;
  held_withdrawal: HeldWithdrawalTable;
  idempotency_key: IdempotencyKeyTable;
  ip_range_entry: IpRangeEntryTable;
  job: JobTable;
  limited_peer: LimitedPeerTable;
  maintenance_policy: MaintenancePolicyTable;
  module: ModuleTable;
  module_entry_count: ModuleEntryCountTable;
  module_policy: ModulePolicyTable;
  past_expiry: PastExpiryTable;
  peer: PeerTable;
  peer_community: PeerCommunityTable;
  peer_endpoint: PeerEndpointTable;
  peer_speaker: PeerSpeakerTable;
  pending_change: PendingChangeTable;
  range_edit: RangeEditTable;
  range_step: RangeStepTable;
  released_snapshot: ReleasedSnapshotTable;
  released_withdrawal: ReleasedWithdrawalTable;
  removed_batch: RemovedBatchTable;
  removed_chunk: RemovedChunkTable;
  reverted_peer: RevertedPeerTable;
  revision: RevisionTable;
  revision_input: RevisionInputTable;
  revision_step: RevisionStepTable;
  rolled_back_snapshot: RolledBackSnapshotTable;
  setting: SettingTable;
  settings_version: SettingsVersionTable;
  signing_key: SigningKeyTable;
  snapshot: SnapshotTable;
  speaker: SpeakerTable;
  speaker_apply: SpeakerApplyTable;
  speaker_bundle: SpeakerBundleTable;
  speaker_lease: SpeakerLeaseTable;
  speaker_session: SpeakerSessionTable;
  step_piece: StepPieceTable;
  tenant: TenantTable;
  tenant_entry_count: TenantEntryCountTable;
  tenant_quota: TenantQuotaTable;
  webhook: WebhookTable;
  webhook_delivery: WebhookDeliveryTable;
  webhook_turn: WebhookTurnTable;
}
