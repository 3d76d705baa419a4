/** Somebody has corrected a router of a node: the node is asked to call it now, where it would call by itself much later. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { typist } from '../cli/desk/typing.ts';
import { type Bird, startBird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type NodeWorld } from './world.ts';

const ROUTES = ['45.0.0.0/24', '45.0.2.0/24'];
const PEER_ASN = 64496;
/** After as many calls in vain, the next is more than twenty seconds away. */
const CALLS = 6;

// Each step may take its time where many tests share the machine.

describe.skipIf(requireDaemon('bird') === null)('a router that its node calls again much later', () => {
  let world: NodeWorld;
  let bird: Bird | null = null;
  beforeAll(async () => {
    world = await startWorld();
    await world.enrolled();
    await world.announce(ROUTES);
  });
  afterAll(async () => {
    await bird?.stop();
    await world?.close();
  });

  test('is called when somebody asks for that, by the bundle that it has', async () => {
    const listen = { address: loopbackAddress(), port: await freePort() };
    let calls = 0;
    const refusing = createServer((socket) => {
      calls += 1;
      socket.destroy();
    }).listen(listen.port, listen.address);
    await once(refusing, 'listening');
    await world.service.post('/v1/peers', {
      ...{ name: 'late', address: listen.address, port: listen.port, remote_asn: PEER_ASN },
      ...{ speaker_ids: [world.speakerId] },
    });
    await waitFor(() => calls >= CALLS, { what: 'calls in vain' });
    await new Promise((resolve) => refusing.close(resolve));
    bird = await startBird({
      ...{ listen, routerId: listen.address, localAsn: PEER_ASN },
      neighbors: [{ address: '127.0.0.1', port: 1, asn: 64512, passive: true, families: ['ipv4', 'ipv6'] }],
    });
    const applied = (await world.speaker()).applied_revision_id;
    const env = { PREFIXCAST_URL: world.service.url, PREFIXCAST_KEY: world.service.key };
    const { code, out, err } = await typist(env)('session', 'connect', 'late', '--timeout', '10');
    expect(code, err).toBe(0);
    // A node may report the session before it has sent the routes.
    expect(out).toMatch(/^late at edge: established, [02] routes\n$/);
    await bird.waitRoutes(ROUTES.length);
    expect((await world.speaker()).applied_revision_id).toBe(applied);
  });
});
