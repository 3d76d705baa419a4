/** What `GET /v1/events` sends: the data of each kind of event, one JSON object a line (server-sent events, WHATWG HTML, 9.2). */
import { Type, type Static, type TSchema } from 'typebox';
import { EntryStatus } from '../entries/collected-entries.ts';
import { SourceType } from '../entries/sources.ts';
import { JobError, JobProgress, JobResource, JobState, JobType } from './jobs.ts';
import { Id, Nullable, PrefixCount, Strict, Timestamp } from '../shapes/page.ts';
import { RevisionState, RevisionTrigger } from '../revisions/revisions.ts';
import { SessionStateName } from '../speakers/speakers.ts';
import { TenantPolicy } from '../access/tenant-policy.ts';
import { TenantStatus } from '../access/tenants.ts';
import { AuditRecord } from './audit.ts';

export const EVENT_KINDS = [
  'job',
  'revision',
  'session',
  'apply',
  'module',
  'source',
  'tenant',
  'audit',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

const at = Timestamp;

/** A job was asked for, or its state, progress or attempt changed. */
export const JobEvent = Strict({
  at,
  id: Id,
  type: JobType,
  state: JobState,
  progress: Nullable(JobProgress),
  attempt: Type.Integer({ minimum: 0 }),
  resource: Nullable(JobResource),
  parent_id: Nullable(Id),
  requested_by: Nullable(Type.String()),
  started_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
  error: Nullable(JobError),
});

/** A revision was made, or its state changed. */
export const RevisionEvent = Strict({
  at,
  id: Id,
  number: Type.Integer({ minimum: 1 }),
  state: RevisionState,
  content_hash: Nullable(Type.String()),
  parent_id: Nullable(Id),
  rollback_of: Nullable(Id),
  trigger: RevisionTrigger,
  prefix_count: PrefixCount,
});

/** A BGP session changed its state. */
export const SessionEvent = Strict({
  at,
  speaker_id: Id,
  peer_id: Id,
  state: Nullable(SessionStateName, 'Null: there is no such session any more'),
  since: Nullable(Timestamp),
  last_error: Nullable(Type.String()),
});

/** What one speaker does with a revision changed its state. Counts are routes, null until it has ended well. */
export const ApplyEvent = Strict({
  at,
  id: Id,
  job_id: Nullable(Id),
  speaker_id: Id,
  revision_id: Nullable(Id, 'Null: whatever the speaker runs'),
  state: Type.Enum([
    'planned',
    'queued',
    'running',
    'succeeded',
    'failed',
    'superseded',
    'skipped',
    'undoing',
    'undone',
  ]),
  wave: Type.Integer({ minimum: 0, description: '0: a canary; from 1 on: the waves of the others' }),
  announced: Nullable(Type.Integer()),
  withdrawn: Nullable(Type.Integer()),
  changed: Nullable(Type.Integer()),
  code: Nullable(Type.String()),
  error: Nullable(Type.String()),
  partial: Type.Boolean({
    description: 'The speaker runs the revision, but not every peer has it: `error` names these',
  }),
});

/** A module is held, for another snapshot than before, or no more. */
export const ModuleEvent = Strict({
  at,
  id: Id,
  held: Nullable(
    Strict({
      since: Timestamp,
      snapshot: Type.String(),
      codes: Type.Array(Type.String(), { description: 'The guardrails that it breaks' }),
    }),
    'Null: it is no longer held',
  ),
});

/** Sources of a module are read again, or not any more: their status changed at the same time. */
export const SourceEvent = Strict({
  at,
  module_id: Id,
  type: SourceType,
  count: Type.Integer({ minimum: 1, description: 'How many changed' }),
  sources: Type.Array(
    Strict({
      id: Id,
      name: Type.String({ examples: ['AS64496'] }),
      status: EntryStatus,
      last_error: Nullable(Type.String()),
    }),
    { description: 'The first 100 of them, in the order of creation' },
  ),
});

/** Super roles changed what the tenant may do, or whether it may do anything. */
export const TenantEvent = Strict({ at, id: Id, status: TenantStatus, policy: TenantPolicy });

/** The audit log has a new record: somebody changed something, or the service did. What changed, the record says. */
export const AuditEvent = Strict({
  at,
  id: Id,
  actor: AuditRecord.properties.actor,
  action: AuditRecord.properties.action,
  severity: AuditRecord.properties.severity,
  resource: AuditRecord.properties.resource,
});

/** Events were missed for good: read again what matters. The stream goes on from now. */
export const ResetEvent = Strict({
  last_event_id: Type.String({ description: 'The id of an event that is not kept: too old, or never sent' }),
});

/** Of every kind, and `reset`. */
export const EVENT_DATA = [
  ...[JobEvent, RevisionEvent, SessionEvent, ApplyEvent, ModuleEvent, SourceEvent, TenantEvent, AuditEvent],
  ResetEvent,
] as const;

const eventOf = (event: EventKind | 'reset', data: TSchema) =>
  Type.Object({
    id: Type.String({ description: 'What the stream resumes from', examples: ['1042'] }),
    event: Type.Literal(event),
    data,
  });

/** One event of the stream: its fields `id` and `event`, and the JSON of its field `data`. */
export const StreamEvent = Type.Union(
  [
    eventOf('job', JobEvent),
    eventOf('revision', RevisionEvent),
    eventOf('session', SessionEvent),
    eventOf('apply', ApplyEvent),
    eventOf('module', ModuleEvent),
    eventOf('source', SourceEvent),
    eventOf('tenant', TenantEvent),
    eventOf('audit', AuditEvent),
    eventOf('reset', ResetEvent),
  ],
  { description: 'The fields `id` and `event` of a server-sent event, and the JSON of its field `data`' },
);

/** Server-sent events, as a text of which each event is a {@link StreamEvent}. */
export const EventStream = Type.String({
  description: 'Server-sent events; `contentSchema` describes one of them',
  contentMediaType: 'text/event-stream',
  contentSchema: StreamEvent,
});

export const EventQuery = Strict({
  last_event_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'For clients that cannot set the header `Last-Event-ID`, which takes precedence',
    }),
  ),
});
export type EventQuery = Static<typeof EventQuery>;
