import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { listAllPeers } from '../../../src/store/speakers/peers.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.close());

test('of two peers that are given one address at once, one is refused', async () => {
  const create = async (name: string, address: string): Promise<string> =>
    (await plane.run((tx) => createPeer(tx, plane.context, { name, address, remote_asn: 64496 }))).resource
      .id;
  const [one, two] = [await create('one', '192.0.2.1'), await create('two', '192.0.2.2')];
  const body = { address: '192.0.2.3' };
  const { promise: made, resolve: isMade } = Promise.withResolvers<void>();
  const first = plane.run(async (tx) => {
    await changePeer(tx, plane.context, one, body, null);
    isMade();
    await sleep(500); // for whoever does not wait
  });
  await made;
  const second = plane.run((tx) => changePeer(tx, plane.context, two, body, null));
  await expect(second).rejects.toMatchObject({ code: 'conflict', errors: [{ pointer: '/address' }] });
  await first;
  const addresses = (await plane.run(listAllPeers)).map(({ address }) => address);
  expect(addresses).toEqual(['192.0.2.3', '192.0.2.2']);
});
