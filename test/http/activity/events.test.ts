import { randomUUID } from 'node:crypto';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { STREAMS_OF_A_KEY } from '../../../src/http/live/open-streams.ts';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { pruneEvents } from '../../../src/store/events.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { reportSessions } from '../../../src/store/holding/sessions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { followers, newJob, seen } from './event-followers.ts';
import { EVENT_SCHEMAS, EventReader, type SeenEvent } from './event-reader.ts';
import { makeRevision } from '../fixtures.ts';
import { makeTenant, plantKey, startService, type TestTenant } from '../service.ts';

const stage = followers();
const { follow, inTenant, runJob } = stage;

/** What each kind looks like is described; every event that any test sees is held against it. */
function expectShapes(events: readonly SeenEvent[]): void {
  for (const { kind, data } of events) {
    const check = Compile(EVENT_SCHEMAS[kind]!);
    if (!check.Check(data)) expect(check.Errors(data), `${kind} ${JSON.stringify(data)}`).toEqual([]);
  }
}

describe('what is reported', () => {
  test('jobs, revisions, sessions and applies as they change', async () => {
    const tenant = await makeTenant(stage.service.database);
    const make = (path: string, body: unknown) => stage.service.make(path, body, tenant.keys.operator);
    const speaker = await make('/v1/speakers', { name: 'edge', local_asn: 64512 });
    const peer = await make('/v1/peers', { name: 'r', address: '192.0.2.2', remote_asn: 64500 });
    const community = await make('/v1/communities', { community: '65000:1', title: 'c' });
    const reader = await follow(tenant);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(reader.retry).toBe(2_000);

    const job = await runJob(tenant);
    const revision = await makeRevision(stage.service, tenant, community.id, ['8.8.8.0/24'], '65000:1');
    const session = {
      ...{ peerId: peer.id, since: new Date().toISOString(), lastError: null },
      ...{ routesExported: 0, routesReceived: 0, updatesSent: 0 },
    };
    for (const sessions of [
      [{ ...session, state: 'active' as const }],
      [{ ...session, state: 'active' as const, updatesSent: 9 }],
      [{ ...session, state: 'established' as const }],
      [],
    ])
      await inTenant(tenant, (tx) => reportSessions(tx, speaker.id, sessions));
    const apply = randomUUID();
    await stage.service.database.admin(
      'INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, job_id) VALUES ($1, $2, $3, $4, $5)',
      [tenant.id, apply, speaker.id, revision, job],
    );
    const end = "UPDATE speaker_apply SET state = 'succeeded', announced = 1 WHERE id = $1";
    await stage.service.database.admin(end, [apply]);

    const events = await seen(reader, 10);
    expectShapes(events);
    expect(events.map(({ kind, data }) => [kind, data.state])).toEqual([
      ['job', 'queued'],
      ['job', 'running'],
      ['job', 'running'],
      ['job', 'succeeded'],
      ['revision', 'ready'],
      ['session', 'active'],
      ['session', 'established'],
      ['session', null],
      ['apply', 'queued'],
      ['apply', 'succeeded'],
    ]);
    expect(events[2]!.data).toMatchObject({ id: job, progress: { phase: 'apply', done: 1, total: 2 } });
    expect(events[4]!.data).toMatchObject({ id: revision, number: 1, prefix_count: { ipv4: 1, ipv6: 0 } });
    expect(events[6]!.data).toMatchObject({ speaker_id: speaker.id, peer_id: peer.id });
    expect(events[9]!.data).toMatchObject({ id: apply, job_id: job, revision_id: revision, announced: 1 });
  });

  test('each record of the audit log, without what changed', async () => {
    const tenant = await makeTenant(stage.service.database);
    const reader = await follow(tenant);
    const path = '/v1/communities';
    const body = { community: '65000:2', title: 'drop' };
    const { id } = await stage.service.make(path, body, tenant.keys.operator);
    await stage.service.call('DELETE', `${path}/${id}`, { key: tenant.keys.operator });
    const events = await seen(reader, 2);
    expectShapes(events);
    const { body: log } = await stage.service.call('GET', '/v1/audit?sort=at&resource_type=community', {
      key: tenant.keys.operator,
    });
    const records = (log as { items: Record<string, unknown>[] }).items;
    expect(events.map(({ kind, data }) => [kind, data])).toEqual(
      records.map(({ id: record, actor, action, severity, resource }) => [
        'audit',
        { at: expect.any(String) as unknown, ...{ id: record, actor, action, severity, resource } },
      ]),
    );
    expect(records.map(({ action }) => action)).toEqual(['community.create', 'community.delete']);
  });

  test('nothing of a transaction that is rolled back, and nothing of another tenant', async () => {
    const [mine, theirs] = [
      await makeTenant(stage.service.database),
      await makeTenant(stage.service.database),
    ];
    const [reader, other] = [await follow(mine), await follow(theirs)];
    const own: string[] = [];
    const foreign: string[] = [];
    for (let i = 0; i < 10; i++) {
      own.push(await runJob(mine));
      foreign.push(await runJob(theirs));
      const rolledBack = inTenant(mine, async (tx) => {
        await insertJob(tx, newJob);
        throw new RangeError('no');
      });
      await expect(rolledBack).rejects.toThrow(RangeError);
    }
    const ids = (events: readonly SeenEvent[]) => [...new Set(events.map(({ data }) => data.id))];
    expect(ids(await seen(reader, 40))).toEqual(own);
    expect(ids(await seen(other, 40))).toEqual(foreign);
    expect(reader.events).toHaveLength(40);
  });
});

