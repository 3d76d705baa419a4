import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSpeaker, createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { serviceId } from '../../../src/store/holding/router-daemons.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startWorld, type World } from '../../speakers/gobgp/world.ts';
import { startPlane, type Plane } from '../plane.ts';
import { PEER_REACH } from '../../peer-allow.ts';

const lacks = (['bird', 'gobgpd'] as const).some((name) => requireDaemon(name) === null);

describe.skipIf(lacks)('a speaker in a local GoBGP', () => {
  let plane: Plane;
  let world: World;
  let holder: SpeakerHolder;
  /** What went wrong with which speaker. */
  const faults: (readonly [speakerId: string | null, error: unknown])[] = [];
  beforeAll(async () => {
    plane = await startPlane();
    world = await startWorld({}, await plane.database.db.inSystem(serviceId));
    holder = new SpeakerHolder({
      peerReach: PEER_REACH,
      ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: ['gobgp'] },
      driverOf: (_daemon, id) => world.driver(id),
      shared: new Map([['gobgp', world.daemon]]),
      onFault: (...fault) => faults.push(fault),
    });
    holder.start();
  });
  afterAll(async () => {
    await holder?.close();
    await world?.stop();
    await plane?.close();
  });

  test('that was disabled while GoBGP hung is taken out when it answers again', async () => {
    const speaker = { name: 'gobgp', daemon: 'gobgp', local_asn: 64512, local_ipv4: world.address } as const;
    const { resource: made } = await plane.run((tx) => createSpeaker(tx, plane.context, speaker));
    const peer = await world.peer();
    const moduleId = await plane.run(async (tx) => {
      const { resource } = await createModule(tx, { name: 'ranges', type: 'IP_RANGES' });
      await createIpRangeEntries(tx, resource.id, [{ cidr: '11.0.0.0/24' }], () => '');
      await createPeer(tx, plane.context, {
        ...{ name: 'peer', address: peer.address, port: peer.port, remote_asn: peer.localAsn },
        ...{ password: null, multihop: 2 },
      });
      return resource.id;
    });
    await plane.succeeded(await plane.refresh(moduleId));
    await peer.waitRoutes(1);
    world.gobgp.pause();
    const known = faults.length;
    await plane.run((tx) => changeSpeaker(tx, made.id, { enabled: false }, null));
    await waitFor(() => faults.slice(known).some(([id]) => id === made.id), {
      what: 'the holder to give up on GoBGP',
    });
    expect(await peer.routeCount()).toBe(1);
    world.gobgp.resume();
    await peer.waitRoutes(0);
  });
});
