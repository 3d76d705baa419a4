import { Type, type Static } from 'typebox';
import { MODULE_TYPES } from './modules.ts';
import { Id, Nullable, Strict, Timestamp } from './page.ts';
import { RevisionPrefix } from './revisions.ts';

export const LookupQuery = Strict({
  q: Type.String({
    minLength: 1,
    maxLength: 1_024,
    description: 'An IPv4 or IPv6 address, or a fully qualified domain name',
    examples: ['8.8.8.8'],
  }),
});
export type LookupQuery = Static<typeof LookupQuery>;

export const ENTRY_KINDS = ['cdn_source', 'as_entry', 'domain_entry', 'ip_range_entry'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/**
 * Layer `entry`: the entry itself says so. Layer `snapshot`: the prefix was collected from the entry. One of `prefix` and `domain`
 * is there. The community is null where the match carries none.
 */
export const LookupMatch = Strict({
  layer: Type.Enum(['entry', 'snapshot']),
  module: Strict({ id: Id, name: Type.String(), type: Type.Enum([...MODULE_TYPES]) }),
  entry: Strict({
    id: Id,
    type: Type.Enum([...ENTRY_KINDS]),
    value: Nullable(Type.String({ description: 'URL, AS number, domain or range; null: deleted since' })),
  }),
  prefix: Type.Optional(Type.String()),
  domain: Type.Optional(Type.String()),
  source: Type.Enum(['cdn', 'as', 'domain', 'ip_range']),
  collected_at: Nullable(Timestamp),
  community: Nullable(Strict({ community_id: Id, value: Type.String(), title: Type.String() })),
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

export const Lookup = Strict({
  query: Type.String({ examples: ['198.51.100.7'] }),
  kind: Type.Enum(['ip', 'fqdn']),
  normalized: Type.String({ examples: ['198.51.100.7'] }),
  matches: Type.Array(LookupMatch),
  announced: Type.Array(LookupAnnounced),
});
export type Lookup = Static<typeof Lookup>;
