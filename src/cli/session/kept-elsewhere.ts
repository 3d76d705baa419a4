/** Routers that a write takes from one speaker, and that another has a session with: they lose nothing, whatever the one that leaves them withdraws. */
import type { Schemas } from '#client';
import { named, total } from '../render/counted.ts';
import { isLeft } from './ended-sessions.ts';
import type { Session } from './run-remote.ts';

type Effect = Pick<Schemas['Effect'], 'speakers'>;

/** What speakers go on sending a peer, by its id. */
export type KeptElsewhere = ReadonlyMap<string, { readonly by: readonly string[]; readonly routes: number }>;

export const NOTHING_KEPT: KeptElsewhere = new Map();

/** By the sessions that are up now. A service that does not say so is in no way of the write. */
export async function keptElsewhere({ client, names }: Session, effect: Effect): Promise<KeptElsewhere> {
  const ids = leavingIds(effect);
  const [only, ...others] = ids;
  if (only === undefined) return NOTHING_KEPT;
  const read =
    others.length === 0
      ? client.get('/v1/peers/{id}', { params: { path: { id: only } } }).then((peer) => [peer])
      : client.list('/v1/peers', { params: { query: { limit: 500 } } }).toArray();
  const peers = await read.catch((): Schemas['Peer'][] => []);
  const then = afterwards(effect);
  const called = await names.byId(peers.length === 0 ? [] : ['speaker']);
  return new Map(
    peers.flatMap(({ id, session_on_speakers: sessions }) => {
      if (!ids.has(id)) return [];
      const kept = sessions
        .filter(({ state }) => state === 'established')
        .map((one) => ({
          by: called.get(one.speaker_id) ?? one.speaker_label,
          routes: Math.min(one.routes_exported, then.get(`${one.speaker_id} ${id}`) ?? Infinity),
        }))
        .filter(({ routes }) => routes > 0);
      const most = Math.max(0, ...kept.map(({ routes }) => routes));
      return most === 0 ? [] : [[id, { by: kept.map(({ by }) => by), routes: most }] as const];
    }),
  );
}

function leavingIds({ speakers }: Effect): ReadonlySet<string> {
  return new Set(speakers.flatMap(({ peers }) => peers.filter(isLeft).map((peer) => peer.peer_id)));
}

/** Routes of peers whose sending changes, by the ids of speaker and peer. */
function afterwards({ speakers }: Effect): ReadonlyMap<string, number> {
  return new Map(
    speakers.flatMap(({ speaker_id: id, peers }) =>
      peers.map(({ peer_id: peer, after }) => [`${id} ${peer}`, total(after)] as const),
    ),
  );
}

/** Null: there is no such router. */
export function keptText({ speakers }: Effect, kept: KeptElsewhere): string | null {
  const leaving = speakers.flatMap(({ name: speaker, peers }) =>
    peers.filter(isLeft).flatMap(({ peer_id: id, name }) => {
      const other = kept.get(id);
      return other === undefined ? [] : [{ speaker, name, by: other.by }];
    }),
  );
  if (leaving.length === 0) return null;
  const { count, names } = named(
    'peer',
    leaving.map(({ name }) => name),
  );
  const from = named(
    'speaker',
    leaving.map(({ speaker }) => speaker),
  );
  const by = named(
    'speaker',
    leaving.flatMap((one) => one.by),
  );
  return `This ends the session of ${from.names} with ${count}, whose routes stay, since ${by.names} has a session with it and goes on sending them: ${names}`;
}
