/** Peers whose session is down: what the service would send them is not what they have, and nothing of it leaves them. */
import type { Schemas } from '#client';
import { total } from '../render/counted.ts';
import type { Session } from './run-remote.ts';

type Effect = Pick<Schemas['Effect'], 'speakers'>;

/** The states of sessions that are not up, by `sessionKey`. Those of which nobody knows, as of a node that does not report, are not among them. */
export type DownSessions = ReadonlyMap<string, string>;

export const NONE_DOWN: DownSessions = new Map();

export function sessionKey(speakerId: string, peerId: string): string {
  return `${speakerId} ${peerId}`;
}

/** Of peers that an effect has routes of. A service that does not say so is in no way of the write. */
export async function downSessions({ client }: Session, { speakers }: Effect): Promise<DownSessions> {
  const down = new Map<string, string>();
  for (const { speaker_id: id, peers } of speakers) {
    if (!peers.some(({ before }) => total(before) > 0)) continue;
    const params = { path: { speaker_id: id }, query: { live: true } };
    const speaker = await client.get('/v1/speakers/{speaker_id}', { params }).catch(() => null);
    for (const { peer_id: peer, state } of speaker?.live?.sessions ?? [])
      if (state !== 'established') down.set(sessionKey(id, peer), state);
  }
  return down;
}
