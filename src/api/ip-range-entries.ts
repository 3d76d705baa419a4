import { Type, type Static } from 'typebox';
import { Id, Nullable, Strict, listQuery, resourceMembers } from './page.ts';

const writable = {
  cidr: Type.String({
    minLength: 2,
    maxLength: 64,
    description: 'A prefix, or one address for its host prefix',
  }),
  note: Nullable(Type.String({ maxLength: 500 })),
  enabled: Type.Boolean(),
  community_id: Nullable(Id),
};

export const IpRangeEntry = Strict({ ...resourceMembers, module_id: Id, ...writable });
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
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type IpRangeEntryQuery = Static<typeof IpRangeEntryQuery>;
