import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listWantedSpeakers, noteDaemonConflict, releaseLeases } from '../../src/store/holding/leases.ts';
import { deletePeer, getPeer, insertPeer } from '../../src/store/speakers/peers.ts';
import { SecretBox } from '../../src/store/secrets.ts';
import { reportSessions } from '../../src/store/holding/sessions.ts';
import {
  deleteSpeaker,
  getSpeaker,
  insertSpeaker,
  listSpeakers,
  updateSpeaker,
} from '../../src/store/speakers/speakers.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { holdSpeakers, report, speakersOf } from './speaker-tenants.ts';

let database: TestDatabase;
const secrets = new SecretBox(Buffer.alloc(32, 1));

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const tenantWith = (...names: string[]) => speakersOf(database, ...names);
const hold = (holder?: string) => holdSpeakers(database, holder);

test('a speaker has its defaults and takes changes', async () => {
  const { run, speakers } = await tenantWith('edge');
  const { resource, version } = await run((tx) => getSpeaker(tx, speakers[0]!));
  expect(resource).toMatchObject({
    daemon: 'builtin',
    mode: 'local',
    enabled: true,
    policies_json: {},
    agent: null,
    last_apply: null,
  });
  expect(resource).not.toHaveProperty('live');
  const changed = await run((tx) =>
    updateSpeaker(tx, resource.id, { policies_json: { local_asn: 1 }, label: 'E' }, version),
  );
  expect(changed.resource).toMatchObject({ policies_json: { local_asn: 1 }, label: 'E', local_asn: 64_512 });
  await expect(run((tx) => insertSpeaker(tx, { name: 'edge', local_asn: 1 }))).rejects.toMatchObject({
    code: 'conflict',
  });
});

test('of two holders one has a speaker, until its lease runs out or is given back', async () => {
  const { speakers } = await tenantWith('leased');
  const id = speakers[0]!;
  const [one, two] = [randomUUID(), randomUUID()];
  expect(await hold(one)).toContain(id);
  expect(await hold(two)).not.toContain(id);
  expect(await hold(one)).toContain(id);
  await database.db.inSystem((tx) => releaseLeases(tx, one));
  expect(await hold(two)).toContain(id);
  await database.admin(
    "UPDATE speaker_lease SET expires_at = now() - interval '1 second' WHERE holder = $1",
    [two],
  );
  expect(await hold(one)).toContain(id);
  expect(await hold(two)).not.toContain(id);
  await database.db.inSystem((tx) => releaseLeases(tx, one));
});

test('a speaker that is being deleted keeps no lease from being renewed', async () => {
  const { run, speakers } = await tenantWith('goes', 'stays');
  const [goes, stays] = speakers as [string, string];
  const { speakers: others } = await tenantWith("another tenant's");
  const holder = randomUUID();
  const wanted = [goes, stays, ...others];
  expect(await hold(holder)).toEqual(expect.arrayContaining(wanted));
  const { promise: deleted, resolve: isDeleted } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const deleting = run(async (tx) => {
    await deleteSpeaker(tx, goes, null);
    isDeleted();
    await gate; // a tenant with all that it has takes a while
  });
  await deleted;
  const expiry = async (id: string) => {
    const sql = 'SELECT expires_at::text FROM speaker_lease WHERE speaker_id = $1';
    return (await database.admin<{ expires_at: string }>(sql, [id]))[0]?.expires_at;
  };
  const before = await Promise.all(wanted.map(expiry));
  try {
    // Still held: its routes stay until it is known that it goes.
    expect(await hold(holder)).toEqual(expect.arrayContaining(wanted));
    const obstacle = { holder: randomUUID(), daemon: 'builtin', conflict: 'Another has it.' } as const;
    await database.db.inSystem((tx) => noteDaemonConflict(tx, obstacle));
  } finally {
    open();
    await deleting;
  }
  const after = await Promise.all(wanted.map(expiry));
  expect(after.map((at, place) => at !== before[place])).toEqual([true, true, true]);
  expect(after[0]).toBeUndefined();
  expect(await hold(holder)).not.toContain(goes);
});

test('two holders that claim at once never hold the same', async () => {
  const { speakers } = await tenantWith('a', 'b', 'c', 'd');
  const holders = Array.from({ length: 8 }, () => randomUUID());
  const held = (await Promise.all(holders.map((holder) => hold(holder))))
    .flat()
    .filter((id) => speakers.includes(id));
  expect(held.sort()).toEqual([...speakers].sort());
  for (const holder of holders) await database.db.inSystem((tx) => releaseLeases(tx, holder));
});

test('speakers that are disabled or of an agent are nobody to claim, those of a suspended tenant stay held', async () => {
  const { tenantId, run, speakers } = await tenantWith('off', 'far', 'on');
  await run((tx) => updateSpeaker(tx, speakers[0]!, { enabled: false }, null));
  await database.admin("UPDATE speaker SET mode = 'agent' WHERE id = $1", [speakers[1]]);
  const mine = async () => (await hold()).filter((id) => speakers.includes(id));
  expect(await mine()).toEqual([speakers[2]]);
  await database.admin('DELETE FROM speaker_lease');
  await database.admin("UPDATE tenant SET status = 'suspended' WHERE id = $1", [tenantId]);
  expect(await mine()).toEqual([speakers[2]]);
  const wanted = await database.db.inSystem((tx) => listWantedSpeakers(tx, speakers));
  expect(wanted.sort()).toEqual([speakers[1]!, speakers[2]!].sort());
});

test('live status is what the holder reported, and nothing when nobody holds', async () => {
  const { run, speakers } = await tenantWith('live');
  const id = speakers[0]!;
  const { resource: peer } = await run((tx) =>
    insertPeer(tx, secrets, { name: 'p', address: '192.0.2.1', remote_asn: 64_500 }),
  );
  const live = async () => (await run((tx) => getSpeaker(tx, id, true))).resource.live;
  expect(await live()).toMatchObject({ reachable: false, sessions: [] });
  const holder = randomUUID();
  await hold(holder);
  await run((tx) => reportSessions(tx, id, [report(peer.id, 'established')]));
  expect(await live()).toMatchObject({
    ...{ reachable: true, error: null },
    sessions: [
      { peer_id: peer.id, peer_name: 'p', address: '192.0.2.1', state: 'established', routes_exported: 5 },
    ],
  });
  const { items } = await run((tx) => listSpeakers(tx, { live: true }));
  expect(items[0]!.live?.sessions).toHaveLength(1);
  await run((tx) => reportSessions(tx, id, []));
  expect(await live()).toMatchObject({ reachable: true, sessions: [] });
  await database.db.inSystem((tx) => releaseLeases(tx, holder));
});

test('a speaker goes with its links, but not when a peer would then be on every speaker', async () => {
  const { run, speakers } = await tenantWith('one', 'two');
  const [one, two] = speakers as [string, string];
  const { resource } = await run((tx) =>
    insertPeer(tx, secrets, { name: 'p', address: '192.0.2.1', remote_asn: 1, speaker_ids: [one, two] }),
  );
  await run((tx) => deleteSpeaker(tx, one, null));
  expect((await run((tx) => getPeer(tx, resource.id))).resource.speaker_ids).toEqual([two]);
  await expect(run((tx) => deleteSpeaker(tx, two, null))).rejects.toMatchObject({ code: 'in_use' });
  await run((tx) => deletePeer(tx, resource.id, null));
  await run((tx) => deleteSpeaker(tx, two, null));
});
