import { Type, type Static } from 'typebox';
import { SearchText } from '../shapes/members.ts';
import { Name } from '../shapes/names.ts';
import { Nullable, Strict, listQuery, resourceMembers } from '../shapes/page.ts';

const writable = {
  community: Type.String({
    minLength: 1,
    maxLength: 40,
    description:
      '`65000:100` (RFC 1997), `65000:1:100` (RFC 8092), or a well-known name such as `blackhole`; unique in the tenant',
  }),
  title: Name('For people', 200),
  description: Nullable(Type.String({ maxLength: 2000 }), 'For people'),
  color: Nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '#rrggbb' }), 'For people'),
  next_hop_ipv4: Nullable(
    Type.String({ format: 'ipv4' }),
    'Next hop of its IPv4 routes at peers without one of their own, of `blackhole` at all peers (RFC 7999); null: that of the peer, else the speaker itself',
  ),
  next_hop_ipv6: Nullable(
    Type.String({ format: 'ipv6' }),
    'Next hop of its IPv6 routes at peers without one of their own, of `blackhole` at all peers (RFC 7999); null: that of the peer, else the speaker itself',
  ),
};

export const Community = Strict({ ...resourceMembers, ...writable });
export type Community = Static<typeof Community>;

export const CommunityPatch = Type.Partial(Strict(writable), {
  additionalProperties: false,
  minProperties: 1,
});
export type CommunityPatch = Static<typeof CommunityPatch>;

export const CommunityCreate = Strict({
  community: writable.community,
  title: writable.title,
  description: Type.Optional(writable.description),
  color: Type.Optional(writable.color),
  next_hop_ipv4: Type.Optional(writable.next_hop_ipv4),
  next_hop_ipv6: Type.Optional(writable.next_hop_ipv6),
});
export type CommunityCreate = Static<typeof CommunityCreate>;

export const CommunityQuery = listQuery({
  community: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'The value exactly as it is shown' }),
  ),
  q: Type.Optional(SearchText),
});
export type CommunityQuery = Static<typeof CommunityQuery>;
