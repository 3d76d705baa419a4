import { Type, type Static } from 'typebox';
import { RevisionPrefix, RevisionTrigger } from '../revisions/revisions.ts';
import { Id, Nullable, Strict, Timestamp, listQuery } from '../shapes/page.ts';
import { ENTRY_TYPES } from '../entries/entry-kinds.ts';

const count = Type.Integer({ minimum: 0 });
const number = Type.Integer({ minimum: 1 });

export const HistoryQuery = listQuery({
  prefix: Type.String({
    minLength: 2,
    maxLength: 64,
    description: 'An IPv4 or IPv6 prefix, or an address',
    examples: ['203.0.113.0/24'],
  }),
});
export type HistoryQuery = Static<typeof HistoryQuery>;

export const HistoryRoute = Strict({
  prefix: Type.String({ examples: ['203.0.112.0/23'] }),
  communities: RevisionPrefix.properties.communities,
});
export type HistoryRoute = Static<typeof HistoryRoute>;

export const HistoryContributor = Strict({
  module: Strict({ id: Id, name: Nullable(Type.String(), 'As it is called now; null: it is gone') }),
  purpose: Type.Enum(['announce', 'exclude']),
  entry: Strict({
    id: Id,
    type: Nullable(Type.Enum(ENTRY_TYPES), 'null: the entry is gone'),
    value: Nullable(
      Type.String(),
      'URL, AS number, domain or range; a URL as it was then, unless a file brought the one of now. Null: the entry is gone',
    ),
  }),
  change: Type.Enum(['added', 'removed', 'changed', 'kept'], {
    description: 'Against the revision before: whether the entry has any of these prefixes, and which',
  }),
  prefixes: Type.Array(Type.String(), {
    description: 'What the entry has around or inside the prefix, at most 10; of a removed one, what it had',
  }),
  prefix_count: { ...count, description: 'How many these are' },
});
export type HistoryContributor = Static<typeof HistoryContributor>;

/** A time in which a speaker had the revision or a later one that has the same around the prefix. */
export const HistoryApply = Strict({
  speaker_id: Id,
  speaker: Type.String(),
  revision_id: Id,
  revision: number,
  applied_at: Timestamp,
  until: Nullable(
    Timestamp,
    'When another revision took its place at the speaker; null: it has this still, also while it is disabled',
  ),
  until_revision: Nullable(number, 'The number of that revision; null: it has this still'),
});
export type HistoryApply = Static<typeof HistoryApply>;

/** A revision that changed what is announced of the prefix, or who contributes it. It holds until the item before it in the list. */
export const HistoryItem = Strict({
  revision_id: Id,
  revision: { ...number, description: 'Its number' },
  created_at: Timestamp,
  trigger: RevisionTrigger,
  rollback_of: Nullable(number, 'The number of the revision that it goes back to'),
  previous_revision: Nullable(
    number,
    'The number of the ready revision before, against which this changed; null: this is the oldest that is kept, and all that it has counts as new',
  ),
  pruned_between: {
    ...count,
    description: 'Revisions between the two that were pruned: any of them may have made the change',
  },
  change: Type.Enum(['announced', 'withdrawn', 'changed', 'contributed'], {
    description:
      '`announced` or `withdrawn`: routes of the prefix came where none was, or went; `changed`: other routes, or other communities; `contributed`: the same routes, from other entries',
  }),
  announced: Type.Enum(['whole', 'part', 'none'], {
    description:
      'From this revision on: `whole`: one route contains the prefix; `part`: routes lie inside it',
  }),
  routes: Type.Array(HistoryRoute, {
    description: 'The routes that contain the prefix, the longest first, then those inside it; at most 50',
  }),
  route_count: count,
  routes_before: Type.Array(HistoryRoute, { description: 'The same of the revision before' }),
  contributors: Type.Array(HistoryContributor, {
    description:
      'Entries with prefixes around or inside it, those that changed first; at most 50. Modules that exclude are among them',
  }),
  contributor_count: count,
  applied: Type.Array(HistoryApply, {
    description:
      'From when to when which speakers announced this; a speaker that left it and came back, as by an apply of an older revision, has an item for each time, the newest first, at most 5. Empty: none has. Applies that were taken back (canaries) do not count',
  }),
});
export type HistoryItem = Static<typeof HistoryItem>;

/** Where histories begin. */
export const HistoryStart = Strict({
  revision_id: Id,
  revision: number,
  created_at: Timestamp,
  pruned_before: { ...count, description: 'Revisions before it that were pruned, and are missing here' },
});
export type HistoryStart = Static<typeof HistoryStart>;

export const History = Strict({
  prefix: Type.String({ description: 'In canonical form', examples: ['203.0.113.0/24'] }),
  oldest: Nullable(HistoryStart, 'The oldest ready revision that is kept; null: there is none yet'),
  items: Type.Array(HistoryItem),
  next_cursor: Nullable(Type.String(), '`cursor` of the next page; null on the last'),
  has_more: Type.Boolean({
    description: 'A page may have fewer items than `limit` where it takes long to find them, even none',
  }),
});
export type History = Static<typeof History>;
