import { Type, type Static } from 'typebox';
import { EntryHeld } from './held-modules.ts';
import { CommunityId, Enabled, Note, SearchText } from './members.ts';
import { Id, Strict, listQuery, resourceMembers } from './page.ts';

const writable = {
  cidr: Type.String({
    minLength: 2,
    maxLength: 64,
    description: 'A prefix without host bits, or one address for its host prefix; unique in the module',
  }),
  note: Note,
  enabled: Enabled,
  community_id: CommunityId,
};

export const IpRangeEntry = Strict({ ...resourceMembers, module_id: Id, ...writable, held: EntryHeld });
export type IpRangeEntry = Static<typeof IpRangeEntry>;

export const IpRangeEntryCreate = Strict({
  cidr: writable.cidr,
  note: Type.Optional(writable.note),
  enabled: Type.Optional(writable.enabled),
  community_id: Type.Optional(writable.community_id),
});
export type IpRangeEntryCreate = Static<typeof IpRangeEntryCreate>;

export const IpRangeEntryPatch = Type.Partial(Strict(writable), {
  additionalProperties: false,
  minProperties: 1,
});
export type IpRangeEntryPatch = Static<typeof IpRangeEntryPatch>;

export const IpRangeEntryQuery = listQuery({
  enabled: Type.Optional(Type.Boolean()),
  q: Type.Optional(SearchText),
});
export type IpRangeEntryQuery = Static<typeof IpRangeEntryQuery>;
