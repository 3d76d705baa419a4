import type { NamedFitted } from '../speakers/fitted.ts';
import type { Feed, FeedFormat } from './feeds.ts';
import type { PrefixCount } from '../shapes/page.ts';

type Family = Feed['families'][number];

/** All that the content of a feed follows from: what was set, and what of it there was in the revision. */
export interface FeedRecipe {
  readonly name: string;
  readonly revision_id: string;
  readonly number: number;
  /** Values of communities; null: the feed has all of the revision. */
  readonly communities: readonly string[] | null;
  readonly module_ids: readonly string[];
  readonly families: readonly Family[];
  readonly format: FeedFormat;
  readonly max_prefixes: number | null;
  readonly when_too_many: 'fail' | 'fit';
  /** What fitting may not cover, beside what modules exclude; null where nothing is fitted. */
  readonly fit: {
    readonly max_added_percent: number;
    readonly protected: readonly string[];
    readonly avoids_bogons: boolean;
    /** What other lists of the revision have is not covered; absent where it was served before this was kept. */
    readonly avoids_others?: boolean;
  } | null;
}

/** What was served of a revision; null: it was served in two ways. */
export interface FeedMemory {
  readonly number: number;
  readonly recipe: FeedRecipe | null;
}

/** The recipe of what is served, and what it made. */
export interface ServedFeed extends FeedRecipe {
  readonly prefix_count: PrefixCount;
  readonly bytes: number;
  readonly fitted: Readonly<Record<Family, NamedFitted | null>>;
  /** What was served of late, this as well, the newest last; absent where it was served before this was kept. */
  readonly memories?: readonly FeedMemory[];
}
