/**
 * What the catalog of the database does not say of a column: the shape of each JSON column, and the values of columns without a
 * check of their own. `npm run rows` reads the names, and stops when a JSON column is missing here or a named column is gone.
 */
import type { PeerApplyResult } from '../../api/apply.ts';
import type { DomainAddress } from '../../api/domain-entries.ts';
import type { EventKind } from '../../api/events.ts';
import type { JobError, JobProgress, JobType } from '../../api/jobs.ts';
import type { LastRefresh, Module } from '../../api/modules.ts';
import type { Finding, Quarantined, RevisionCommunity, RevisionTrigger } from '../../api/revisions.ts';
import type { NotificationSummary, SpeakerPolicies } from '../../api/speakers.ts';
import type { TenantPolicy } from '../../api/tenant-policy.ts';
import type { Family } from '../../core/address.ts';
import type { AppliedSession } from './applied-session.ts';

type JsonObject = Record<string, unknown>;

export interface ColumnShapes {
  'accepted_snapshot.warnings': Finding[];
  'audit_record.changes_after': JsonObject;
  'audit_record.changes_before': JsonObject;
  'domain_entry.addresses': DomainAddress[];
  'event.data': JsonObject;
  'event.kind': EventKind;
  'held_snapshot.findings': Finding[];
  'job.error': JobError;
  'job.input': JsonObject;
  'job.progress': JobProgress;
  'job.result': JsonObject;
  'job.type': JobType;
  'module.doh_resolver_policy': NonNullable<Module['doh_resolver_policy']>;
  'module.families': Module['families'];
  'module.last_refresh': LastRefresh;
  'peer.families': Module['families'];
  'reverted_peer.notification': NotificationSummary;
  'revision.communities': RevisionCommunity[];
  'revision.findings': Finding[];
  'revision.quarantined': Quarantined[];
  'revision.trigger': RevisionTrigger;
  'revision.warnings': Finding[];
  'revision_input.families': Family[];
  'setting.value': unknown;
  'snapshot.warnings': Finding[];
  'speaker.policies_json': SpeakerPolicies;
  'speaker_apply.peers': readonly PeerApplyResult[];
  'speaker_apply.sessions': readonly AppliedSession[];
  'tenant.policy': TenantPolicy;
}
