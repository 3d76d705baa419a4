/** Routers that a route does not reach because somebody has disabled them, or whatever announces to them: no lookup counts these. */
import type { Schemas } from '#client';
import { named } from '../render/counted.ts';
import { coloured } from '../render/terminal.ts';
import type { Session } from '../session/run-remote.ts';

type Lookup = Pick<Schemas['Lookup'], 'announced' | 'not_announced'>;
type Route = Lookup['announced'][number];
type Peer = Schemas['Peer'];
type Speaker = Schemas['Speaker'];

/** In lines, those of one cause in one. Null: there are none, or none that would be sent one of the routes. */
export async function turnedOffText({ client }: Session, items: readonly Lookup[]): Promise<string | null> {
  const routes = items.flatMap(({ announced }) => announced);
  if (routes.length === 0) return null;
  const query = { limit: 500 };
  const speakers = await client.list('/v1/speakers', { params: { query } }).toArray();
  const isAllOn = speakers.every(({ enabled }) => enabled);
  const peers = await client
    .list('/v1/peers', { params: { query: isAllOn ? { ...query, enabled: false } : query } })
    .toArray();
  // A node that is out of reach goes on announcing to them.
  const holding = new Set(
    items.flatMap(({ not_announced: not }) =>
      not.filter(({ reason }) => reason === 'still_held').flatMap(({ peer_ids: ids }) => ids),
    ),
  );
  const byCause = new Map<string, string[]>();
  for (const peer of peers) {
    const cause = causeOf(peer, speakers);
    if (cause === null || holding.has(peer.id) || !routes.some((route) => isFor(peer, route))) continue;
    byCause.set(cause, [...(byCause.get(cause) ?? []), peer.name]);
  }
  if (byCause.size === 0) return null;
  const lines = [...byCause].map(([cause, names]) => `  ${named('peer', names).names}: ${cause}`);
  return [`${coloured('Routers that are not sent it', 'yellow')}:`, ...lines].join('\n');
}

/** Null: some speaker that is enabled announces to it. */
function causeOf({ enabled, speaker_ids: ids }: Peer, speakers: readonly Speaker[]): string | null {
  if (!enabled) return 'disabled';
  const own = ids.length === 0 ? speakers : speakers.filter(({ id }) => ids.includes(id));
  if (own.length === 0 || own.some((speaker) => speaker.enabled)) return null;
  const { names } = named(
    'speaker',
    own.map(({ name }) => name),
  );
  return own.length === 1 ? `the speaker ${names} is disabled` : `the speakers ${names} are disabled`;
}

/** Whether the peer would be sent the route. */
function isFor({ families, community_ids: ids }: Peer, { prefix, communities }: Route): boolean {
  if (!families.includes(prefix.includes(':') ? 'ipv6' : 'ipv4')) return false;
  return ids.length === 0 || communities.some(({ community_id: id }) => ids.includes(id));
}
