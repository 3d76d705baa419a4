/** The builtin speaker gives each peer its own routes; what one over its limit holds is known to the next process all the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { getPeer } from '../../../src/store/speakers/peers.ts';
import { previewRevision } from '../../../src/control/previews/preview-revision.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Holding, type Plane } from '../plane.ts';
import { GrowingModule, speakerResults } from './rollout.ts';

describe.skipIf(requireDaemon('bird') === null)('a peer that its speaker has too many routes for', () => {
  let plane: Plane;
  let holding: Holding;
  let module: GrowingModule;
  let speakerId: string;
  let narrowId: string;
  let peers: readonly [wide: Bird, narrow: Bird];

  async function addPeer(
    name: string,
    more: object = {},
  ): Promise<{ readonly bird: Bird; readonly id: string }> {
    const address = loopbackAddress();
    const bird = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: 64496 },
      neighbors: [{ address: '127.0.0.1', port: 1, asn: 64512, passive: true }],
    });
    const body = { name, address, port: bird.port, remote_asn: 64496, graceful_restart: false, ...more };
    const { resource } = await plane.run((tx) => createPeer(tx, plane.context, body));
    return { bird, id: resource.id };
  }
  const have = async (wide: number, narrow: number): Promise<void> => {
    await peers[0].waitRoutes(wide);
    await peers[1].waitRoutes(narrow);
  };
  const apply = async (): Promise<string> => {
    const revision = await module.nextRevision();
    await plane.ended(await plane.apply(revision));
    return revision;
  };
  const session = async () =>
    (await plane.run((tx) => getPeer(tx, narrowId))).resource.session_on_speakers[0]!;
  const exceeds = async (): Promise<boolean> => {
    const [revision] = await plane.database.admin<{ id: string }>(
      'SELECT id FROM revision ORDER BY number DESC LIMIT 1',
    );
    const preview = await plane.run((tx) => previewRevision(tx, plane.context.secrets, revision!.id, {}));
    return preview.speakers[0]!.peers.find(({ peer_id }) => peer_id === narrowId)!.max_prefixes_out_exceeded;
  };
  const rows = (): Promise<{ revision_id: string | null }[]> =>
    plane.database.admin('SELECT revision_id FROM limited_peer WHERE speaker_id = $1', [speakerId]);

  beforeAll(async () => {
    plane = await startPlane();
    await plane.run((tx) => changeSettings(tx, { auto_apply: false, deploy_confirm_timeout_seconds: 20 }));
    module = await GrowingModule.create(plane);
    speakerId = (await plane.addSpeaker('edge')).id;
    const wide = await addPeer('wide');
    const narrow = await addPeer('narrow', { max_prefixes_out: 2 });
    peers = [wide.bird, narrow.bird];
    narrowId = narrow.id;
    holding = await plane.hold();
  });
  afterAll(async () => {
    await plane?.close();
    await Promise.all((peers ?? []).map((bird) => bird.stop()));
  });

  test('is written down with what it holds', async () => {
    await apply();
    const held = await apply();
    await have(2, 2);
    const job = await plane.ended(await plane.apply(await module.nextRevision()));
    expect(speakerResults(job)[0]).toMatchObject({ status: 'partial' });
    await have(3, 2);
    expect(await rows()).toEqual([{ revision_id: held }]);
  });

  test('has that again after a restart of the service, and newer revisions', async () => {
    await holding.close();
    await have(0, 0);
    holding = await plane.hold();
    await have(3, 2);
    expect((await peers[1].routes()).map(({ prefix }) => prefix).sort()).toEqual([
      '11.0.0.0/24',
      '11.1.0.0/24',
    ]);
    await apply();
    await have(4, 2);
    await holding.close();
    holding = await plane.hold();
    await have(4, 2);
  });

  test('gets all with a higher limit, and is forgotten', async () => {
    await plane.run((tx) => changePeer(tx, plane.context, narrowId, { max_prefixes_out: 4 }, null));
    await have(4, 4);
    await waitFor(async () => (await rows()).length === 0, { what: 'nothing to be limited' });
  });

  const isOver = (routes: string): Promise<unknown> =>
    waitFor(async () => (await session()).last_error?.startsWith(routes) === true, {
      what: 'the peer to be over its limit',
    });

  test('keeps what it has when its limit is lowered below that, and is said to be over it', async () => {
    await plane.run((tx) => changePeer(tx, plane.context, narrowId, { max_prefixes_out: 2 }, null));
    await isOver('4 routes are more than max_prefixes_out 2: the peer keeps the 4 it has');
    await have(4, 4);
    expect(await exceeds()).toBe(true);
    await waitFor(async () => (await rows()).length === 1, { what: 'what it holds to be written down' });
    await apply();
    await have(5, 4);
  });

  test('is never sent more than its limit in a new session, be it less than it had', async () => {
    await holding.close();
    await have(0, 0);
    holding = await plane.hold();
    await isOver('5 routes are more than max_prefixes_out 2: the peer keeps the 0 it has');
    await have(5, 0);
    expect(await exceeds()).toBe(true);
  });

  test('gets all when it is raised again, without an apply', async () => {
    await plane.run((tx) => changePeer(tx, plane.context, narrowId, { max_prefixes_out: 5 }, null));
    await have(5, 5);
    expect(await exceeds()).toBe(false);
    await waitFor(async () => (await rows()).length === 0, { what: 'nothing to be limited' });
    await waitFor(async () => (await session()).last_error === null, { what: 'nothing to be said of it' });
  });
});
