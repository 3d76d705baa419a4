import { Type, type Static } from 'typebox';
import { EntryHeld, EntrySort, catalogMembers, entryMembers, optionalEntryMembers } from './entry-members.ts';
import { Contains, changeOfMany, choiceOf } from './many-entries.ts';
import { Note, SearchText } from '../shapes/members.ts';
import { Id, Strict, listQuery, resourceMembers } from '../shapes/page.ts';

const writable = {
  cidr: Type.String({
    minLength: 2,
    maxLength: 64,
    description: 'A prefix without host bits, or one address for its host prefix; unique in the module',
  }),
  note: Note,
  ...entryMembers,
};

export const IpRangeEntry = Strict({ ...resourceMembers, module_id: Id, ...writable, held: EntryHeld });
export type IpRangeEntry = Static<typeof IpRangeEntry>;

export const IpRangeEntryCreate = Strict({
  cidr: writable.cidr,
  note: Type.Optional(writable.note),
  ...optionalEntryMembers,
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
  contains: Type.Optional(Contains),
  sort: EntrySort,
});
export type IpRangeEntryQuery = Static<typeof IpRangeEntryQuery>;

export const IpRangeEntriesChoice = choiceOf(IpRangeEntryQuery);
export const IpRangeEntriesChange = changeOfMany(IpRangeEntryQuery, IpRangeEntryPatch);

/** In the catalog. */
export const CatalogRange = Strict({ ...catalogMembers, cidr: Type.String() });
