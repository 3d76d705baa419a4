import { Type, type Static } from 'typebox';
import { ENTRY_SOURCES, ENTRY_TYPES, MODULE_TYPES } from './entry-kinds.ts';
import { Id, Nullable, Strict, Timestamp } from '../shapes/page.ts';
import { RevisionPrefix } from '../revisions/revisions.ts';

export const LookupQuery = Strict({
  q: Type.String({
    minLength: 1,
    maxLength: 1_024,
    description: 'An IPv4 or IPv6 address, or a fully qualified domain name',
    examples: ['8.8.8.8'],
  }),
});
export type LookupQuery = Static<typeof LookupQuery>;

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
] as const;
export type LookupReason = (typeof LOOKUP_REASONS)[number];

/** One reason why an address is not announced, or not by some speakers. What does not belong to a reason is null or empty. */
export const NotAnnounced = Strict({
  reason: Type.Enum([...LOOKUP_REASONS], {
    description:
      '`excluded` by a module, `module_disabled`, `entry_disabled`, `family_off`: not among the families of the module, `bogon`: ' +
      'removed from lists, `held` by a guardrail, `not_built`: in no revision yet, `not_applied` to these speakers, `left_out`: ' +
      'these run a newer revision without it, after a rollback or an override, `provisional`: being applied to them, ' +
      '`peer_reverted`: these peers hold an older revision, `no_next_hop`: these peers receive no route of its family',
  }),
  address: Nullable(Type.String(), 'Which address; null: whatever the address of the name'),
  module: Nullable(LookupMatch.properties.module),
  entry: Nullable(Strict(entryNames)),
  revision_id: Nullable(Id),
  revision: Nullable(Type.Integer({ minimum: 1, description: 'Its number' })),
  speaker_ids: Type.Array(Id, { description: 'The enabled speakers concerned' }),
  peer_ids: Type.Array(Id, {
    description: 'The peers of these speakers concerned, if not all of them are',
  }),
  detail: Type.String({ description: 'The reason in words, and what to do' }),
});
export type NotAnnounced = Static<typeof NotAnnounced>;

export const Lookup = Strict({
  query: Type.String({ examples: ['198.51.100.7'] }),
  kind: Type.Enum(['ip', 'fqdn']),
  normalized: Type.String({ examples: ['198.51.100.7'] }),
  matches: Type.Array(LookupMatch),
  announced: Type.Array(LookupAnnounced),
  not_announced: Type.Array(NotAnnounced, {
    description:
      'Why it is not announced, or not by some enabled speakers, or not to some peers; empty where all of them announce it, and where no list has it',
  }),
});
export type Lookup = Static<typeof Lookup>;
