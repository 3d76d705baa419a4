import { afterAll, beforeAll, expect, test } from 'vitest';
import { latestBundles } from '../../../src/control/nodes/bundles.ts';
import { RoutesCache } from '../../../src/control/nodes/routes-cache.ts';
import { changePeer, createPeer } from '../../../src/control/speakers/peers.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import type { SpeakerDocument } from '../../../src/bundle/speaker-document.ts';
import { noteAgent } from '../../../src/store/nodes/agents.ts';
import { findBundle } from '../../../src/store/nodes/bundles.ts';
import { getPeer } from '../../../src/store/speakers/peers.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { listenRaw, type RawListener } from '../../speakers/builtin/raw-peer.ts';
import { startPlane, type Plane } from '../plane.ts';
import { GrowingModule } from '../rollout/rollout.ts';

/** One peer of the tenant has a password that nobody can open any more; another is well. */
let plane: Plane;
let router: RawListener;
let damagedId: string;
let revisionId: string;

beforeAll(async () => {
  plane = await startPlane();
  const address = loopbackAddress();
  router = await listenRaw(address);
  await plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  revisionId = await (await GrowingModule.create(plane)).nextRevision();
  const peer = { name: 'well', address, port: router.port, remote_asn: 65_001 };
  await plane.run((tx) => createPeer(tx, plane.context, peer));
  const body = { name: 'damaged', address: loopbackAddress(), remote_asn: 65_001, password: 'hunter2' };
  damagedId = (await plane.run((tx) => createPeer(tx, plane.context, body))).resource.id;
  await plane.database.admin(
    'UPDATE peer SET password_sealed = set_byte(password_sealed, 30, get_byte(password_sealed, 30) # 1) WHERE id = $1',
    [damagedId],
  );
});
afterAll(async () => {
  await plane?.close();
  router?.close();
});

const lastError = async (): Promise<string | null | undefined> =>
  (await plane.run((tx) => getPeer(tx, damagedId))).resource.session_on_speakers[0]?.last_error;

test('a password that cannot be opened stops its peer, and no other', async () => {
  const speaker = await plane.addSpeaker('edge');
  await plane.hold();
  const call = await waitFor(() => router.calls[0], { what: 'the speaker to call the other peer' });
  await call.establish();
  await plane.succeeded(await plane.apply(revisionId, [speaker.id]));
  await waitFor(() => call.routes.size === 1, { what: 'the route at the other peer' });
  await waitFor(async () => ((await lastError()) ?? '').includes('stored password cannot be opened'), {
    what: 'the fault to be reported',
  });
  expect(await lastError()).toMatch(/set password of the peer again/);
});

test('the bundles of the tenant go on, and inform its nodes which peer is left out', async () => {
  const body = { name: 'node', mode: 'agent', daemon: 'bird', local_asn: 64512 } as const;
  const { id } = (await plane.run((tx) => createSpeaker(tx, plane.context, body))).resource;
  await plane.run((tx) => noteAgent(tx, id, { version: 'test', hostname: 'node' }));
  await plane.apply(revisionId, [id]);
  const { db } = plane.database;
  const tools = { db, secrets: plane.context.secrets, routes: new RoutesCache(db) };
  const bundle = await waitFor(
    async () => {
      for await (const { bundles } of latestBundles(tools, plane.tenantId, [id]))
        if (bundles.has(id)) return bundles.get(id);
      return false;
    },
    { what: 'the bundle to be issued' },
  );
  expect(bundle).toMatchObject({ revision_id: revisionId });
  const found = await plane.run((tx) => findBundle(tx, plane.context.secrets, id));
  const document = JSON.parse(found!.text!.speaker.toString()) as SpeakerDocument;
  expect(document.speaker.peers.map(({ name, refusal }) => [name, refusal !== undefined])).toEqual([
    ['well', false],
    ['damaged', true],
  ]);
});

test('a password that is set again fixes it', async () => {
  await plane.run((tx) => changePeer(tx, plane.context, damagedId, { password: null }, null));
  await waitFor(async () => !((await lastError()) ?? '').includes('stored password'), {
    what: 'the fault to be gone',
  });
});
