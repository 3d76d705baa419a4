/** What a feed has served recently, so that a client with one of these contents can be sent the difference. Pure. */
import type { FeedMemory, FeedRecipe, ServedFeed } from '../../api/feeds/served-feed.ts';
import { canonicalJson } from '../../bundle/canonical-json.ts';

/** Contents that are remembered: for a client that asks every few minutes, some edits an hour. */
const REMEMBERED = 16;

/**
 * What was served of late, with what is served now. A revision that was served in two ways, since the feed was changed, is good for nobody.
 * @param before what was served until now; null: nothing
 */
export function remember(before: ServedFeed | null, served: ServedFeed): FeedMemory[] {
  const history = memoriesOf(before);
  const recipe = recipeOf(served);
  const { number } = recipe;
  const known = history.find((memory) => memory.number === number);
  const isAmbiguous =
    known !== undefined && (known.recipe === null || canonicalJson(known.recipe) !== canonicalJson(recipe));
  const others = history.filter((memory) => memory.number !== number);
  return [...others, { number, recipe: isAmbiguous ? null : recipe }].slice(-REMEMBERED);
}

/** What the feed served at that revision, if what changed since can be said. */
export function remembered(served: ServedFeed | null, since: number, now: FeedRecipe): FeedRecipe | null {
  const recipe = memoriesOf(served).find(({ number }) => number === since)?.recipe ?? null;
  if (recipe === null) return null;
  const shape = ({ name, format, families }: FeedRecipe): string => canonicalJson([name, format, families]);
  return shape(recipe) === shape(now) ? recipe : null;
}

/** All that the content follows from, without what came of it. */
export function recipeOf({
  prefix_count: _,
  bytes: __,
  fitted: ___,
  memories: ____,
  ...recipe
}: ServedFeed): FeedRecipe {
  return recipe;
}

/** Of one that was served before any were kept, only its own. */
function memoriesOf(served: ServedFeed | null): readonly FeedMemory[] {
  if (served === null) return [];
  return served.memories ?? [{ number: served.number, recipe: null }];
}
