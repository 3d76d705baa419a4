import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Compile } from 'typebox/compile';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../../src/http/server/server.ts';
import { STREAMS_OF_A_KEY } from '../../../src/http/live/open-streams.ts';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { pruneEvents } from '../../../src/store/events.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { finishJob, setJobProgress, startJob } from '../../../src/store/jobs/job-runs.ts';
import { reportSessions } from '../../../src/store/holding/sessions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { EVENT_SCHEMAS, EventReader, type SeenEvent } from './event-reader.ts';
import { makeRevision } from '../fixtures.ts';
import {
  makeTenant,
  plantKey,
  newMetrics,
  startService,
  type TestService,
  type TestTenant,
} from '../service.ts';

let service: TestService;
const readers: EventReader[] = [];
beforeAll(async () => {
  service = await startService();
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => service?.close());

async function follow(
  tenant: TestTenant,
  lastEventId: string | null = null,
  { query = '', key = tenant.keys.viewer } = {},
): Promise<EventReader> {
  const reader = await EventReader.open(`${service.url}/v1/events${query}`, key, lastEventId);
  readers.push(reader);
  if (reader.response.statusCode === 200)
    await waitFor(() => reader.lastId !== null || reader.hasEnded, { what: 'the stream to begin' });
  return reader;
}

const inTenant = <T>(tenant: TestTenant, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  service.database.db.inTenant(tenant.id, work);

const newJob = { type: 'apply', input: {}, resource: null, requestedBy: 'key:test', parentId: null } as const;

/** A job that is asked for, runs and succeeds, each in a transaction of its own. */
async function runJob(tenant: TestTenant): Promise<string> {
  const { id } = await inTenant(tenant, (tx) => insertJob(tx, newJob));
  const holder = randomUUID();
  await inTenant(tenant, (tx) => startJob(tx, id, holder));
  await inTenant(tenant, (tx) => setJobProgress(tx, id, holder, { phase: 'apply', done: 1, total: 2 }));
  await inTenant(tenant, (tx) => finishJob(tx, id, { state: 'succeeded', result: {}, error: null }));
  return id;
}

const seen = async (reader: EventReader, count: number): Promise<readonly SeenEvent[]> => {
  await waitFor(() => reader.events.length >= count, {
    what: `${count} events`,
    details: () => JSON.stringify(reader.events),
  });
  return reader.events;
};

/** What each kind looks like is described; every event that any test sees is held against it. */
function expectShapes(events: readonly SeenEvent[]): void {
  for (const { kind, data } of events) {
    const check = Compile(EVENT_SCHEMAS[kind]!);
    if (!check.Check(data)) expect(check.Errors(data), `${kind} ${JSON.stringify(data)}`).toEqual([]);
  }
}

describe('what is reported', () => {
  test('jobs, revisions, sessions and applies as they change', async () => {
    const tenant = await makeTenant(service.database);
    const make = (path: string, body: unknown) => service.make(path, body, tenant.keys.operator);
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
    const revision = await makeRevision(service, tenant, community.id, ['8.8.8.0/24'], '65000:1');
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
    await service.database.admin(
      'INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, job_id) VALUES ($1, $2, $3, $4, $5)',
      [tenant.id, apply, speaker.id, revision, job],
    );
    const end = "UPDATE speaker_apply SET state = 'succeeded', announced = 1 WHERE id = $1";
    await service.database.admin(end, [apply]);

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

  test('nothing of a transaction that is rolled back, and nothing of another tenant', async () => {
    const [mine, theirs] = [await makeTenant(service.database), await makeTenant(service.database)];
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

test('silence is broken by a comment, after a quarter of a minute', async () => {
  const reader = await follow(await makeTenant(service.database));
  await waitFor(() => reader.comments.includes('heartbeat'), { what: 'a heartbeat', timeoutMs: 60_000 });
  expect(reader.events).toEqual([]);
});

describe('coming back', () => {
  test('while 500 jobs change: every event once and in order, for readers that break off and go on at any process', async () => {
    const tenant = await makeTenant(service.database);
    const second = await createServer({ ...service.dependencies, metrics: newMetrics() });
    const secondUrl = await second.listen({ host: '127.0.0.1', port: 0 });
    const { id: lateId } = await inTenant(tenant, (tx) => insertJob(tx, newJob));
    const start = (await follow(tenant)).lastId!;
    const total = 500 * 4 + 1;
    let written = false;
    const readAll = async (breaks: boolean): Promise<SeenEvent[]> => {
      const events: SeenEvent[] = [];
      let last = start;
      const deadline = performance.now() + 60_000;
      while (events.length < total && performance.now() < deadline) {
        const url = breaks && Math.random() < 0.5 ? secondUrl : service.url;
        const reader = await EventReader.open(`${url}/v1/events`, tenant.keys.operator, last);
        const enough = breaks ? 1 + Math.floor(Math.random() * 120) : total;
        while (reader.events.length < Math.min(enough, total - events.length) && performance.now() < deadline)
          await sleep(5);
        reader.close();
        events.push(...reader.events);
        last = reader.lastId ?? last;
      }
      return events;
    };
    const reading = Promise.all([readAll(false), readAll(true), readAll(true)]);
    // One writes early and commits last.
    const late = inTenant(tenant, async (tx) => {
      await startJob(tx, lateId, randomUUID());
      await waitFor(() => written, { what: 'the others to have written' });
    });
    let left = 500;
    const write = async (): Promise<void> => {
      while (left-- > 0) await runJob(tenant);
    };
    await Promise.all(Array.from({ length: 6 }, write));
    written = true;
    await late;
    const read = await reading;
    await second.close();
    for (const events of read) {
      expect(events).toHaveLength(total);
      const first = Number(start) + 1;
      expect(events.map(({ id }) => Number(id))).toEqual(events.map((_, i) => first + i));
      const byJob = Map.groupBy(events, ({ data }) => data.id);
      expect(byJob.size).toBe(501);
      for (const [id, own] of byJob)
        expect(own.map(({ data }) => data.state)).toEqual(
          id === lateId ? ['running'] : ['queued', 'running', 'running', 'succeeded'],
        );
    }
  });

  test('with the id of the beginning, in the header or in the query, which the header goes before', async () => {
    const tenant = await makeTenant(service.database);
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
    const tenant = await makeTenant(service.database);
    const old = (await follow(tenant)).lastId!;
    await runJob(tenant);
    const kept = (await follow(tenant)).lastId!;
    await inTenant(tenant, pruneEvents);
    expect((await seen(await follow(tenant, old), 4))[0]!.kind).toBe('job');
    const age = "UPDATE event SET written_at = now() - interval '25 hours' WHERE tenant_id = $1";
    await service.database.admin(age, [tenant.id]);
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
      await service.database.admin('SELECT 1 FROM event WHERE tenant_id = $1', [tenant.id]),
    ).toHaveLength(4);
  });

  test('a new reader does not receive what waited for a reader, however much that is', async () => {
    const tenant = await makeTenant(service.database);
    const many = `INSERT INTO event (tenant_id, kind, data) SELECT $1, 'job', '{}' FROM generate_series(1, 25000)`;
    await service.database.admin(many, [tenant.id]);
    const reader = await follow(tenant);
    expect(reader.lastId).toBe('25000');
    const job = await runJob(tenant);
    expect((await seen(reader, 4)).map(({ data }) => data.id)).toEqual([job, job, job, job]);
  });

  test('events that nobody has read grow old like others, and are reported as missed', async () => {
    const tenant = await makeTenant(service.database);
    const id = (await follow(tenant)).lastId!;
    for (const reader of readers.splice(0)) reader.close();
    await runJob(tenant);
    const age = "UPDATE event SET written_at = now() - interval '25 hours' WHERE tenant_id = $1";
    await service.database.admin(age, [tenant.id]);
    await inTenant(tenant, pruneEvents);
    expect((await seen(await follow(tenant, id), 1))[0]!.kind).toBe('reset');
  });

  test('after every connection to the database broke, the stream goes on by itself', async () => {
    const tenant = await makeTenant(service.database);
    const reader = await follow(tenant);
    await runJob(tenant);
    await seen(reader, 4);
    await service.database.dropConnections();
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
  const makeKey = ({ id }: TestTenant, { database } = service) => plantKey(database, id, 'viewer');
  const ended = (reader: EventReader) => waitFor(() => reader.hasEnded, { what: 'the stream to end' });

  test('when its key is revoked, and no other does', async () => {
    const tenant = await makeTenant(service.database);
    const key = await makeKey(tenant);
    const [reader, other] = [await follow(tenant, null, { key: key.secret }), await follow(tenant)];
    await service.call('DELETE', `/v1/api-keys/${key.id}`, { key: tenant.keys.operator });
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
    const tenant = await makeTenant(service.database);
    const [reader, other] = [await follow(tenant), await follow(service.tenant)];
    await service.database.admin("UPDATE tenant SET status = 'suspended' WHERE id = $1", [tenant.id]);
    await ended(reader);
    expect(other.hasEnded).toBe(false);
    expect((await follow(tenant)).response.statusCode).toBe(403);
  });

  test('when its reader takes nothing for a quarter of a minute, with little kept for it', async () => {
    const tenant = await makeTenant(service.database);
    const reader = await follow(tenant);
    reader.response.pause();
    const fat = `INSERT INTO event (tenant_id, kind, data)
                 SELECT $1, 'job', jsonb_build_object('text', repeat('x', 20000)) FROM generate_series(1, 2000)`;
    await service.database.admin(fat, [tenant.id]);
    const reported = () =>
      service.log.some((line) => line.includes('cut off') && line.includes('took nothing'));
    await waitFor(reported, { what: 'the reader to be cut off', timeoutMs: 80_000 });
    reader.response.resume();
    await ended(reader);
    expect(reader.response.complete).toBe(false);
    expect(reader.events.length).toBeLessThan(1_000);
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
    expect((await service.call('GET', '/v1/events', { headers })).status).toBe(406);
    for (const role of ['node', 'firewall'] as const)
      expect((await service.call('GET', '/v1/events', { key: service.tenant.keys[role] })).status).toBe(403);
  });

  test('HEAD answers at once and follows nothing', async () => {
    for (let i = 0; i <= STREAMS_OF_A_KEY; i++) {
      const { status, headers, text } = await service.call('HEAD', '/v1/events');
      expect({ status, type: headers.get('content-type'), text }).toEqual({
        ...{ status: 200, type: 'text/event-stream', text: '' },
      });
    }
  });
});
