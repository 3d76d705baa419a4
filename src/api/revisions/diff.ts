import { Type, type Static } from 'typebox';
import { Nullable, Strict, listQuery } from '../shapes/page.ts';
import { CHANGES, RevisionPrefix } from './revisions.ts';

export { CHANGES, type Change } from './revisions.ts';

const count = Type.Integer({ minimum: 0 });

/** How many routes of each kind separate two revisions, IPv4 and IPv6 together. */
export const DiffSummary = Strict({ announced: count, withdrawn: count, changed: count });
export type DiffSummary = Static<typeof DiffSummary>;

/** Communities are empty on the side that lacks the prefix. */
export const RevisionChange = Strict({
  prefix: Type.String(),
  change: Type.Enum([...CHANGES]),
  communities_before: RevisionPrefix.properties.communities,
  communities_after: RevisionPrefix.properties.communities,
});
export type RevisionChange = Static<typeof RevisionChange>;

/** The summary counts the whole difference, whatever page the items are. */
export const RevisionDiff = Strict({
  summary: DiffSummary,
  items: Type.Array(RevisionChange),
  next_cursor: Nullable(Type.String()),
  has_more: Type.Boolean(),
});
export type RevisionDiff = Static<typeof RevisionDiff>;

export const RevisionDiffQuery = listQuery({}, { maximum: 10_000, fallback: 1_000 });
export type RevisionDiffQuery = Static<typeof RevisionDiffQuery>;
