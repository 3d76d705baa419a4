import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Daemon } from '../../../src/api/speakers/speakers.ts';
import { createCommunity } from '../../../src/control/tenants/communities.ts';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSpeaker, createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { listModules } from '../../../src/store/modules/modules.ts';
import { listPeers } from '../../../src/store/speakers/peers.ts';
import { deleteSpeaker } from '../../../src/store/speakers/speakers.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startWorld, type World } from '../../speakers/bird/world.ts';
import { startPlane, type Plane } from '../plane.ts';
import { PEER_REACH } from '../../peer-allow.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.close());

const create = (
  daemon: 'bird' | 'frr',
  local_ipv4: string | null = null,
  drivenDaemons: readonly Daemon[] = ['builtin', 'bird'],
) =>
  plane.run((tx) =>
    createSpeaker(tx, { drivenDaemons }, { name: daemon, daemon, local_asn: 64512, local_ipv4 }),
  );

test('a speaker whose daemon this service does not drive is refused, with what to do', async () => {
  const refusal = { code: 'validation_failed', errors: [{ pointer: '/daemon' }] };
  const undriven = () => create('bird', null, ['builtin']);
  await expect(undriven()).rejects.toMatchObject(refusal);
  await expect(undriven()).rejects.toThrow(/APP_ROUTER_DAEMON=bird.*docs\/routers\/bird\.md/);
  await expect(create('frr')).rejects.toMatchObject(refusal);
});

test('only a speaker of BIRD has a choice of how its routes come', async () => {
  const fed = { bird_routes: 'feed' } as const;
  const refusal = { code: 'validation_failed', errors: [{ pointer: '/policies_json/bird_routes' }] };
  const builtin = plane.run((tx) =>
    createSpeaker(tx, plane.context, { name: 'b', local_asn: 64512, policies_json: fed }),
  );
  await expect(builtin).rejects.toMatchObject(refusal);
  const { resource } = await plane.run((tx) =>
    createSpeaker(tx, plane.context, { name: 'b', local_asn: 64512 }),
  );
  const change = plane.run((tx) => changeSpeaker(tx, resource.id, { policies_json: fed }, null));
  await expect(change).rejects.toMatchObject(refusal);
  await expect(change).rejects.toThrow(/of the daemon builtin/);
  await plane.run((tx) => deleteSpeaker(tx, resource.id, null));
});

describe.skipIf(requireDaemon('bird') === null)('a speaker in a local BIRD', () => {
  let world: World;
  let holder: SpeakerHolder;
  beforeAll(async () => {
    world = await startWorld();
    holder = new SpeakerHolder({
      peerReach: PEER_REACH,
      ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: ['bird'] },
      driverOf: (_daemon, id) => world.driver(id),
      onFault: () => undefined,
    });
    holder.start();
  });
  afterAll(async () => {
    await holder?.close();
    await world?.stop();
  });

  test('announces what is refreshed, shows its sessions, and is taken out when it is disabled', async () => {
    const { resource: speaker } = await create('bird', world.address);
    const peer = await world.peer();
    await plane.run(async (tx) => {
      const { resource: community } = await createCommunity(tx, { community: '65000:7', title: '"; quit' });
      const module = { name: 'ranges', type: 'IP_RANGES', community_id: community.id } as const;
      const { resource } = await createModule(tx, module);
      await createIpRangeEntries(
        tx,
        resource.id,
        [{ cidr: '11.0.0.0/24' }, { cidr: '12.0.0.0/24' }],
        () => '',
      );
      await createPeer(tx, plane.context, {
        ...{ name: '"; protocol kernel { }', description: '}\n}', password: null, multihop: 2 },
        ...{ address: peer.address, port: peer.port, remote_asn: peer.localAsn },
      });
      return resource;
    });
    const { items: modules } = await plane.run((tx) => listModules(tx, { limit: 1 }));
    const result = await plane.succeeded(await plane.refresh(modules[0]!.id));
    await peer.waitRoutes(2);
    expect((await peer.routes()).map(({ prefix, communities }) => [prefix, communities])).toEqual([
      ['11.0.0.0/24', ['65000:7', '65535:65281']],
      ['12.0.0.0/24', ['65000:7', '65535:65281']],
    ]);
    expect((await plane.speaker(speaker.id)).applied_revision_id).toBe(result.revision_id);
    await waitFor(
      async () => {
        const { items } = await plane.run((tx) => listPeers(tx, { limit: 10 }));
        const [session] = items[0]!.session_on_speakers;
        return session?.state === 'established' && session.routes_exported === 2;
      },
      { what: 'the session to be shown' },
    );
    expect((await plane.speaker(speaker.id)).live).toMatchObject({ reachable: true, error: null });
    expect((await plane.speaker(speaker.id)).live?.version).toMatch(/^BIRD/);
    // From now on over a session; what is sent next reconfigures nothing.
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { policies_json: { bird_routes: 'feed' } }, null));
    const feeds = async () => (await world.bird.command('show protocols')).filter(isFeed);
    const isFeed = ({ text }: { text: string }) => /^pc_\w+_feed .*Established/.test(text);
    await waitFor(async () => (await feeds()).length === 1, { what: 'the feed to be up' });
    await plane.run((tx) => createIpRangeEntries(tx, modules[0]!.id, [{ cidr: '14.0.0.0/24' }], () => ''));
    await plane.succeeded(await plane.refresh(modules[0]!.id));
    await peer.waitRoutes(3);
    await plane.run((tx) => changeSpeaker(tx, speaker.id, { enabled: false }, null));
    await peer.waitRoutes(0);
    const ours = async () =>
      (await world.bird.command('show protocols')).filter(({ text }) => text.startsWith('pc_'));
    await waitFor(async () => (await ours()).length === 0, { what: 'BIRD to have nothing of ours' });
  });
});