describe('coming back', () => {
  test('with the id of the beginning, in the header or in the query, which the header goes before', async () => {
    const tenant = await makeTenant(stage.service.database);
    const before = (await follow(tenant)).lastId!;
    const job = await runJob(tenant);
    const ids = async (reader: EventReader) => (await seen(reader, 4)).map(({ data }) => data.id);
    expect(await ids(await follow(tenant, before))).toEqual([job, job, job, job]);
    const query = `?last_event_id=${before}`;
    expect(await ids(await follow(tenant, null, { query }))).toEqual([job, job, job, job]);
    const after = (await follow(tenant)).lastId;
    expect(Number(after)).toBe(Number(before) + 4);
    const ahead = await follow(tenant, after, { query });
    await runJob(tenant);
    expect(Number((await seen(ahead, 4))[0]!.id)).toBe(Number(after) + 1);
  });

  test('too late, or with an id that nobody gave: a reset, and on from now', async () => {
    const tenant = await makeTenant(stage.service.database);
    const old = (await follow(tenant)).lastId!;
    await runJob(tenant);
    const kept = (await follow(tenant)).lastId!;
    await inTenant(tenant, pruneEvents);
    expect((await seen(await follow(tenant, old), 4))[0]!.kind).toBe('job');
    const age = "UPDATE event SET written_at = now() - interval '25 hours' WHERE tenant_id = $1";
    await stage.service.database.admin(age, [tenant.id]);
    await inTenant(tenant, pruneEvents);
    for (const id of [old, '999999', 'x', '-1', '1e3']) {
      const reader = await follow(tenant, id);
      const [reset] = await seen(reader, 1);
      expectShapes([reset!]);
      expect(reset).toEqual({ id: kept, kind: 'reset', data: { last_event_id: id } });
      reader.close();
    }
    // Whoever has seen the last one has missed nothing.
    const reader = await follow(tenant, kept);
    await runJob(tenant);
    expect((await seen(reader, 4)).map(({ kind }) => kind)).toEqual(['job', 'job', 'job', 'job']);
    expect(
      await stage.service.database.admin('SELECT 1 FROM event WHERE tenant_id = $1', [tenant.id]),
    ).toHaveLength(4);
  });

  test('a new reader does not receive what waited for a reader, however much that is', async () => {
    const tenant = await makeTenant(stage.service.database);
    const many = `INSERT INTO event (tenant_id, kind, data) SELECT $1, 'job', '{}' FROM generate_series(1, 25000)`;
    await stage.service.database.admin(many, [tenant.id]);
    const reader = await follow(tenant);
    expect(reader.lastId).toBe('25000');
    const job = await runJob(tenant);
    expect((await seen(reader, 4)).map(({ data }) => data.id)).toEqual([job, job, job, job]);
  });

  test('events that nobody has read grow old like others, and are reported as missed', async () => {
    const tenant = await makeTenant(stage.service.database);
    const id = (await follow(tenant)).lastId!;
    stage.leave();
    await runJob(tenant);
    const age = "UPDATE event SET written_at = now() - interval '25 hours' WHERE tenant_id = $1";
    await stage.service.database.admin(age, [tenant.id]);
    await inTenant(tenant, pruneEvents);
    expect((await seen(await follow(tenant, id), 1))[0]!.kind).toBe('reset');
  });

  test('after every connection to the database broke, the stream goes on by itself', async () => {
    const tenant = await makeTenant(stage.service.database);
    const reader = await follow(tenant);
    await runJob(tenant);
    await seen(reader, 4);
    await stage.service.database.dropConnections();
    await waitFor(
      () =>
        runJob(tenant).then(
          () => true,
          () => false,
        ),
      { what: 'the database to answer' },
    );
    await waitFor(() => reader.events.some(({ data }, i) => i >= 4 && data.state === 'succeeded'), {
      what: 'events after the break',
    });
    expect(reader.hasEnded).toBe(false);
  });
});

