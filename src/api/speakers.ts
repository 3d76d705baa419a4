import { Type, type Static } from 'typebox';
import { ID_PATTERN, Id, Nullable, Strict, Timestamp, listQuery, resourceMembers } from './page.ts';

export const DAEMONS = ['builtin', 'bird', 'frr', 'gobgp', 'openbgpd'] as const;
export const Daemon = Type.Enum(DAEMONS);
export type Daemon = Static<typeof Daemon>;

export const Asn = Type.Integer({ minimum: 1, maximum: 4_294_967_294 });
const Ipv4 = Type.String({ format: 'ipv4' });
const Ipv6 = Type.String({ format: 'ipv6' });
const IpAddress = Type.Union([Ipv4, Ipv6]);

const overrides = { local_ip: Type.Optional(IpAddress), local_asn: Type.Optional(Asn) };

/** Overrides of the speaker's own address and AS number, for all peers and by peer id. */
export const SpeakerPolicies = Strict({
  ...overrides,
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
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Unique in the tenant' }),
  label: Nullable(Type.String({ maxLength: 200 })),
  router_id: Nullable(
    Type.String({
      format: 'ipv4',
      description: 'BGP identifier, RFC 6286; null: local_ipv4, else made from the id',
    }),
  ),
  local_asn: Asn,
  local_ipv4: Nullable(Ipv4),
  local_ipv6: Nullable(Ipv6),
  policies_json: SpeakerPolicies,
  enabled: Type.Boolean(),
};

export const SessionStateName = Type.Enum([
  'idle',
  'connect',
  'active',
  'open_sent',
  'open_confirm',
  'established',
]);

export const LiveSession = Strict({
  peer_id: Id,
  peer_name: Type.String(),
  address: Type.String(),
  remote_asn: Type.Integer(),
  state: SessionStateName,
  since: Timestamp,
  routes_exported: Type.Integer(),
  routes_received: Type.Integer(),
  updates_sent: Type.Integer(),
  last_error: Nullable(Type.String()),
});
export type LiveSession = Static<typeof LiveSession>;

export const SpeakerLive = Strict({
  reachable: Type.Boolean(),
  version: Nullable(Type.String()),
  router_id: Nullable(Type.String()),
  uptime_seconds: Nullable(Type.Integer()),
  last_reconfigured_at: Nullable(Timestamp),
  sessions: Type.Array(LiveSession),
  error: Nullable(Type.String()),
});
export type SpeakerLive = Static<typeof SpeakerLive>;

export const LastApply = Strict({
  status: Type.Enum(['running', 'ok', 'failed']),
  error: Nullable(Type.String()),
  job_id: Nullable(Id),
});
export type LastApply = Static<typeof LastApply>;

export const Speaker = Strict({
  ...resourceMembers,
  ...writable,
  daemon: Daemon,
  mode: Type.Enum(['local', 'agent']),
  applied_revision_id: Nullable(Id),
  applied_at: Nullable(Timestamp),
  last_apply: Nullable(LastApply),
  agent: Nullable(
    Strict({
      version: Nullable(Type.String()),
      last_seen_at: Nullable(Timestamp),
      hostname: Nullable(Type.String()),
    }),
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
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  live: Type.Optional(Type.Boolean({ description: 'Adds the live status of speaker and sessions' })),
});
export type SpeakerQuery = Static<typeof SpeakerQuery>;

export const SpeakerReadQuery = Strict({ live: SpeakerQuery.properties.live });
