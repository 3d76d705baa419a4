/** Members that an entry of every kind has, and that operators write. */
import { Type, type Static } from 'typebox';
import { CommunityId, Enabled } from '../shapes/members.ts';
import { Id, Nullable, Timestamp } from '../shapes/page.ts';

export const MAXIMUM_COMMUNITIES = 32;

export const entryMembers = {
  enabled: Enabled,
  community_id: CommunityId,
  community_ids: Type.Array(Id, {
    maxItems: MAXIMUM_COMMUNITIES,
    uniqueItems: true,
    description:
      'Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one',
  }),
  expires_at: Nullable(
    Timestamp,
    'When the entry is deleted by itself, by the clock of the database; null: never',
  ),
};

export const EntryHeld = Type.Boolean({
  description: 'Whether its module is held because of this entry; `held` of the module says why',
});

/** The same where nothing has to be said. */
export const optionalEntryMembers = {
  enabled: Type.Optional(entryMembers.enabled),
  community_id: Type.Optional(entryMembers.community_id),
  community_ids: Type.Optional(entryMembers.community_ids),
  expires_at: Type.Optional(entryMembers.expires_at),
};

/** What the catalog says of an entry of every kind. */
export const catalogMembers = {
  ...{ id: Id, module_id: Id, enabled: Type.Boolean(), community_id: Nullable(Id) },
  community_ids: Type.Array(Id),
  expires_at: Nullable(Timestamp),
};

/** Of every list of entries. */
export const EntrySort = Type.Optional(
  Type.Enum(['created_at', '-created_at', 'name', '-name'], {
    default: 'created_at',
    description:
      'Order of the list: `created_at`, or `name`, which is what is unique in the module: the range, the AS number, the domain, or the name; with `-` in front for descending',
  }),
);
export type EntryOrder = Static<typeof EntrySort>;
