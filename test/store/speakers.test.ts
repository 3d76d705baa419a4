import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishApply, listAppliesOf, startNextApply } from '../../src/store/rollout/applies.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { insertJob, requestJobCancel } from '../../src/store/jobs/jobs.ts';
import { startJob } from '../../src/store/jobs/job-runs.ts';
import {
  claimLeases,
  listWantedSpeakers,
  noteDaemonConflict,
  releaseLeases,
} from '../../src/store/holding/leases.ts';
import {
  deletePeer,
  getPeer,
  insertPeer,
  listPeers,
  listPeersOf,
  updatePeer,
} from '../../src/store/speakers/peers.ts';
import { supersedeCancelled } from '../../src/store/rollout/rollouts.ts';
import { SecretBox } from '../../src/store/secrets.ts';
import { reportSessions, type SessionReport } from '../../src/store/holding/sessions.ts';
import {
  deleteSpeaker,
  getSpeaker,
  insertSpeaker,
  listSpeakers,
  updateSpeaker,
} from '../../src/store/speakers/speakers.ts';
import { emptyTable } from '../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import { storeTable } from '../../src/store/contents/contents.ts';
import { getRevision, insertRevision } from '../../src/store/revisions/revisions.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { queueApplies } from './queue-applies.ts';

let database: TestDatabase;
const secrets = new SecretBox(Buffer.alloc(32, 1));
const NOBODY = '01900000-0000-7000-8000-000000000000';

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

type Run = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** A tenant of its own with speakers of these names. */
async function tenantWith(...names: string[]): Promise<{ tenantId: string; run: Run; speakers: string[] }> {
  const tenantId = await database.createTenant();
  const run: Run = (work) => database.db.inTenant(tenantId, work);
  const speakers: string[] = [];
  for (const name of names)
    speakers.push((await run((tx) => insertSpeaker(tx, { name, local_asn: 64_512 }))).resource.id);
  return { tenantId, run, speakers };
}

function report(
  peerId: string,
  state: SessionReport['state'],
  since = '2026-01-01T00:00:00.000Z',
): SessionReport {
  return { peerId, state, since, routesExported: 5, routesReceived: 1, updatesSent: 2, lastError: null };
}

async function hold(holder = randomUUID(), seconds = 60): Promise<string[]> {
  const { leases } = await database.db.inSystem((tx) => claimLeases(tx, holder, seconds, ['builtin']));
  return leases.map((lease) => lease.speaker_id);
}

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

async function makeRevision(run: Run): Promise<string> {
  const prefix_count = { ipv4: 0, ipv6: 0 };
  const trigger = { kind: 'manual', module_id: null, job_id: null, actor: null } as const;
  const revision = await run(async (tx) => {
    const content_hash = await storeTable(tx, encodeTable(emptyTable()), prefix_count);
    const rest = { parent_id: null, rollback_of: null, trigger, prefix_count, communities: [], warnings: [] };
    return insertRevision(tx, { state: 'ready', content_hash, ...rest });
  });
  return revision.id;
}

test('numbers of revisions have no gaps, however many are made at once and however many fail', async () => {
  const { run } = await tenantWith();
  const failing = run(async (tx) => {
    await tx.sql.updateTable('tenant').set({ last_revision_number: 1 }).execute();
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
  const ids = await Promise.all(Array.from({ length: 8 }, () => makeRevision(run)));
  const revisions = await Promise.all(ids.map((id) => run((tx) => getRevision(tx, id))));
  expect(revisions.map(({ resource }) => resource.number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('an apply is queued once, started once, ended once, and moves the speaker when it ends well', async () => {
  const { run, speakers } = await tenantWith('one', 'two');
  const [one, two] = speakers as [string, string];
  const holder = randomUUID();
  await hold(holder);
  const revisionId = await makeRevision(run);
  const job = await run((tx) =>
    insertJob(tx, { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null }),
  );
  const targets = [one, two].map((speakerId) => ({ speakerId, revisionId }));
  await run((tx) => queueApplies(tx, job.id, targets));
  await run((tx) => queueApplies(tx, job.id, targets));
  const started = (await run((tx) => startNextApply(tx, one, holder)))!;
  expect(started).toMatchObject({ state: 'running', revision_id: revisionId });
  expect((await run((tx) => startNextApply(tx, one, holder)))!.id).toBe(started.id);
  expect((await run((tx) => getSpeaker(tx, one))).resource.last_apply).toMatchObject({
    status: 'running',
    job_id: job.id,
  });
  await run((tx) =>
    finishApply(tx, started, holder, { announced: 3, withdrawn: 2, changed: 1, sessions: [] }),
  );
  await run((tx) => finishApply(tx, started, holder, { code: null, error: 'a holder that came too late' }));
  expect(await run((tx) => startNextApply(tx, one, holder))).toBeNull();
  const { resource } = await run((tx) => getSpeaker(tx, one));
  expect(resource).toMatchObject({
    applied_revision_id: revisionId,
    last_apply: { status: 'ok', error: null },
  });
  expect((await run((tx) => getRevision(tx, revisionId))).resource.applied_on).toMatchObject([
    { speaker_id: one },
  ]);
  const states = async () => (await run((tx) => listAppliesOf(tx, job.id))).map(({ state }) => state);
  await run((tx) => startJob(tx, job.id, randomUUID()));
  await run((tx) => supersedeCancelled(tx, job.id));
  expect(await states()).toEqual(['succeeded', 'queued']);
  await run((tx) => requestJobCancel(tx, job.id));
  await run((tx) => supersedeCancelled(tx, job.id));
  expect(await states()).toEqual(['succeeded', 'superseded']);
});

test('an apply that fails leaves the speaker where it was, and says why', async () => {
  const { run, speakers } = await tenantWith('one');
  const holder = randomUUID();
  await hold(holder);
  const revisionId = await makeRevision(run);
  const job = await run((tx) =>
    insertJob(tx, { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null }),
  );
  await run((tx) => queueApplies(tx, job.id, [{ speakerId: speakers[0]!, revisionId }]));
  const started = (await run((tx) => startNextApply(tx, speakers[0]!, holder)))!;
  await run((tx) => finishApply(tx, started, holder, { code: null, error: 'The daemon refused.' }));
  const { resource } = await run((tx) => getSpeaker(tx, speakers[0]!));
  expect(resource).toMatchObject({
    applied_revision_id: null,
    last_apply: { status: 'failed', error: 'The daemon refused.' },
  });
});
