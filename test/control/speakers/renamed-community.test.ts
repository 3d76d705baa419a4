import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SettingsPatch } from '../../../src/api/operation/settings.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { changeCommunity } from '../../../src/control/tenants/communities.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings, followSettings } from '../../../src/control/tenants/settings.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Holding, type Plane } from '../plane.ts';

/** Several looks of the holder at what it is to run. */
const LOOKS = 3_500;

describe.skipIf(requireDaemon('bird') === null)('a peer that is sent one community', () => {
  let plane: Plane;
  let bird: Bird;
  let speaker: Speaker;
  let holding: Holding;
  let communityId: string;
  let moduleId: string;
  beforeAll(async () => {
    plane = await startPlane();
    speaker = await plane.addSpeaker('edge');
    holding = await plane.hold();
    communityId = await plane.addCommunity('64512:1');
    await rename({ next_hop_ipv4: '192.0.2.66' });
    ({ id: moduleId } = await addModule('blocked', communityId, '11.0.0.0/24'));
    await addModule('other', await plane.addCommunity('64512:9'), '12.0.0.0/24');
    const address = loopbackAddress();
    const neighbor = { address: '127.0.0.1', port: 1, asn: 64512, passive: true, gracefulRestart: true };
    bird = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: 64496, neighbors: [neighbor] },
    });
    const peer = { name: 'one', address, port: bird.port, remote_asn: 64496, community_ids: [communityId] };
    await plane.run((tx) => createPeer(tx, plane.context, peer));
  });
  afterAll(async () => {
    await bird?.stop();
    await plane?.close();
  });

  const changeSetting = (patch: SettingsPatch) =>
    plane.run(async (tx) => {
      await changeSettings(tx, patch);
      return followSettings(tx, plane.context, patch);
    });
  const rename = (patch: Parameters<typeof changeCommunity>[3]) =>
    plane.run((tx) => changeCommunity(tx, plane.context, communityId, patch, null));
  async function addModule(name: string, community: string, cidr: string): Promise<{ id: string }> {
    const body = { name, type: 'IP_RANGES', community_id: community } as const;
    const { resource: module } = await plane.run((tx) => createModule(tx, body));
    await plane.run((tx) => createIpRangeEntries(tx, module.id, [{ cidr }], () => ''));
    await plane.succeeded(await plane.refresh(module.id));
    return module;
  }
  const heard = async () =>
    (await bird.routes()).map(({ prefix, nextHop, communities }) => ({ prefix, nextHop, communities }));
  const with1 = (community: string) => [
    {
      prefix: '11.0.0.0/24',
      nextHop: '192.0.2.66',
      communities: expect.arrayContaining([community]) as unknown,
    },
  ];

  test('keeps its routes and their next hop when that is given another value, until the next revision', async () => {
    await plane.succeeded(await plane.apply(undefined, [speaker.id]));
    await bird.waitRoutes(1);
    expect(await heard()).toEqual(with1('64512:1'));
    const received = bird.updates().length;
    await rename({ community: '64512:2' });
    await sleep(LOOKS); // for what must not come
    expect(await heard()).toEqual(with1('64512:1'));
    // Another process reads everything anew.
    await holding.close();
    holding = await plane.hold();
    await waitFor(async () => (await bird.routes()).every((route) => route.stale !== true), {
      what: 'fresh routes',
    });
    await bird.waitEstablished();
    expect(await heard()).toEqual(with1('64512:1'));
    await plane.succeeded(await plane.refresh(moduleId));
    await plane.succeeded(await plane.apply(undefined, [speaker.id]));
    await waitFor(async () => (await heard())[0]?.communities.includes('64512:2'), {
      what: 'the new value',
    });
    await sleep(LOOKS); // for what must not come
    expect(await heard()).toEqual(with1('64512:2'));
    expect(bird.withdrawnSince(received)).toEqual([]);
  });

  test('gives its routes another next hop by itself, and after a freeze those that it was given meanwhile', async () => {
    const hop = async (): Promise<string | undefined> => (await heard())[0]?.nextHop;
    const received = bird.updates().length;
    await rename({ next_hop_ipv4: '192.0.2.77' });
    await waitFor(async () => (await hop()) === '192.0.2.77', { what: 'the new next hop' });
    await plane.idle();
    await changeSetting({ deploy_freeze: true });
    await rename({ next_hop_ipv4: '192.0.2.88' });
    await plane.idle();
    expect(await hop()).toBe('192.0.2.77');
    await changeSetting({ deploy_freeze: false });
    await waitFor(async () => (await hop()) === '192.0.2.88', { what: 'the next hop of the freeze' });
    expect(bird.withdrawnSince(received)).toEqual([]);
    // What is for people, or what it has already, is no reason to apply anything.
    await plane.idle();
    const count = async (): Promise<number> =>
      (await plane.run((tx) => listJobs(tx, { type: 'apply', limit: 100 }))).items.length;
    const before = await count();
    await rename({ title: 'words', next_hop_ipv4: '192.0.2.88' });
    await plane.idle();
    expect(await count()).toBe(before);
  });
});
