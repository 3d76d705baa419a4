import { Type, type Static } from 'typebox';
import { CollectedQuery, collectedMembers } from './collected-entries.ts';
import { catalogMembers, entryMembers, optionalEntryMembers } from './entry-members.ts';
import { changeOfMany, choiceOf } from './many-entries.ts';
import { Note } from '../shapes/members.ts';
import { Id, Nullable, Strict, Timestamp, resourceMembers } from '../shapes/page.ts';

const writable = {
  note: Note,
  ...entryMembers,
};

export const DomainAddress = Strict({
  address: Type.String(),
  ttl: Type.Integer({ minimum: 0, description: 'Seconds, as last answered' }),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  dropped: Nullable(
    Type.String(),
    'Why the address contributes nothing, such as the special-purpose space that it is in; null: it contributes',
  ),
});
export type DomainAddress = Static<typeof DomainAddress>;

export const DomainEntry = Strict({
  ...resourceMembers,
  module_id: Id,
  domain: Type.String({ description: 'Lower-case A-labels without the final dot' }),
  ...writable,
  ...collectedMembers,
  addresses: Type.Array(DomainAddress, {
    description: 'The last answers; an address stays for `retain_seconds` after it was last seen',
  }),
});
export type DomainEntry = Static<typeof DomainEntry>;

export const DomainEntryCreate = Strict({
  domain: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'Fully qualified, in any case, in Unicode or A-labels, with or without the final dot',
  }),
  note: Type.Optional(writable.note),
  ...optionalEntryMembers,
});
export type DomainEntryCreate = Static<typeof DomainEntryCreate>;

/** Without `domain`: the addresses of an entry are those of its name. Another name is another entry. */
export const DomainEntryPatch = Type.Partial(Strict(writable), {
  additionalProperties: false,
  minProperties: 1,
});
export type DomainEntryPatch = Static<typeof DomainEntryPatch>;

export const DomainEntryQuery = CollectedQuery;
export type DomainEntryQuery = Static<typeof DomainEntryQuery>;

export const DomainEntriesChoice = choiceOf(DomainEntryQuery);
export const DomainEntriesChange = changeOfMany(DomainEntryQuery, DomainEntryPatch);

/** In the catalog. */
export const CatalogDomain = Strict({ ...catalogMembers, domain: Type.String() });
