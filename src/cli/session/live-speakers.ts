import type { Schemas } from '#client';
import type { Session } from './run-remote.ts';

/**
 * Speakers with their sessions, in one request for however many.
 * @param ids absent: all of them
 */
export async function liveSpeakers(
  { client }: Pick<Session, 'client'>,
  ids?: ReadonlySet<string>,
): Promise<readonly Schemas['Speaker'][]> {
  const [only, ...others] = ids ?? [];
  if (ids !== undefined && only === undefined) return [];
  if (only !== undefined && others.length === 0) {
    const params = { path: { speaker_id: only }, query: { live: true } };
    return [await client.get('/v1/speakers/{speaker_id}', { params })];
  }
  const query = { limit: 500, live: true };
  const all = await client.list('/v1/speakers', { params: { query } }).toArray();
  return ids === undefined ? all : all.filter(({ id }) => ids.has(id));
}
