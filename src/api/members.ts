/** Members that mean the same in every resource that has them. The API description shows them in place, without names of their own. */
import { Type } from 'typebox';
import { Id, Nullable, Timestamp } from './page.ts';

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
export const SearchText = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Text that stands anywhere in the fields that people write, in any case',
});
