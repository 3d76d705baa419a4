/** Whether revisions are out at routers, in words: one that brings nothing new is applied by nobody, since routers have what it has. */
import type { Schemas } from '#client';
import type { Item } from '../nouns/noun.ts';
import type { Session } from '../session/run-remote.ts';

type Revision = Pick<
  Schemas['Revision'],
  'id' | 'number' | 'content_hash' | 'applied_on' | 'first_applied_at'
>;

/** By the id of a revision. Whoever rolls back looks for what ran before, and whoever has edited something for whether it is out. */
export async function appliedWords(
  session: Session,
  items: readonly Item[],
): Promise<ReadonlyMap<string, string>> {
  const revisions = items as unknown as readonly Revision[];
  const isOpen = revisions.some((one) => one.first_applied_at === null && one.content_hash !== null);
  const known = isOpen ? [...revisions, ...(await runningBeside(session, revisions))] : revisions;
  const alike = Map.groupBy(known, ({ content_hash: hash }) => hash);
  return new Map(revisions.map((one) => [one.id, wordOf(one, alike.get(one.content_hash) ?? [])]));
}

/** Those that speakers run, which may be older than all that are listed. */
async function runningBeside({ client }: Session, listed: readonly Revision[]): Promise<readonly Revision[]> {
  const speakers = await client.list('/v1/speakers', { params: { query: { limit: 500 } } }).toArray();
  const ids = new Set(speakers.flatMap(({ applied_revision_id: id }) => id ?? []));
  for (const { id } of listed) ids.delete(id);
  const read = [...ids].map(
    async (id) => (await client.request('GET', `/v1/revisions/${id}`)).json() as Promise<Revision>,
  );
  return Promise.all(read);
}

/** @param alike all that is known of the same content, itself among them */
function wordOf(
  { id, content_hash: hash, applied_on, first_applied_at: first }: Revision,
  alike: readonly Revision[],
): string {
  if (applied_on.length > 0) return 'now';
  if (first !== null) return 'before';
  if (hash === null) return 'never';
  const others = alike.filter((one) => one.id !== id).toSorted((a, b) => b.number - a.number);
  const running = others.find((one) => one.applied_on.length > 0);
  if (running !== undefined) return `now, as ${running.number}`;
  const former = others.find((one) => one.first_applied_at !== null);
  return former === undefined ? 'never' : `before, as ${former.number}`;
}
