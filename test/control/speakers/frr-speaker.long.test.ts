import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCommunity } from '../../../src/control/tenants/communities.ts';
import { changeTenant } from '../../../src/control/tenants/tenants.ts';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSpeaker, createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { speakerTag } from '../../../src/speakers/frr/names.ts';
import { ProvisionalDriver } from '../../../src/speakers/provisional.ts';
import { listPeers } from '../../../src/store/speakers/peers.ts';
import { serviceId } from '../../../src/store/holding/router-daemons.ts';
import { deleteSpeaker } from '../../../src/store/speakers/speakers.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startWorld, type World } from '../../speakers/frr/world.ts';
import { startPlane, type Plane } from '../plane.ts';
import { PEER_REACH } from '../../peer-allow.ts';

describe.skipIf(requireDaemon('frr-bgpd') === null)('a speaker in a local FRR', () => {
  let plane: Plane;
  let world: World;
  let holder: SpeakerHolder;
  beforeAll(async () => {
    plane = await startPlane();
    world = await startWorld({}, { serviceId: await plane.database.db.inSystem(serviceId) });
    holder = hold();
  });
  afterAll(async () => {
    await holder?.close();
    await world?.stop();
    await plane?.close();
  });

  function hold(): SpeakerHolder {
    const started = new SpeakerHolder({
      peerReach: PEER_REACH,
      ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: ['frr'] },
      driverOf: (_daemon, id) => new ProvisionalDriver(world.driver(id)),
      shared: new Map([['frr', world.daemon()]]),
      onFault: () => undefined,
    });
    started.start();
    return started;
  }

  test('announces what is refreshed, is brought back by itself, and is taken out when it is disabled', async () => {
    const speaker = { name: 'frr', daemon: 'frr', local_asn: 64512, local_ipv4: world.address } as const;
    const { resource: made } = await plane.run((tx) => createSpeaker(tx, plane.context, speaker));
    const peer = await world.peer();
    const moduleId = await plane.run(async (tx) => {
      const { resource: community } = await createCommunity(tx, { community: '65000:7', title: '"; quit' });
      const module = { name: 'ranges', type: 'IP_RANGES', community_id: community.id } as const;
      const { resource } = await createModule(tx, module);
      const ranges = [{ cidr: '11.0.0.0/24' }, { cidr: '12.0.0.0/24' }];
      await createIpRangeEntries(tx, resource.id, ranges, () => '');
      await createPeer(tx, plane.context, {
        ...{ name: 'exit\nno router bgp', description: '!', password: null, multihop: 2 },
        ...{ address: peer.address, port: peer.port, remote_asn: peer.localAsn },
      });
      return resource.id;
    });
    const result = await plane.succeeded(await plane.refresh(moduleId));
    await peer.waitRoutes(2);
    const expected = [
      ['11.0.0.0/24', ['65000:7', '65535:65281']],
      ['12.0.0.0/24', ['65000:7', '65535:65281']],
    ];
    expect((await peer.routes()).map(({ prefix, communities }) => [prefix, communities])).toEqual(expected);
    expect((await plane.speaker(made.id)).applied_revision_id).toBe(result.revision_id);
    const isShown = async (): Promise<boolean> => {
      const { items } = await plane.run((tx) => listPeers(tx, { limit: 10 }));
      const [session] = items[0]!.session_on_speakers;
      return session?.state === 'established' && session.routes_exported === 2;
    };
    await waitFor(isShown, { what: 'the session to be shown' });
    expect((await plane.speaker(made.id)).live).toMatchObject({ reachable: true, error: null });
    expect((await plane.speaker(made.id)).live?.version).toMatch(/^FRRouting/);

    const received = peer.updates().length;
    await world.frr.restart();
    await waitFor(async () => (await world.frr.command('show running-config')).includes(peer.address), {
      what: 'FRR to have the peer again',
    });
    await waitFor(isShown, { what: 'the session to be shown again' });
    expect(peer.withdrawnSince(received)).toEqual([]);

    const become = (status: 'stopped' | 'active') =>
      plane.run((tx) => changeTenant(tx, plane.context, plane.tenantId, { status }, null));
    await become('stopped');
    await peer.waitRoutes(0);
    await become('active');
    await peer.waitRoutes(2);

    await plane.run((tx) => changeSpeaker(tx, made.id, { enabled: false }, null));
    await peer.waitRoutes(0);
    await waitFor(async () => !(await world.frr.command('show running-config')).includes('pcast_'), {
      what: 'FRR to have nothing of ours',
    });
  });

  test('is taken out by the next process when it was deleted or disabled while there was none', async () => {
    const speakers = [];
    for (const name of ['stays', 'is deleted', 'is disabled'])
      speakers.push(
        (await plane.run((tx) => createSpeaker(tx, plane.context, { name, daemon: 'frr', local_asn: 64512 })))
          .resource,
      );
    const [stays, deleted, disabled] = speakers.map(({ id }) => id) as [string, string, string];
    const areIn = async (): Promise<boolean[]> => {
      const config = await world.frr.command('show running-config');
      return [stays, deleted, disabled].map((id) => config.includes(` view ${speakerTag(id)}\n`));
    };
    await waitFor(async () => (await areIn()).every(Boolean), { what: 'the speakers to be in FRR' });
    await holder.close();
    await plane.run((tx) => deleteSpeaker(tx, deleted, null));
    await plane.run((tx) => changeSpeaker(tx, disabled, { enabled: false }, null));
    expect(await areIn()).toEqual([true, true, true]);
    holder = hold();
    const expected = JSON.stringify([true, false, false]);
    await waitFor(async () => JSON.stringify(await areIn()) === expected, {
      what: 'what nobody wants to go',
    });
    // FRR takes a view out before the lists that it named, line by line.
    await waitFor(
      async () => !(await world.frr.command('show running-config')).includes(speakerTag(deleted)),
      {
        what: 'the lists of what nobody wants to go',
      },
    );
  });
});
