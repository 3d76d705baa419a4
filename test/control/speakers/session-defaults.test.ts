/** What settings say of sessions, as a router sees it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Plane, startPlane } from '../plane.ts';

const ROUTER_ID = '10.20.30.40';

describe.skipIf(requireDaemon('bird') === null)('settings of sessions', () => {
  let plane: Plane;
  let bird: Bird;
  let peer: Awaited<ReturnType<typeof createPeer>>['resource'];

  const seen = async (): Promise<string> =>
    (await bird.command('show protocols all')).map(({ text }) => text).join('\n');
  const sees = (what: RegExp): Promise<unknown> => {
    let last = '';
    return waitFor(
      async () => {
        last = await seen();
        return what.test(last);
      },
      { what: `the router to see ${what.source}`, details: () => last },
    );
  };

  beforeAll(async () => {
    plane = await startPlane();
    const address = loopbackAddress();
    bird = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: 64496 },
      neighbors: [{ address: '127.0.0.1', port: 1, asn: 64512, passive: true }],
    });
    await plane.run((tx) =>
      changeSettings(tx, {
        ...{ bgp_default_hold_time: 33, bgp_default_router_id: ROUTER_ID, bgp_restart_time: 45 },
      }),
    );
    await plane.run((tx) => createSpeaker(tx, plane.context, { name: 'edge', local_asn: 64512 }));
    await plane.hold();
    const body = { name: 'router', address, port: bird.port, remote_asn: 64496 };
    peer = (await plane.run((tx) => createPeer(tx, plane.context, body))).resource;
    await sees(/BGP state:\s+Established/);
  });
  afterAll(async () => {
    await plane?.close();
    await bird?.stop();
  });

  test('bgp_default_hold_time is negotiated by a peer for which none is given', async () => {
    expect(peer.hold_time).toBe(33);
    expect(await seen()).toMatch(/Hold timer:\s+[\d.]+\/33\b/);
  });

  test('bgp_default_router_id is the BGP identifier of a speaker for which none is given', async () => {
    expect(await seen()).toMatch(new RegExp(`Neighbor ID:\\s+${ROUTER_ID}\\b`));
  });

  test('bgp_restart_time is how long the router is asked to keep the routes, and one that is changed is asked for anew', async () => {
    expect(await seen()).toMatch(/Neighbor capabilities[^]*Restart time: 45\b/);
    await plane.run((tx) => changeSettings(tx, { bgp_restart_time: 300 }));
    await sees(/Neighbor capabilities[^]*Restart time: 300\b/);
  });

  test('what is given counts over them', async () => {
    const given = { name: 'other', address: loopbackAddress(), remote_asn: 64496, hold_time: 240 };
    const { resource } = await plane.run((tx) => createPeer(tx, plane.context, given));
    expect(resource.hold_time).toBe(240);
    const body = { name: 'own', local_asn: 64512, router_id: '10.9.8.7' };
    const { resource: speaker } = await plane.run((tx) => createSpeaker(tx, plane.context, body));
    expect(speaker.router_id).toBe('10.9.8.7');
  });
});
