import { afterEach, expect, test } from 'vitest';
import type { SpeakerDocument } from '../../src/bundle/speaker-document.ts';
import { document } from '../bundle/sample.ts';
import { waitFor } from '../daemons/wait.ts';
import { goodBundle, playNode, type PlayedNode } from './played.ts';

let node: PlayedNode | undefined;
afterEach(() => node?.close());

const REFUSAL = 'its stored password cannot be opened: set password of the peer again';

test('a node reports at the session of a peer with a damaged password why it is left out, and has the others', async () => {
  const [peer] = document.speaker.peers;
  const well = { ...peer!, id: 'well', address: '127.0.0.9', passive: true, password: null };
  const damaged = { ...well, id: 'damaged', address: '127.0.0.10', refusal: REFUSAL };
  const speaker: SpeakerDocument = { ...document, speaker: { ...document.speaker, peers: [damaged, well] } };
  const { bytes, latest } = goodBundle({}, 1, { speaker });
  // As the service does: what the node has is not answered again, or the node would report that it changed nothing.
  const nothingNew = new Promise<never>(() => undefined);
  node = await playNode(({ path, headers }) => {
    if (!path.includes('/latest')) return { body: bytes };
    return headers['if-none-match'] === undefined ? { headers: { etag: '"7"' }, body: latest } : nothingNew;
  });
  const { daemon, ...apply } = await waitFor(
    () =>
      node!.reports().find(({ daemon: { sessions }, sequence }) => sequence === 7 && sessions.length === 2),
    { what: 'the node to tell of its sessions', details: () => node!.said.join('\n') },
  );
  expect(apply).toMatchObject({ status: 'applied', announced: 1, error: null });
  const errorOf = (id: string): string | null | undefined =>
    daemon.sessions.find(({ peer_id: peerId }) => peerId === id)?.last_error;
  expect(errorOf('damaged')).toBe(REFUSAL);
  expect(errorOf('well')).toBeNull();
});
