import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { releaseLeases } from '../../src/store/holding/leases.ts';
import { getPeer, insertPeer, listPeers, listPeersOf, updatePeer } from '../../src/store/speakers/peers.ts';
import type { PeerPatch } from '../../src/api/speakers/peers.ts';
import { SecretBox } from '../../src/store/secrets.ts';
import { reportSessions } from '../../src/store/holding/sessions.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { holdSpeakers, report, speakersOf } from './speaker-tenants.ts';

let database: TestDatabase;
const secrets = new SecretBox(Buffer.alloc(32, 1));
const NOBODY = '01900000-0000-7000-8000-000000000000';

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const tenantWith = (...names: string[]) => speakersOf(database, ...names);
const hold = (holder?: string) => holdSpeakers(database, holder);

test('a peer says where it is established, where it should be, and whether the two agree', async () => {
  const { run, speakers } = await tenantWith('one', 'two');
  const [one, two] = speakers as [string, string];
  const { resource } = await run((tx) =>
    insertPeer(tx, secrets, { name: 'p', address: '2001:db8::1', remote_asn: 4_200_000_000 }),
  );
  const read = async () => (await run((tx) => getPeer(tx, resource.id))).resource;
  expect(resource).toMatchObject({
    session_mismatch: true,
    session_on_speakers: [],
    connected_speaker_id: null,
    hold_time: 90,
    port: 179,
  });
  const holder = randomUUID();
  await hold(holder);
  await run((tx) =>
    reportSessions(tx, one, [report(resource.id, 'established', '2026-02-02T00:00:00.000Z')]),
  );
  expect(await read()).toMatchObject({
    established_on_speakers: [one],
    session_mismatch: true,
    connected_speaker_label: 'one',
  });
  await run((tx) =>
    reportSessions(tx, two, [report(resource.id, 'established', '2026-01-01T00:00:00.000Z')]),
  );
  expect(await read()).toMatchObject({
    established_on_speakers: [one, two],
    session_mismatch: false,
    connected_speaker_id: two,
  });
  await run((tx) => updatePeer(tx, secrets, resource.id, { speaker_ids: [two] }, null));
  expect(await read()).toMatchObject({ speaker_ids: [two], session_mismatch: true });
  await database.admin(
    "UPDATE speaker_session SET reported_at = now() - interval '1 minute' WHERE speaker_id = $1",
    [two],
  );
  expect(await read()).toMatchObject({
    established_on_speakers: [one],
    session_on_speakers: [{ state: 'established' }, { state: 'idle', routes_exported: 0 }],
  });
  await database.db.inSystem((tx) => releaseLeases(tx, holder));
  expect((await read()).established_on_speakers).toEqual([]);
});

test('a disabled peer is expected nowhere', async () => {
  const { run } = await tenantWith('one');
  const { resource } = await run((tx) =>
    insertPeer(tx, secrets, { name: 'p', address: '192.0.2.1', remote_asn: 1, enabled: false }),
  );
  expect(resource.session_mismatch).toBe(false);
});

test('passwords are sealed, given only to the driver, and taken away by null', async () => {
  const { run, speakers } = await tenantWith('one', 'two');
  const body = {
    name: 'p',
    address: '192.0.2.1',
    remote_asn: 1,
    password: 'hunter2',
    speaker_ids: [speakers[0]!],
  };
  const { resource } = await run((tx) => insertPeer(tx, secrets, body));
  expect(resource.has_password).toBe(true);
  expect(JSON.stringify(resource)).not.toContain('hunter2');
  const [stored] = await database.admin('SELECT peer::text AS row FROM peer WHERE id = $1', [resource.id]);
  expect(JSON.stringify(stored)).not.toContain(Buffer.from('hunter2').toString('hex'));
  expect(await run((tx) => listPeersOf(tx, speakers[0]!, secrets))).toMatchObject([
    { id: resource.id, password: 'hunter2' },
  ]);
  expect(await run((tx) => listPeersOf(tx, speakers[1]!, secrets))).toEqual([]);
  await run((tx) => updatePeer(tx, secrets, resource.id, { name: 'q' }, null));
  expect((await run((tx) => getPeer(tx, resource.id))).resource.has_password).toBe(true);
  await run((tx) => updatePeer(tx, secrets, resource.id, { password: null }, null));
  expect(await run((tx) => listPeersOf(tx, speakers[0]!, secrets))).toMatchObject([{ password: null }]);
});

test('ids that belong to nothing are reported by their place in the list', async () => {
  const { run, speakers } = await tenantWith('one');
  const body = { name: 'p', address: '192.0.2.1', remote_asn: 1 };
  const bySpeaker = run((tx) => insertPeer(tx, secrets, { ...body, speaker_ids: [speakers[0]!, NOBODY] }));
  await expect(bySpeaker).rejects.toMatchObject({ errors: [{ pointer: '/speaker_ids/1' }] });
  const byCommunity = run((tx) => insertPeer(tx, secrets, { ...body, community_ids: [NOBODY] }));
  await expect(byCommunity).rejects.toMatchObject({ errors: [{ pointer: '/community_ids/0' }] });
  expect((await run((tx) => listPeers(tx, {}))).items).toEqual([]);
});

test('a patch that changes nothing leaves a peer as old as it was, and one that changes something does not', async () => {
  const { run, speakers } = await tenantWith('one');
  const body = { name: 'p', address: '192.0.2.1', remote_asn: 64_500, speaker_ids: speakers };
  const { resource, version } = await run((tx) => insertPeer(tx, secrets, body));
  const patched = (patch: PeerPatch) => run((tx) => updatePeer(tx, secrets, resource.id, patch, null));
  for (const same of [{}, { enabled: true }, { ...body, families: resource.families }])
    expect(await patched(same)).toMatchObject({ version, resource: { updated_at: resource.updated_at } });
  await expect(
    run((tx) => updatePeer(tx, secrets, resource.id, { enabled: true }, version + 1)),
  ).rejects.toMatchObject({ code: 'precondition_failed' });
  expect(await patched({ enabled: true, password: 'secret' })).toMatchObject({ version: version + 1 });
  // Nobody can compare it with the one that is stored.
  expect(await patched({ password: 'secret' })).toMatchObject({ version: version + 2 });
  expect(await patched({ password: null })).toMatchObject({ version: version + 3 });
  expect(await patched({ speaker_ids: [] })).toMatchObject({ version: version + 4 });
});
