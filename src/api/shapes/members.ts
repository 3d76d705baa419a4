/** Members that mean the same in every resource that has them. The API description shows them in place, without names of their own. */
import { Type, type Static } from 'typebox';
import { Id, Nullable, Strict, Timestamp } from './page.ts';

export const CommunityId = Nullable(
  Id,
  'Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id`',
);
export const LastRefreshedAt = Nullable(Timestamp, 'When it was last read with success; null: never');
export const LastError = Nullable(
  Type.String(),
  'Why the last attempt failed, and what to do; null when it did not',
);
export const Enabled = Type.Boolean({ description: 'Whether it counts; true where nothing is said' });
export const Note = Nullable(Type.String({ maxLength: 500 }), 'For people; means nothing to the service');
export const PendingChanges = Strict(
  {
    count: Type.Integer({
      minimum: 0,
      description: 'How many; one that touches several modules counts at each of them',
    }),
    since: Nullable(Timestamp, 'When the first of them was made; null: there are none'),
  },
  { description: 'Edits that change what is announced, and that no revision holds yet' },
);
export type PendingChanges = Static<typeof PendingChanges>;
export const SearchText = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Text that stands anywhere in the fields that people write, in any case',
});
