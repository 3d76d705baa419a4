import { Type, type Static } from 'typebox';
import { Enabled, LastError, SearchText } from '../shapes/members.ts';
import { NAME_FORMAT, Name } from '../shapes/names.ts';
import { Id, Nullable, Strict, Timestamp, listQuery, resourceMembers } from '../shapes/page.ts';
import { ID_PATTERN } from '../shapes/uuid.ts';

export const DAEMONS = ['builtin', 'bird', 'frr', 'gobgp', 'openbgpd'] as const;
export const Daemon = Type.Enum(DAEMONS, {
  description: 'What holds the sessions: `builtin` is part of the service, the others are routing daemons',
});
export type Daemon = Static<typeof Daemon>;

/** As sentences call the programs that go on without whoever drives them. */
export const DAEMON_NAMES = {
  bird: 'BIRD',
  frr: 'FRR',
  gobgp: 'GoBGP',
  openbgpd: 'OpenBGPD',
} as const satisfies Readonly<Record<Exclude<Daemon, 'builtin'>, string>>;

/** What announces at a node whose agent nobody hears: sentences about that agent go on with it. */
export function announcerAtNode(daemon: Daemon): string {
  return daemon === 'builtin' ? 'It' : `Its ${DAEMON_NAMES[daemon]}`;
}

export const Asn = Type.Integer({
  minimum: 1,
  maximum: 4_294_967_294,
  description: 'AS number, of two or four octets (RFC 6793)',
});
const Ipv4 = Type.String({ format: 'ipv4' });
const Ipv6 = Type.String({ format: 'ipv6' });
const IpAddress = Type.Union([Ipv4, Ipv6]);

const overrides = { local_ip: Type.Optional(IpAddress), local_asn: Type.Optional(Asn) };

/** Overrides of the speaker's own address and AS number, for all peers and by peer id; and what only some daemons understand. */
export const SpeakerPolicies = Strict({
  ...overrides,
  bird_routes: Type.Optional(
    Type.Enum(['static', 'feed'], {
      description:
        'How a speaker of the daemon `bird` delivers its routes to BIRD: in files that BIRD reads again at every change, or over a ' +
        'route injection session, which reconfigures nothing. Default: `static`',
    }),
  ),
  peers: Type.Optional(
    // TypeBox keeps of a record's key its pattern only, not its format.
    Type.Record(Type.String({ pattern: ID_PATTERN }), Strict(overrides), {
      maxProperties: 1000,
      additionalProperties: false,
    }),
  ),
});
export type SpeakerPolicies = Static<typeof SpeakerPolicies>;

const writable = {
  name: Name('Unique in the tenant, without case'),
  label: Nullable(Type.String({ maxLength: 200, format: NAME_FORMAT }), 'For people; null: the name'),
  router_id: Nullable(
    Type.String({ format: 'ipv4' }),
    'BGP identifier (RFC 6286); null: local_ipv4, or derived from the id if that is null',
  ),
  local_asn: Asn,
  local_ipv4: Nullable(Ipv4, 'Address to call IPv4 peers from; null: the system chooses'),
  local_ipv6: Nullable(Ipv6, 'Address to call IPv6 peers from; null: the system chooses'),
  policies_json: SpeakerPolicies,
  enabled: Enabled,
};

export const SessionStateName = Type.Enum(
  ['idle', 'connect', 'active', 'open_sent', 'open_confirm', 'established'],
  { description: 'Of RFC 4271, section 8.2.2; routes flow in `established` only' },
);

/** What a NOTIFICATION said. */
export const NotificationSummary = Strict({
  direction: Type.Enum(['received', 'sent']),
  code: Type.Integer({ description: 'RFC 4271, section 4.5', examples: [6] }),
  subcode: Type.Integer({ description: 'RFC 4271, section 4.5; those of Cease: RFC 4486' }),
  name: Type.String({ description: "Of code and subcode, in the words of IANA's registry" }),
  text: Nullable(
    Type.String(),
    "The peer's own text (shutdown communication, RFC 9003), or the limit that it reported (RFC 4486)",
  ),
});
export type NotificationSummary = Static<typeof NotificationSummary>;

/** Of a session whose peer holds other routes than its speaker runs. */
export const RevertedSession = Strict({
  revision_id: Nullable(Id, 'What the peer holds; null: nothing'),
  tried_revision_id: Nullable(Id, 'What it did not bear; null: a revision that was pruned'),
  since: Timestamp,
  error: Type.String({ description: 'What happened to it, and what to do' }),
  notification: Nullable(NotificationSummary),
});
export type RevertedSession = Static<typeof RevertedSession>;
export const Reverted = Nullable(
  RevertedSession,
  'The peer was reverted to what it held before, because it could not take what the speaker runs; null: it was not',
);

export const NextAttempt = Nullable(
  Timestamp,
  'When a session that is down is tried next; null: it is up, or is being tried, or the peer is to connect, or the speaker does not know: `builtin` does',
);

