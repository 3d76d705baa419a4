import { Type, type Static } from 'typebox';
import { FamilyName, Id, Nullable, Strict, listQuery } from '../shapes/page.ts';
import { CHANGES, RevisionPrefix } from './revisions.ts';

export { CHANGES, type Change } from './revisions.ts';

const count = Type.Integer({ minimum: 0 });
const ChangeName = Type.Enum([...CHANGES]);

/** How many routes of each kind separate two revisions, IPv4 and IPv6 together. */
export const DiffSummary = Strict({ announced: count, withdrawn: count, changed: count });
export type DiffSummary = Static<typeof DiffSummary>;

const counts = DiffSummary.properties;

export const CommunityChanges = Strict({
  community_id: Id,
  community: Type.String(),
  title: Type.String(),
  announced: { ...count, description: 'Routes that got the community' },
  withdrawn: { ...count, description: 'Routes that lost it' },
  changed: {
    ...count,
    description: 'Routes that have it before and after, and other communities than before',
  },
});
export type CommunityChanges = Static<typeof CommunityChanges>;

export const ModuleChanges = Strict({
  module_id: Id,
  name: Nullable(Type.String(), 'null: the module is gone'),
  ...counts,
});
export type ModuleChanges = Static<typeof ModuleChanges>;

/** The whole difference, whatever the filters and the page are. */
export const DiffBreakdown = Strict({
  ...counts,
  by_family: Strict({ ipv4: DiffSummary, ipv6: DiffSummary }),
  by_community: Type.Array(CommunityChanges, {
    description: 'Communities that any of these routes has or had, by their values',
  }),
  by_module: Type.Array(ModuleChanges, {
    description:
      'Modules with addresses in any of these routes, in either revision, the most routes first. A route of several modules counts at each',
  }),
});
export type DiffBreakdown = Static<typeof DiffBreakdown>;

/** Communities are empty on the side that lacks the prefix. */
export const RevisionChange = Strict({
  prefix: Type.String(),
  change: ChangeName,
  communities_before: RevisionPrefix.properties.communities,
  communities_after: RevisionPrefix.properties.communities,
});
export type RevisionChange = Static<typeof RevisionChange>;

/** A page of changes. */
export const changePage = {
  items: Type.Array(RevisionChange),
  next_cursor: Nullable(Type.String()),
  has_more: Type.Boolean(),
};

/** The summary counts the whole difference, whatever page the items are. */
export const RevisionDiff = Strict({
  summary: DiffBreakdown,
  matching: Strict(counts, { description: 'Of these, what the filters leave' }),
  ...changePage,
});
export type RevisionDiff = Static<typeof RevisionDiff>;

const page = { maximum: 10_000, fallback: 1_000 };

/** Of a difference that is read from the first change to the last. */
export const ChangePageQuery = listQuery({}, page);
export type ChangePageQuery = Static<typeof ChangePageQuery>;

const within = Type.String({
  minLength: 2,
  maxLength: 64,
  description: 'A prefix: only routes that are inside it',
});

export const RevisionDiffQuery = listQuery(
  {
    change: Type.Optional(Type.Array(ChangeName, { minItems: 1, description: 'One or several' })),
    family: Type.Optional(FamilyName),
    community_id: Type.Optional({
      ...Id,
      description: 'Routes that have the community in either revision',
    }),
    module_id: Type.Optional({
      ...Id,
      description: 'Routes with addresses that the module contributed to either revision',
    }),
    within: Type.Optional(within),
  },
  page,
);
export type RevisionDiffQuery = Static<typeof RevisionDiffQuery>;
