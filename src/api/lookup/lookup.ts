import { Type, type Static } from 'typebox';
import { ENTRY_SOURCES, ENTRY_TYPES, MODULE_TYPES } from '../entries/entry-kinds.ts';
import { Id, Nullable, Strict, Timestamp } from '../shapes/page.ts';
import {
  REVISION_NAME,
  REVISION_NAME_PATTERN,
  RevisionName,
  RevisionPrefix,
} from '../revisions/revisions.ts';

const asked = Type.String({
  minLength: 1,
  maxLength: 1_024,
  description: 'An IPv4 or IPv6 address or prefix, or a fully qualified domain name',
  examples: ['8.8.8.8'],
});
const IN_REVISION =
  'Answers from what that revision was built from, and from its routes, instead of what there is now';

export const LookupQuery = Strict({
  q: asked,
  at: Type.Optional(
    Type.String({ pattern: REVISION_NAME_PATTERN, description: `${IN_REVISION}: ${REVISION_NAME}` }),
  ),
});
export type LookupQuery = Static<typeof LookupQuery>;

export const MAXIMUM_LOOKUPS = 1_000;
/** Of a name every prefix of its modules is looked at. */
export const MAXIMUM_NAME_LOOKUPS = 100;

export const LookupRequest = Strict({
  queries: Type.Array(asked, {
    minItems: 1,
    maxItems: MAXIMUM_LOOKUPS,
    description: `What to look up; at most ${MAXIMUM_NAME_LOOKUPS} of them domain names`,
  }),
  at: Type.Optional(RevisionName),
});
export type LookupRequest = Static<typeof LookupRequest>;

const entryNames = {
  id: Id,
  type: Type.Enum(ENTRY_TYPES),
  value: Type.String({ description: 'URL, AS number, domain or range' }),
};
const LookupCommunity = Strict({ community_id: Id, value: Type.String(), title: Type.String() });

/**
 * Layer `entry`: the entry itself says so. Layer `snapshot`: the prefix was collected from the entry. One of `prefix` and `domain`
 * is there. Communities are missing where the match carries none.
 */
export const LookupMatch = Strict({
  layer: Type.Enum(['entry', 'snapshot']),
  module: Strict({ id: Id, name: Type.String(), type: Type.Enum(MODULE_TYPES) }),
  entry: Strict({ ...entryNames, expires_at: Nullable(Timestamp, 'When it leaves by itself; null: never') }),
  prefix: Type.Optional(Type.String()),
  domain: Type.Optional(Type.String()),
  source: Type.Enum(ENTRY_SOURCES),
  collected_at: Nullable(Timestamp),
  community: Nullable(LookupCommunity, 'The first of `communities`'),
  communities: Type.Array(LookupCommunity, { description: 'Which its routes carry, all of them' }),
});
export type LookupMatch = Static<typeof LookupMatch>;

/** A route that speakers announce now. */
export const LookupAnnounced = Strict({
  revision_id: Id,
  prefix: Type.String(),
  communities: RevisionPrefix.properties.communities,
  speaker_ids: Type.Array(Id),
});
export type LookupAnnounced = Static<typeof LookupAnnounced>;

/** Why an address is not announced. */
export const LOOKUP_REASONS = [
  'excluded',
  'module_disabled',
  'entry_disabled',
  'family_off',
  'bogon',
  'held',
  'not_built',
  'not_applied',
  'left_out',
  'provisional',
  'peer_reverted',
  'no_next_hop',
  'too_many_routes',
  'still_held',
] as const;
export type LookupReason = (typeof LOOKUP_REASONS)[number];

/** One reason why an address is not announced, or not by some speakers. What does not belong to a reason is null or empty. */
export const NotAnnounced = Strict({
  reason: Type.Enum([...LOOKUP_REASONS], {
    description:
      '`excluded` by a module, `module_disabled`, `entry_disabled`, `family_off`: not among the families of the module, `bogon`: ' +
      'removed from lists, `held` by a guardrail, `not_built`: in no revision yet, `not_applied` to these speakers, `left_out`: ' +
      'these run a newer revision without it, after a rollback or an override, `provisional`: being applied to them, ' +
      '`peer_reverted`: these peers hold an older revision, `no_next_hop`: these peers receive no route of its family, ' +
      '`too_many_routes`: these peers would be sent more than their `max_prefixes_out`, and keep what they have, ' +
      '`still_held`: these peers hold a route for it that is announced no more, or are sent one when they are back, or the node of ' +
      'their disabled speaker has not reported that it withdrew it',
  }),
  address: Nullable(Type.String(), 'Which address; null: whatever the address of the name'),
  module: Nullable(LookupMatch.properties.module),
  entry: Nullable(Strict(entryNames)),
  revision_id: Nullable(Id),
  revision: Nullable(Type.Integer({ minimum: 1, description: 'Its number' })),
  speaker_ids: Type.Array(Id, { description: 'The speakers concerned' }),
  peer_ids: Type.Array(Id, {
    description: 'The peers of these speakers concerned, if not all of them are',
  }),
  detail: Type.String({ description: 'The reason in words, and what to do' }),
});
export type NotAnnounced = Static<typeof NotAnnounced>;

/** How much of a prefix routes have. */
export const Coverage = Strict(
  {
    state: Type.Enum(['all', 'part', 'none', 'unknown'], {
      description: '`unknown`: the routes that are listed leave no gap, and there are more',
    }),
    missing: Nullable(
      Type.String({ examples: ['198.51.100.0/26'] }),
      'The first part of it that no route has',
    ),
    address: Nullable(
      Type.String({ examples: ['198.51.100.0'] }),
      'The first address of `missing`, of which a lookup says why',
    ),
  },
  { description: 'Of a prefix: how much of it is announced, by whichever speaker' },
);
export type Coverage = Static<typeof Coverage>;

export const Lookup = Strict({
  query: Type.String({ examples: ['198.51.100.7'] }),
  kind: Type.Enum(['ip', 'prefix', 'fqdn']),
  normalized: Type.String({ examples: ['198.51.100.7'] }),
  matches: Type.Array(LookupMatch),
  announced: Type.Array(LookupAnnounced),
  not_announced: Type.Array(NotAnnounced, {
    description:
      'Why it is not announced, or not by some enabled speakers, or not to some peers, and which peers still hold what is announced no more; empty where all of them announce it, where no list has it, and with `at`. For a prefix, of its first address',
  }),
  coverage: Type.Optional(Coverage),
  has_more: Type.Optional(
    Type.Boolean({
      description:
        'Of a prefix: true where more than 100 prefixes of one layer, or routes, lie inside it; these are not listed',
    }),
  ),
});
export type Lookup = Static<typeof Lookup>;

/** One answer for each query, in their order. */
export const Lookups = Strict({ items: Type.Array(Lookup) });
export type Lookups = Static<typeof Lookups>;