export const LiveSession = Strict({
  peer_id: Id,
  peer_name: Type.String(),
  address: Type.String(),
  remote_asn: Type.Integer(),
  state: SessionStateName,
  since: Timestamp,
  routes_exported: Type.Integer({
    description: 'Routes that the peer holds from it, both families together',
  }),
  routes_received: Type.Integer({ description: 'Counted and discarded: a speaker imports nothing' }),
  updates_sent: Type.Integer({ description: 'UPDATE messages since the session came up' }),
  reverted: Reverted,
  last_error: LastError,
  next_attempt_at: NextAttempt,
});
export type LiveSession = Static<typeof LiveSession>;

/** What a session was when a holder that is silent by now reported it last. */
export const LastKnownSession = Strict({
  peer_id: Id,
  peer_name: Type.String(),
  address: Type.String(),
  remote_asn: Type.Integer(),
  was_established: Type.Boolean({ description: 'Whether it was up then' }),
  routes_exported: Type.Integer({ description: 'Routes that the peer held from it then' }),
  reported_at: Timestamp,
});
export type LastKnownSession = Static<typeof LastKnownSession>;

export const SpeakerLive = Strict(
  {
    reachable: Type.Boolean({ description: 'Whether a process holds the speaker and its daemon answers' }),
    version: Nullable(Type.String(), 'Of the daemon'),
    router_id: Nullable(Type.String(), 'The BGP identifier in use'),
    uptime_seconds: Nullable(Type.Integer(), 'Seconds since the daemon started'),
    last_reconfigured_at: Nullable(Timestamp, 'When it last took other peers or settings'),
    sessions: Type.Array(LiveSession, { description: 'Empty where the speaker is not reachable' }),
    last_known_sessions: Type.Optional(
      Type.Array(LastKnownSession, {
        description:
          'Of a speaker that nobody reports: its sessions as they were reported last, which may be otherwise now. One of mode `agent` that was ' +
          'disabled, or has lost a peer, has here what its node announces to until it has reported that the session has ended; where the agent was ' +
          'stopped, what its routing daemon goes on with',
      }),
    ),
    is_locked_out: Type.Optional(
      Type.Boolean({
        description:
          'Of a node that does not report: no key of it works, so it takes nothing until it is enrolled again',
      }),
    ),
    is_awaited: Type.Optional(
      Type.Boolean({
        description:
          'Of a node that has not reported since this service started, a moment ago: it had no time to, so nothing is wrong with it as far as anybody knows',
      }),
    ),
    error: Nullable(Type.String(), 'What is wrong with the speaker as a whole, and what to do'),
  },
  { description: 'As the process that holds the speaker last reported; only with `live=true`' },
);
export type SpeakerLive = Static<typeof SpeakerLive>;

export const LastApply = Strict({
  status: Type.Enum(['running', 'ok', 'partial', 'failed'], {
    description: '`partial`: it runs the revision, but not every peer has it; `error` names these',
  }),
  error: LastError,
  job_id: Nullable(Id),
});
export type LastApply = Static<typeof LastApply>;

export const Speaker = Strict({
  ...resourceMembers,
  ...writable,
  daemon: Daemon,
  mode: Type.Enum(['local', 'agent'], { description: '`agent`: a node pulls its routes by itself' }),
  applied_revision_id: Nullable(Id, 'What it announces, also after a restart; null: nothing yet'),
  applied_at: Nullable(Timestamp),
  last_apply: Nullable(LastApply, 'How the last apply to it ended; null: there was none'),
  agent: Nullable(
    Strict({
      version: Nullable(Type.String()),
      last_seen_at: Nullable(Timestamp),
      hostname: Nullable(Type.String()),
    }),
    'The node agent of a speaker of mode `agent`; null: none has connected yet',
  ),
  live: Type.Optional(SpeakerLive),
});
export type Speaker = Static<typeof Speaker>;

export const SpeakerCreate = Strict({
  name: writable.name,
  daemon: Type.Optional(Daemon),
  mode: Type.Optional(Speaker.properties.mode),
  local_asn: writable.local_asn,
  label: Type.Optional(writable.label),
  router_id: Type.Optional(writable.router_id),
  local_ipv4: Type.Optional(writable.local_ipv4),
  local_ipv6: Type.Optional(writable.local_ipv6),
  policies_json: Type.Optional(writable.policies_json),
  enabled: Type.Optional(writable.enabled),
});
export type SpeakerCreate = Static<typeof SpeakerCreate>;

export const SpeakerPatch = Type.Partial(Strict(writable), { additionalProperties: false, minProperties: 1 });
export type SpeakerPatch = Static<typeof SpeakerPatch>;

export const SpeakerQuery = listQuery({
  daemon: Type.Optional(Daemon),
  enabled: Type.Optional(Type.Boolean()),
  q: Type.Optional(SearchText),
  live: Type.Optional(Type.Boolean({ description: 'Adds the live status of speaker and sessions' })),
});
export type SpeakerQuery = Static<typeof SpeakerQuery>;

export const SpeakerDeleteQuery = Strict({
  abandon_node: Type.Optional(
    Type.Boolean({
      description: 'Deletes a speaker of mode `agent` even if its node may keep announcing its routes',
    }),
  ),
});
export type SpeakerDeleteQuery = Static<typeof SpeakerDeleteQuery>;

export const SpeakerReadQuery = Strict({ live: SpeakerQuery.properties.live });
