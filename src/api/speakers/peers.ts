import { Type, type Static } from 'typebox';
import { Enabled, LastError, SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { Families, Id, Nullable, Strict, Timestamp, listQuery, resourceMembers } from '../shapes/page.ts';
import { Asn, NextAttempt, Reverted, SessionStateName } from './speakers.ts';

const writable = {
  name: Name('Unique in the tenant, without case'),
  description: Nullable(Type.String({ maxLength: 2000 }), 'For people'),
  address: Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })], {
    description: 'Address of the router; unique together with `port`',
  }),
  remote_asn: Asn,
  speaker_ids: Type.Array(Id, { maxItems: 5000, uniqueItems: true, description: 'Empty: every speaker' }),
  community_ids: Type.Array(Id, {
    maxItems: 1000,
    uniqueItems: true,
    description: 'Communities whose routes the peer receives; empty: all',
  }),
  families: Families,
  passive: Type.Boolean({ description: "The speaker waits for the router's connection" }),
  port: Type.Integer({
    minimum: 1,
    maximum: 65535,
    description: 'Port that the speaker connects to; default: 179',
  }),
  multihop: Nullable(
    Type.Integer({ minimum: 1, maximum: 255 }),
    'Maximum number of hops to the router; null: directly connected. iBGP needs none, and the builtin speaker accepts any distance',
  ),
  hold_time: Type.Integer({
    minimum: 0,
    maximum: 65535,
    description:
      'Seconds, default: 90; 0 turns keepalives off, other values are at least 3 (RFC 4271, section 4.2)',
  }),
  next_hop_ipv4: Nullable(
    Type.String({ format: 'ipv4' }),
    'For all that the peer is sent, but not for blackholes whose community sets one; null: that of the community, else the speaker itself',
  ),
  next_hop_ipv6: Nullable(
    Type.String({ format: 'ipv6' }),
    'For all that the peer is sent, but not for blackholes whose community sets one; null: that of the community, else the speaker itself',
  ),
  max_prefixes_out: Nullable(
    Type.Integer({ minimum: 1, maximum: 10_000_000 }),
    'If a revision has more routes for the peer, `when_too_many` says what it is sent; null: no limit',
  ),
  when_too_many: Type.Enum(['keep', 'fit'], {
    description:
      'What a peer is sent whose routes are more than `max_prefixes_out`. `keep` (default): of the routes that it has, those that the revision has too, or what has taken their place; ' +
      '`fit`: the cover of at most that many routes that adds the fewest foreign addresses, unless these are more than the setting `fit_max_added_percent` allows. ',
  }),
  graceful_restart: Type.Boolean({
    description: 'Asks the router to keep the routes while the speaker is down (RFC 4724)',
  }),
  bfd: Type.Boolean({ description: 'RFC 5880; the builtin speaker does not support it' }),
  enabled: Enabled,
};

/** RFC 2385 keys are at most 80 octets; write-only. */
const password = Nullable(
  Type.String({ minLength: 1, maxLength: 80, writeOnly: true }),
  'TCP MD5 (RFC 2385), which the builtin speaker refuses; kept encrypted and never shown',
);

export const SessionOnSpeaker = Strict({
  speaker_id: Id,
  speaker_label: Type.String(),
  state: SessionStateName,
  since: Timestamp,
  routes_exported: Type.Integer({
    description: 'Routes that the peer holds from it, both families together',
  }),
  reverted: Reverted,
  last_error: LastError,
  next_attempt_at: NextAttempt,
});
export type SessionOnSpeaker = Static<typeof SessionOnSpeaker>;

export const Peer = Strict({
  ...resourceMembers,
  ...writable,
  has_password: Type.Boolean({ description: 'Whether one is stored' }),
  connected_speaker_id: Nullable(Id, 'Where the session has been established longest; null: nowhere'),
  connected_speaker_label: Nullable(Type.String()),
  session_on_speakers: Type.Array(SessionOnSpeaker),
  established_on_speakers: Type.Array(Id),
  session_mismatch: Type.Boolean({
    description: 'The speakers on which its session is established are not those on which it should be',
  }),
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
  q: Type.Optional(SearchText),
});
export type PeerQuery = Static<typeof PeerQuery>;
