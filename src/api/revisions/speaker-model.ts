/** What a daemon gets of a speaker and its peers, resolved: overrides and defaults are applied. */
import { Type } from 'typebox';
import { Families, Id, Nullable, Strict } from '../shapes/page.ts';

const Asn = Type.Integer({ minimum: 1, maximum: 4_294_967_295 });
const NextHop = (format: 'ipv4' | 'ipv6') =>
  Nullable(
    Type.String({ format }),
    'For all that the peer is sent; null: that of the route, else the speaker itself',
  );

const PeerModel = Strict({
  id: Id,
  name: Type.String(),
  address: Type.String(),
  port: Type.Integer({ minimum: 1, maximum: 65_535 }),
  remote_asn: Asn,
  local_asn: Asn,
  local_address: Nullable(
    Type.String({ examples: ['192.0.2.1'] }),
    'Of the session; null: the system chooses',
  ),
  families: Families,
  passive: Type.Boolean(),
  takes_calls: Type.Optional(
    Type.Boolean({
      description: 'false: connections from its address belong to another tenant; absent: true',
    }),
  ),
  multihop: Nullable(Type.Integer(), 'TTL of the session; null: it is directly connected'),
  password: Nullable(Type.String({ examples: ['***'] }), '`***` where it has one'),
  refusal: Type.Optional(
    Type.String({
      description: 'Why it can have no session',
      examples: ['its password cannot be read, since the secret key of the service was changed'],
    }),
  ),
  hold_time: Type.Integer({ minimum: 0, maximum: 65_535 }),
  next_hop_ipv4: NextHop('ipv4'),
  next_hop_ipv6: NextHop('ipv6'),
  labels: Nullable(
    Type.Array(Type.String({ examples: ['65000:100'] })),
    'Communities of which it is sent the routes; null: all',
  ),
  max_prefixes_out: Nullable(Type.Integer({ minimum: 1 })),
  fits: Type.Optional(
    Type.Boolean({ description: 'Over its limit it is sent a cover; absent: it keeps what it has' }),
  ),
  graceful_restart: Type.Boolean(),
  restart_time: Type.Optional(
    Type.Integer({
      description: 'Seconds for which it keeps the routes while the speaker is down (RFC 4724)',
    }),
  ),
  stale_time: Type.Optional(
    Type.Integer({ description: 'Seconds beyond that for which it keeps them as stale (RFC 9494)' }),
  ),
  bfd: Type.Boolean(),
  is_bird: Type.Optional(
    Type.Boolean({ description: 'It is known to be a BIRD, and is sent routes in its order' }),
  ),
});

export const SpeakerModel = Strict(
  {
    tenant_id: Id,
    speaker_id: Id,
    name: Type.String(),
    router_id: Type.String({ format: 'ipv4' }),
    local_asn: Asn,
    local_ipv4: Nullable(Type.String({ format: 'ipv4' })),
    local_ipv6: Nullable(Type.String({ format: 'ipv6' })),
    bird_routes: Type.Optional(
      Type.Enum(['static', 'feed'], { description: 'How a local BIRD gets its routes; absent: in files' }),
    ),
    peers: Type.Array(PeerModel),
  },
  { description: 'The settings of speaker and peers that its daemon would get; secrets are `***`' },
);
