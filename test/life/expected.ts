import type { RevisionModel } from './model.ts';

/** What a deed that is no edit of lists is to bring about. */
export interface Expected {
  /** The revision whose routes it brings back; what it makes is not built from what there is now. */
  readonly revision?: RevisionModel;
  /** Whether a revision has to be built although nothing leads to one by itself. */
  readonly builds?: boolean;
  /** Whether that holds every edit: what was edited is collected first. */
  readonly collects?: boolean;
  /** Whether it may lead to no revision at all. */
  readonly makesNothing?: boolean;
  /** Codes that jobs may fail with. */
  readonly failures?: readonly string[];
}