describe('a stream ends', () => {
  const makeKey = ({ id }: TestTenant, { database } = stage.service) => plantKey(database, id, 'viewer');
  const ended = (reader: EventReader) => waitFor(() => reader.hasEnded, { what: 'the stream to end' });

  test('when its key is revoked, and no other does', async () => {
    const tenant = await makeTenant(stage.service.database);
    const key = await makeKey(tenant);
    const [reader, other] = [await follow(tenant, null, { key: key.secret }), await follow(tenant)];
    await stage.service.call('DELETE', `/v1/api-keys/${key.id}`, { key: tenant.keys.operator });
    await ended(reader);
    expect(other.hasEnded).toBe(false);
    const again = await follow(tenant, reader.lastId, { key: key.secret });
    expect(again.response.statusCode).toBe(401);
  });

  test('when its key is revoked, however many wrong keys its address has sent', async () => {
    const strict = await startService({ rateLimits: { reads: 0, writes: 0, nodes: 0, failures: 2 } });
    const key = await makeKey(strict.tenant, strict);
    const reader = await EventReader.open(`${strict.url}/v1/events`, key.secret);
    await waitFor(() => reader.lastId !== null, { what: 'the stream to begin' });
    expect((await strict.call('DELETE', `/v1/api-keys/${key.id}`)).status).toBe(204);
    const wrong = () => strict.call('GET', '/v1/modules', { key: mintApiKey('viewer').secret });
    const answers = await Promise.all(Array.from({ length: 20 }, wrong));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    await ended(reader);
    await strict.close();
  });

  test('when its tenant is suspended', async () => {
    const tenant = await makeTenant(stage.service.database);
    const [reader, other] = [await follow(tenant), await follow(stage.service.tenant)];
    await stage.service.database.admin("UPDATE tenant SET status = 'suspended' WHERE id = $1", [tenant.id]);
    await ended(reader);
    expect(other.hasEnded).toBe(false);
    expect((await follow(tenant)).response.statusCode).toBe(403);
  });

  test('when the service stops', async () => {
    const stopping = await startService();
    const reader = await EventReader.open(`${stopping.url}/v1/events`, stopping.tenant.keys.viewer);
    await waitFor(() => reader.lastId !== null, { what: 'the stream to begin' });
    await stopping.close();
    await ended(reader);
    expect(reader.response.complete).toBe(true);
  });
});

describe('what is refused', () => {
  test('another media type, and roles without the permission', async () => {
    const headers = { accept: 'application/json' };
    expect((await stage.service.call('GET', '/v1/events', { headers })).status).toBe(406);
    for (const role of ['node', 'firewall'] as const)
      expect(
        (await stage.service.call('GET', '/v1/events', { key: stage.service.tenant.keys[role] })).status,
      ).toBe(403);
  });

  test('HEAD answers at once and follows nothing', async () => {
    for (let i = 0; i <= STREAMS_OF_A_KEY; i++) {
      const { status, headers, text } = await stage.service.call('HEAD', '/v1/events');
      expect({ status, type: headers.get('content-type'), text }).toEqual({
        ...{ status: 200, type: 'text/event-stream', text: '' },
      });
    }
  });
});
