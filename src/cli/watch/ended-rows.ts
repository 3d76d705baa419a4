/** Sessions that a watch has shown and that nobody is to have any more: where lines are printed, a row that is missing is seen by no one. */
import type { Schemas } from '#client';
import type { Item } from '../nouns/noun.ts';
import type { Session } from '../session/run-remote.ts';

export interface Ended {
  /** To be shown once, with the reason. */
  readonly rows: readonly Item[];
  /** Nobody has ended these: a process that starts has yet to report them. */
  readonly unclear: readonly Item[];
}

function keyOf({ speaker_id: speaker, peer_id: peer }: Item): string {
  return `${String(speaker)} ${String(peer)}`;
}

export async function endedRows(
  { client }: Pick<Session, 'client'>,
  before: readonly Item[],
  now: readonly Item[],
): Promise<Ended> {
  const left = new Set(now.map(keyOf));
  const missing = before.filter((item) => !left.has(keyOf(item)));
  if (missing.length === 0) return { rows: [], unclear: [] };
  const query = { limit: 500 };
  const peers = await client.list('/v1/peers', { params: { query } }).toArray();
  const speakers = await client.list('/v1/speakers', { params: { query } }).toArray();
  const all = missing.map((item) => ({ item, reason: reasonOf(item, peers, speakers) }));
  return {
    rows: all.flatMap(({ item, reason }) => (reason === null ? [] : [endedRow(item, reason)])),
    unclear: all.flatMap(({ item, reason }) => (reason === null ? [item] : [])),
  };
}

/** Null: there is none. */
function reasonOf(
  { peer_id: peerId, speaker_id: speakerId }: Item,
  peers: readonly Schemas['Peer'][],
  speakers: readonly Schemas['Speaker'][],
): string | null {
  const peer = peers.find(({ id }) => id === peerId);
  const speaker = speakers.find(({ id }) => id === speakerId);
  if (peer === undefined) return 'the peer is deleted';
  if (!peer.enabled) return 'the peer is disabled';
  if (speaker === undefined) return 'the speaker is deleted';
  if (!speaker.enabled) return 'the speaker is disabled';
  const { speaker_ids: own } = peer;
  return own.length === 0 || own.includes(speaker.id) ? null : 'the peer is of another speaker';
}

function endedRow(item: Item, reason: string): Item {
  return {
    ...{ ...item, state: 'ended', reverted: null, routes_exported: null, since: null },
    ...{ next_attempt_at: null, last_error: reason },
  };
}
