/** What jobs have to show when they have ended, by their type. One that failed has a result too where part of its work was done. */
import { Type, type Static } from 'typebox';
import { MaintenanceEffect } from '../operation/maintenance.ts';
import { PostgresOperation } from '../operation/postgres.ts';
import { SpeakerApplyResult } from '../revisions/apply.ts';
import { PruneEstimate, RevisionState } from '../revisions/revisions.ts';
import { Id, Nullable, PrefixCount, Strict } from '../shapes/page.ts';
import { Daemon } from '../speakers/speakers.ts';

const ApplyJobId = Nullable(
  Id,
  'The apply that was queued for the revision, or the one of it that had not ended yet; null: neither. Where `revision_created` is false, one may have ended',
);

const ofRevision = {
  revision_id: Id,
  number: Type.Integer({ minimum: 1 }),
  revision_state: RevisionState,
  findings: Type.Array(Type.String(), { description: 'Codes of the guardrails that it breaks' }),
  quarantined: Type.Array(Id, {
    description: 'Modules that are held, and so in it with what was accepted of them before',
  }),
  content_changed: Type.Boolean({
    description: 'Whether it differs from the latest ready revision before it',
  }),
  revision_created: Type.Boolean({
    description: 'false: the newest revision held all of it already, and is the one named here',
  }),
  apply_job_id: ApplyJobId,
};

export const RevisionBuildResult = Strict(ofRevision);
export type RevisionBuildResult = Static<typeof RevisionBuildResult>;

export const EntryRefreshResult = Strict({
  id: Id,
  status: Type.Enum(['ok', 'stale', 'failed'], {
    description: '`stale`: it failed, and keeps its last good prefixes; `failed`: it failed, and has none',
  }),
  error: Nullable(Type.String(), 'Why it failed, and what to do'),
  modified: Type.Boolean({ description: 'false: its source said that nothing had changed' }),
  prefix_count: PrefixCount,
  rejected: Type.Integer({ minimum: 0, description: 'Lines or values that are no prefixes' }),
  bogons: Type.Integer({ minimum: 0, description: 'Prefixes of special-purpose space' }),
});
export type EntryRefreshResult = Static<typeof EntryRefreshResult>;

/** What of a revision is there says whether the refresh built one, left that to another job, or had nothing to build. */
export const ModuleRefreshResult = Strict({
  status: Type.Enum(['ok', 'partial', 'failed', 'deleted'], {
    description:
      '`partial`: some entries failed, and keep their last good prefixes; `failed`: all did; `deleted`: the module is gone',
  }),
  entries: Type.Optional(
    Type.Array(EntryRefreshResult, { description: 'The first thousand; not of a module that is gone' }),
  ),
  ...Type.Partial(Strict(ofRevision)).properties,
  revision_id: Type.Optional(
    Nullable(Id, 'The revision that was built; null: none was. Missing where the refresh failed'),
  ),
  build_job_id: Type.Optional({
    ...Id,
    description: 'The job `revision_build` that builds the revision of this refresh and of others',
  }),
});
export type ModuleRefreshResult = Static<typeof ModuleRefreshResult>;

export const CanaryLeftOut = Strict({
  speaker_id: Id,
  reason: Type.String({ examples: ['fra2 is disabled.'] }),
});
export type CanaryLeftOut = Static<typeof CanaryLeftOut>;

export const ApplyResult = Strict({
  revision_id: Nullable(Id, 'Null: each speaker was brought to what it runs'),
  speakers: Type.Array(SpeakerApplyResult, { description: 'Canaries first' }),
  canaries_left_out: Type.Array(CanaryLeftOut, {
    description: 'Speakers of the setting `deploy_canary_speaker_ids` that could be no canaries',
  }),
});
export type ApplyResult = Static<typeof ApplyResult>;

export const PeerReconcileResult = Strict({
  speakers: Type.Array(
    Strict({ speaker_id: Id, peer_ids: Type.Array(Id, { description: 'Peers that it has sessions with' }) }),
    { description: 'The enabled speakers' },
  ),
  apply_job_id: { ...Id, description: 'The apply that brings speakers to it' },
});
export type PeerReconcileResult = Static<typeof PeerReconcileResult>;

export const PostgresMaintenanceResult = Strict({
  operation: PostgresOperation,
  tables: Type.Integer({ minimum: 0, description: 'How many it was done to' }),
  bytes_before: Type.Integer({ minimum: 0, description: 'Of these tables and their indexes' }),
  bytes_after: Type.Integer({ minimum: 0 }),
  leftovers_removed: Type.Array(Type.String(), {
    description: 'Indexes that an earlier run had left behind',
  }),
});
export type PostgresMaintenanceResult = Static<typeof PostgresMaintenanceResult>;

export const RouterReloadResult = Strict({
  daemons: Type.Array(
    Strict({
      daemon: Daemon,
      host: Nullable(Type.String(), 'Machine of the process that drives it; null: no process does'),
      status: Type.Enum(['ok', 'failed']),
      error: Nullable(Type.String()),
    }),
  ),
});
export type RouterReloadResult = Static<typeof RouterReloadResult>;

/** The schema of the result of each type of job. */
export const JOB_RESULTS = {
  module_refresh: ModuleRefreshResult,
  revision_build: RevisionBuildResult,
  apply: ApplyResult,
  peer_reconcile: PeerReconcileResult,
  revision_prune: PruneEstimate,
  maintenance_policy_run: MaintenanceEffect,
  postgres_maintenance: PostgresMaintenanceResult,
  router_reload: RouterReloadResult,
};

export type JobResults = { readonly [T in keyof typeof JOB_RESULTS]: Static<(typeof JOB_RESULTS)[T]> };
