/** What becomes of a route by a revision that no speaker has yet, as in a freeze. */
import type { Schemas } from '#client';
import { isWithin } from '../session/is-within.ts';

type HistoryItem = Schemas['HistoryItem'];
type HistoryRoute = HistoryItem['routes'][number];

/** A line for the route of the prefix, which is another in `next` than in `now`. */
export function nextText(
  prefix: string,
  now: Pick<HistoryItem, 'routes'>,
  next: Pick<HistoryItem, 'routes' | 'revision'>,
): string {
  const own = ({ routes }: Pick<HistoryItem, 'routes'>): HistoryRoute | undefined =>
    routes.find((route) => route.prefix === prefix);
  return `revision ${next.revision} ${becomes(prefix, own(now), own(next), next.routes)}, and is not applied yet`;
}

function becomes(
  prefix: string,
  was: HistoryRoute | undefined,
  is: HistoryRoute | undefined,
  routes: readonly HistoryRoute[],
): string {
  if (is !== undefined) return 'changes it';
  // Merged with its neighbour: the addresses stay what they are. A wider route of other communities is no such thing.
  const wider = routes.find(
    (route) => isWithin(prefix, route.prefix) && communitiesOf(route) === communitiesOf(was),
  );
  return wider === undefined ? 'withdraws it' : `has ${wider.prefix} in its place`;
}

function communitiesOf(route: HistoryRoute | undefined): string {
  return JSON.stringify(route?.communities.map(({ community }) => community).sort());
}
