import { Type, type Static } from 'typebox';
import { CollectedQuery, collectedMembers } from './collected-entries.ts';
import { catalogMembers, entryMembers, optionalEntryMembers } from './entry-members.ts';
import { changeOfMany, choiceOf } from './many-entries.ts';
import { Note } from '../shapes/members.ts';
import { Id, Strict, resourceMembers } from '../shapes/page.ts';

const writable = {
  note: Note,
  ...entryMembers,
};

export const AsEntry = Strict({
  ...resourceMembers,
  module_id: Id,
  asn: Type.Integer({ minimum: 1, maximum: 4_294_967_294 }),
  ...writable,
  ...collectedMembers,
});
export type AsEntry = Static<typeof AsEntry>;

export const AsEntryCreate = Strict({
  asn: Type.Union([Type.Integer(), Type.String({ minLength: 1, maxLength: 20 })], {
    description: 'A number, or text such as `AS3333`: 1 to 4294967294 without the reserved ones',
  }),
  note: Type.Optional(writable.note),
  ...optionalEntryMembers,
});
export type AsEntryCreate = Static<typeof AsEntryCreate>;

/** Without `asn`: the last good prefixes of an entry are those of its AS. Another AS is another entry. */
export const AsEntryPatch = Type.Partial(Strict(writable), {
  additionalProperties: false,
  minProperties: 1,
});
export type AsEntryPatch = Static<typeof AsEntryPatch>;

export const AsEntryQuery = CollectedQuery;
export type AsEntryQuery = Static<typeof AsEntryQuery>;

export const AsEntriesChoice = choiceOf(AsEntryQuery);
export const AsEntriesChange = changeOfMany(AsEntryQuery, AsEntryPatch);

/** In the catalog. */
export const CatalogAs = Strict({
  ...catalogMembers,
  asn: Type.Integer({ minimum: 1, maximum: 4_294_967_294 }),
});
