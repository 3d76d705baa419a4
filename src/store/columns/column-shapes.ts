/**
 * What the catalog of the database does not say of a column: the shape of each JSON column, and the values of columns without a
 * check of their own. `npm run rows` reads the names, and stops when a JSON column is missing here or a named column is gone.
 */
import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import type { DomainAddress } from '../../api/entries/domain-entries.ts';
import type { EventKind } from '../../api/activity/events.ts';
import type { DeliveredEvent } from '../../api/activity/webhooks.ts';
import type { RejectedLine } from '../../api/entries/rejected-lines.ts';
import type { FeedFormat } from '../../api/feeds/feeds.ts';
import type { ServedFeed } from '../../api/feeds/served-feed.ts';
import type { FirewallRuleCounter } from '../../api/firewall/firewall-clients.ts';
import type { JobError, JobProgress, JobType } from '../../api/activity/jobs.ts';
import type { MaintenanceKind, MaintenanceParameters } from '../../api/operation/maintenance.ts';
import type { LastRefresh, Module } from '../../api/lists/modules.ts';
import type {
  Finding,
  Quarantined,
  RevisionCommunity,
  RevisionTrigger,
} from '../../api/revisions/revisions.ts';
import type { NotificationSummary, SpeakerPolicies } from '../../api/speakers/speakers.ts';
import type { TenantPolicy } from '../../api/access/tenant-policy.ts';
import type { Family } from '../../core/address.ts';
import type { AppliedSession } from '../../api/speakers/applied-session.ts';
import type { RemovedState } from './removed-state.ts';

/** Entries of a module that carried the same communities. */
export interface StoredGroup {
  /** Ids, in ascending order; null: none. */
  readonly communities: readonly (string | null)[];
  /** Ids, separated by commas; null: all that no other group names and that were not left out. */
  readonly entries: string | null;
}

/** What a peer was with which a node may go on. */
export interface DeletedPeer {
  readonly name: string;
  readonly address: string;
  readonly remote_asn: number;
}

type JsonObject = Record<string, unknown>;

export interface ColumnShapes {
  /** Of every table that has the column. */
  '*.rejected': RejectedLine[];
  'accepted_snapshot.warnings': Finding[];
  'audit_record.changes_after': JsonObject;
  'audit_record.changes_before': JsonObject;
  'domain_entry.addresses': DomainAddress[];
  'event.data': JsonObject;
  'event.kind': EventKind;
  'feed.families': Family[];
  'feed.format': FeedFormat;
  'feed.served': ServedFeed;
  'firewall_client.counters': FirewallRuleCounter[];
  'held_snapshot.findings': Finding[];
  'held_withdrawal.findings': Finding[];
  'job.error': JobError;
  'job.input': JsonObject;
  'job.progress': JobProgress;
  'job.result': JsonObject;
  'job.type': JobType;
  'limited_peer.families': Family[];
  'limited_peer.labels': string[];
  'maintenance_policy.kind': MaintenanceKind;
  'maintenance_policy.parameters': MaintenanceParameters;
  'module.doh_resolver_policy': NonNullable<Module['doh_resolver_policy']>;
  'module.families': Module['families'];
  'module.last_refresh': LastRefresh;
  'module_policy.groups': StoredGroup[];
  'peer.families': Module['families'];
  'removed_batch.module': JsonObject;
  'removed_batch.state': RemovedState;
  'removed_chunk.communities': Record<string, string>;
  'removed_chunk.entries': JsonObject[];
  'reverted_peer.notification': NotificationSummary;
  'revision.communities': RevisionCommunity[];
  'revision.findings': Finding[];
  'revision.quarantined': Quarantined[];
  'revision.trigger': RevisionTrigger;
  'revision.warnings': Finding[];
  'revision_input.families': Family[];
  'revision_input.purpose': Module['purpose'];
  'setting.value': unknown;
  'snapshot.warnings': Finding[];
  'speaker.policies_json': SpeakerPolicies;
  'speaker_apply.peers': readonly PeerApplyResult[];
  'speaker_apply.sessions': readonly AppliedSession[];
  'speaker_session.deleted_peer': DeletedPeer;
  'tenant.policy': TenantPolicy;
  'webhook.events': EventKind[];
  'webhook_delivery.data': JsonObject;
  'webhook_delivery.event': DeliveredEvent;
}
