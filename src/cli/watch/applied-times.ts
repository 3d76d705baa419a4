/** From when to when speakers announced what a history says: a list that returns to an earlier revision has several times. */
import type { Schemas } from '#client';

type HistoryItem = Schemas['HistoryItem'];
type Applied = HistoryItem['applied'][number];

/** A text for each speaker: `T at edge`, `T to T at edge`, or `T to T at edge, since T again`. */
export function appliedTexts(applied: readonly Applied[]): string[] {
  return [...Map.groupBy(applied, ({ speaker_id: id }) => id).values()].map((times) => {
    const closed = times
      .filter(({ until }) => until !== null)
      .toReversed()
      .map(({ applied_at: from, until }) => `${from} to ${until!}`);
    const open = times.find(({ until }) => until === null)?.applied_at;
    const { speaker } = times[0]!;
    if (open === undefined) return `${closed.join(', ')} at ${speaker}`;
    return closed.length === 0
      ? `${open} at ${speaker}`
      : `${closed.join(', ')} at ${speaker}, since ${open} again`;
  });
}

/** Since when, and the times before, of which the last is the first. */
interface Running {
  readonly since: string;
  readonly earlier: readonly { readonly from: string; readonly until: string }[];
}

/**
 * Since when a route is what it is: items are those between which it stayed, so that a speaker which went from one to another went on.
 * @returns what the speaker says that has had it for the longest; null: none has it
 */
export function runningSince(items: readonly Pick<HistoryItem, 'applied'>[]): Running | null {
  const speakers = Map.groupBy(
    items.flatMap(({ applied }) => applied),
    ({ speaker_id: id }) => id,
  );
  const running = [...speakers.values()].flatMap((times) => {
    const [last, ...earlier] = joined(times);
    if (last === undefined || last.until !== null) return [];
    return [
      {
        since: last.from,
        earlier: earlier.flatMap(({ from, until }) => (until === null ? [] : { from, until })),
      },
    ];
  });
  return running.toSorted((one, other) => one.since.localeCompare(other.since))[0] ?? null;
}

/** Times that follow each other at once are one; the newest first. */
function joined(times: readonly Applied[]): { from: string; until: string | null }[] {
  const all: { from: string; until: string | null }[] = [];
  for (const { applied_at: from, until } of times.toSorted((one, other) =>
    other.applied_at.localeCompare(one.applied_at),
  )) {
    const next = all.at(-1);
    if (next?.from === until) next.from = from;
    else all.push({ from, until });
  }
  return all;
}

/** When speakers lost what they announced, and by which revision; null: they have it, never had it, or nobody knows. */
export function lostAt(
  items: readonly HistoryItem[],
): { readonly prefix: string; readonly applied: Applied } | null {
  const had = items
    .filter(({ announced, routes }) => announced !== 'none' && routes.length > 0)
    .flatMap(({ applied, routes }) => applied.map((one) => ({ prefix: routes[0]!.prefix, applied: one })));
  if (had.some(({ applied }) => applied.until === null)) return null;
  return had.toSorted((one, other) => other.applied.until!.localeCompare(one.applied.until!))[0] ?? null;
}
