/** When a session that is down is tried next: whoever has corrected a router knows how long to wait. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { readLive } from '../../../src/store/speakers/speaker-live.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Plane, startPlane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane.close());

test('a router that refuses connections is tried at a moment to come, and one that is to connect at none', async () => {
  const speaker = await plane.addSpeaker('edge');
  const address = loopbackAddress();
  const port = await freePort(address);
  const peer = { name: 'away', address, port, remote_asn: 64496 };
  const calling = { ...peer, name: 'calls', address: loopbackAddress(), passive: true };
  const { resource: away } = await plane.run((tx) => createPeer(tx, plane.context, peer));
  await plane.run((tx) => createPeer(tx, plane.context, calling));
  await plane.hold();
  const sessions = async () => {
    const live = await plane.run((tx) => readLive(tx, [speaker]));
    return live.get(speaker.id)!.sessions;
  };
  const tried = await waitFor(
    async () => {
      const session = (await sessions()).find(({ peer_id: id }) => id === away.id);
      // The first pauses are shorter than what is between two reports.
      const at = Date.parse(session?.next_attempt_at ?? '');
      return at > Date.now() && session;
    },
    { what: 'the next attempt to be known' },
  );
  expect(Date.parse(tried.next_attempt_at!) - Date.now()).toBeLessThan(61_000);
  expect((await sessions()).find(({ peer_name: name }) => name === 'calls')).toMatchObject({
    next_attempt_at: null,
  });
});
