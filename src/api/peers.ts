import { Type, type Static } from 'typebox';
import { Families, Id, Nullable, Strict, Timestamp, listQuery, resourceMembers } from './page.ts';
import { Asn, SessionStateName } from './speakers.ts';

const writable = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Unique in the tenant' }),
  description: Nullable(Type.String({ maxLength: 2000 })),
  address: Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })]),
  remote_asn: Asn,
  speaker_ids: Type.Array(Id, { maxItems: 1000, uniqueItems: true, description: 'Empty: every speaker' }),
  community_ids: Type.Array(Id, {
    maxItems: 1000,
    uniqueItems: true,
    description: 'What the peer is sent; empty: all',
  }),
  families: Families,
  passive: Type.Boolean({ description: 'The speaker waits to be called' }),
  port: Type.Integer({ minimum: 1, maximum: 65535 }),
  multihop: Nullable(
    Type.Integer({ minimum: 1, maximum: 255, description: 'Hops; null: directly connected' }),
  ),
  hold_time: Type.Integer({
    minimum: 0,
    maximum: 65535,
    description: 'Seconds; 0 turns keepalives off, else at least 3',
  }),
  next_hop_ipv4: Nullable(Type.String({ format: 'ipv4' })),
  next_hop_ipv6: Nullable(Type.String({ format: 'ipv6' })),
  max_prefixes_out: Nullable(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
  graceful_restart: Type.Boolean(),
  bfd: Type.Boolean(),
  enabled: Type.Boolean(),
};

/** RFC 2385 keys are at most 80 octets; write-only. */
const password = Nullable(Type.String({ minLength: 1, maxLength: 80, writeOnly: true }));

export const SessionOnSpeaker = Strict({
  speaker_id: Id,
  speaker_label: Type.String(),
  state: SessionStateName,
  since: Timestamp,
  routes_exported: Type.Integer(),
  last_error: Nullable(Type.String()),
});
export type SessionOnSpeaker = Static<typeof SessionOnSpeaker>;

export const Peer = Strict({
  ...resourceMembers,
  ...writable,
  has_password: Type.Boolean(),
  connected_speaker_id: Nullable(Id),
  connected_speaker_label: Nullable(Type.String()),
  session_on_speakers: Type.Array(SessionOnSpeaker),
  established_on_speakers: Type.Array(Id),
  session_mismatch: Type.Boolean(),
});
export type Peer = Static<typeof Peer>;

const { name, address, remote_asn, ...optional } = writable;

export const PeerCreate = Strict({
  name,
  address,
  remote_asn,
  ...Type.Partial(Strict({ ...optional, password })).properties,
});
export type PeerCreate = Static<typeof PeerCreate>;

export const PeerPatch = Type.Partial(Strict({ ...writable, password }), {
  additionalProperties: false,
  minProperties: 1,
});
export type PeerPatch = Static<typeof PeerPatch>;

export const PeerQuery = listQuery({
  enabled: Type.Optional(Type.Boolean()),
  remote_asn: Type.Optional(Asn),
  speaker_id: Type.Optional(Id),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type PeerQuery = Static<typeof PeerQuery>;
