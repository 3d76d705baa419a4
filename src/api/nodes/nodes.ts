/** Nodes: agents that pull a speaker's routes to where its daemon runs, and report what became of them. */
import { Type, type Static } from 'typebox';
import { PeerApplyResult } from '../revisions/apply.ts';
import { SigningKey } from './bundles.ts';
import { LastError } from '../shapes/members.ts';
import { Id, Nullable, Strict, Timestamp } from '../shapes/page.ts';
import { Daemon, NextAttempt, SessionStateName, Speaker } from '../speakers/speakers.ts';

const DEFAULT_TOKEN_SECONDS = 3_600;
export const MAXIMUM_TOKEN_SECONDS = 7 * 86_400;

export const EnrollmentTokenCreate = Strict({
  valid_seconds: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: MAXIMUM_TOKEN_SECONDS,
      default: DEFAULT_TOKEN_SECONDS,
      description: 'How long it is valid',
    }),
  ),
});
export type EnrollmentTokenCreate = Static<typeof EnrollmentTokenCreate>;

export const EnrollmentToken = Strict({
  token: Type.String({ description: 'The token itself, shown only in this answer; it works once' }),
  expires_at: Timestamp,
});
export type EnrollmentToken = Static<typeof EnrollmentToken>;

const Hostname = Type.String({
  minLength: 1,
  maxLength: 253,
  description: 'Host name of the machine',
});
const AgentVersion = Type.String({ minLength: 1, maxLength: 100, description: 'Of the agent' });

export const NodeEnroll = Strict({ hostname: Hostname, version: AgentVersion, daemon: Daemon });
export type NodeEnroll = Static<typeof NodeEnroll>;

export const NodeEnrolled = Strict({
  tenant_id: Id,
  speaker_id: Id,
  speaker: Strict({ name: Speaker.properties.name, daemon: Daemon }),
  api_key: Strict({
    id: Id,
    secret: Type.String({ description: 'The key that the node uses from now on, shown only in this answer' }),
  }),
  signing_keys: Type.Array(SigningKey, { description: 'The keys whose signatures the node trusts' }),
});
export type NodeEnrolled = Static<typeof NodeEnrolled>;

const Count = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
const Words = Nullable(Type.String({ maxLength: 4_000 }));

/** One session, as the daemon of the node has it. */
export const SessionReport = Strict({
  peer_id: Id,
  state: SessionStateName,
  since: Timestamp,
  routes_exported: Count,
  routes_received: Count,
  updates_sent: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  last_error: LastError,
  next_attempt_at: Type.Optional(NextAttempt),
});
export type SessionReport = Static<typeof SessionReport>;

export const DaemonReport = Strict({
  reachable: Type.Boolean({ description: 'Whether the daemon answers the agent' }),
  version: Nullable(Type.String({ maxLength: 200 }), 'Of the daemon'),
  router_id: Nullable(Type.String({ maxLength: 100 })),
  uptime_seconds: Nullable(Count),
  last_reconfigured_at: Nullable(Timestamp),
  error: Words,
  sessions: Type.Array(SessionReport, { maxItems: 5_000 }),
});
export type DaemonReport = Static<typeof DaemonReport>;

/** More are not listed one by one. */
export const MAXIMUM_REPORTED_PEERS = 100;

export const ApplyStatus = Strict({
  sequence: Nullable(
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    'Sequence of the last tried bundle, or the highest verified one if that bundle is refused as older; null: none yet',
  ),
  revision_id: Nullable(Id, 'Of that bundle'),
  status: Type.Enum(['applied', 'failed', 'unchanged'], {
    description: '`unchanged`: the daemon ran it already; `failed`: it runs what it ran before',
  }),
  announced: Count,
  withdrawn: Count,
  changed: Count,
  error: Words,
  peers: Type.Optional(
    Type.Array(PeerApplyResult, {
      maxItems: MAXIMUM_REPORTED_PEERS,
      description:
        'Outcome for its peers, if not all have the routes of the bundle or some are sent a cover of them; those come first',
    }),
  ),
  daemon: DaemonReport,
  agent: Strict({
    version: AgentVersion,
    hostname: Hostname,
    run_id: Type.String({
      format: 'uuid',
      description:
        'UUIDv7 generated at the start of the process: of two agents with one identity, the one that started later counts',
    }),
  }),
});
export type ApplyStatus = Static<typeof ApplyStatus>;

export const ApplyStatusTaken = Strict({
  accepted: Type.Boolean({
    description:
      'false: an agent with the same identity that started later reports too; this report was ignored',
  }),
  session_members: Type.Array(Type.Enum(['next_attempt_at']), {
    description:
      'Members of sessions that reports may have; a service that does not name one here may refuse it',
  }),
});
export type ApplyStatusTaken = Static<typeof ApplyStatusTaken>;
