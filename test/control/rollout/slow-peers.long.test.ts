import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PeerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { listRevertedPeers } from '../../../src/store/rollout/reverted-peers.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule, speakerResults } from './rollout.ts';

/** More than the buffers between two sockets hold. */
const MANY = 300_000;
/** Fewer than that, and more than the router has at first. */
const LIMIT = 1_000;

/** One router reads nothing for a while, and does not bear all that it finds then; the other does. The tests go on from one another. */
describe.skipIf(requireDaemon('bird') === null)('a router that reads slowly', () => {
  let plane: Plane;
  let module: GrowingModule;
  let speakerId: string;
  let slowId: string;
  let before: string;
  const birds: Bird[] = [];

  async function addPeer(name: string, importLimit?: number): Promise<string> {
    const address = loopbackAddress();
    const bird = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: 64496, recordUpdates: false },
      neighbors: [
        {
          ...{
            address: '127.0.0.1',
            port: 1,
            asn: 64512,
            passive: true,
            holdTime: 0,
            families: ['ipv4', 'ipv6'],
          },
          ...(importLimit === undefined ? {} : { importLimit, importLimitAction: 'disable' as const }),
        },
      ],
    });
    birds.push(bird);
    const peer = { name, address, port: bird.port, remote_asn: 64496, speaker_ids: [speakerId] };
    const body = { ...peer, next_hop_ipv6: '2001:db8::1' };
    return (await plane.run((tx) => createPeer(tx, plane.context, body))).resource.id;
  }

  beforeAll(async () => {
    plane = await startPlane();
    // Who waits for the slow one waits for longer than any test.
    const timeout = { deploy_confirm_timeout_seconds: 3_600 };
    await plane.run((tx) => changeSettings(tx, { auto_apply: false, ...timeout }));
    module = await GrowingModule.create(plane);
    speakerId = (await plane.addSpeaker('edge')).id;
    await addPeer('quick');
    slowId = await addPeer('slow', LIMIT);
    await plane.hold();
    before = await module.nextRevision();
    await plane.succeeded(await plane.apply(before));
    for (const bird of birds) await bird.waitRoutes(1);
    await waitFor(
      async () => {
        const sessions = (await plane.speaker(speakerId)).live?.sessions ?? [];
        return sessions.length === 2 && sessions.every(({ routes_exported: count }) => count === 1);
      },
      { what: 'both sessions to be reported' },
    );
  });
  afterAll(async () => {
    birds[1]?.resume();
    await plane?.close();
    for (const bird of birds) await bird.stop();
  });

  const resultOf = (job: Job, name: string): PeerApplyResult | undefined =>
    speakerResults(job)[0]!.peers.find((peer) => peer.name === name);

  test('keeps no later apply waiting, and is named by each', async () => {
    const [quick, slow] = birds as [Bird, Bird];
    const rows = Array.from({ length: MANY }, (_, n) => {
      const even = n * 2;
      return `2a0e:b200::${(even >> 16).toString(16)}:${(even & 0xffff).toString(16)}`;
    });
    plane.answers.set('/many', (_, response) => response.end(rows.join('\n')));
    const list = { name: 'many', type: 'CDN_SOURCES' } as const;
    const { id } = (await plane.run((tx) => createModule(tx, list))).resource;
    const source = { name: 'many', url: `${plane.lists.origin}/many` };
    await plane.run((tx) => createCdnSources(tx, plane.context, id, [source], () => ''));
    const large = String((await plane.succeeded(await plane.refresh(id))).revision_id);
    const urgent = await module.nextRevision();

    slow.pause();
    const first = await plane.apply(large);
    await quick.waitRoutes(MANY + 1);
    expect((await plane.job(first.id)).finished_at).toBeNull();
    const second = await plane.ended(await plane.apply(urgent));
    expect(second).toMatchObject({ state: 'succeeded' });
    await quick.waitRoutes(MANY + 2);
    for (const [job, wasBehind] of [
      [await plane.ended(first), false],
      [second, true],
    ] as const) {
      expect(speakerResults(job)).toMatchObject([{ status: 'partial' }]);
      expect(resultOf(job, 'quick')).toMatchObject({ status: 'applied' });
      expect(resultOf(job, 'slow')).toMatchObject({
        ...{ status: 'incomplete', was_up: true, was_behind: wasBehind },
      });
    }
  });

  test('is put back when it reads on and refuses what it finds, while the other keeps the routes', async () => {
    const [quick, slow] = birds as [Bird, Bird];
    slow.resume();
    const [reverted] = await waitFor(
      async () => {
        const known = await plane.run((tx) => listRevertedPeers(tx, speakerId));
        return known.length > 0 && known;
      },
      { what: 'the router to be put back' },
    );
    expect(reverted).toMatchObject({
      ...{ peer_id: slowId, revision_id: before },
      notification: { direction: 'received', code: 6, subcode: 1 },
    });
    expect(await quick.routeCount()).toBe(MANY + 2);
    await slow.command('enable n1');
    await slow.waitRoutes(1);
  });
});
