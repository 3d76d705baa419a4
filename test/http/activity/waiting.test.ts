import { setTimeout as sleep } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JOB_WAITS_OF_A_TENANT, JobWaits } from '../../../src/http/live/job-waits.ts';
import { preferredWait } from '../../../src/http/request/prefer.ts';
import type { Database } from '../../../src/store/database/database.ts';
import { finishJob, type JobEnd, startJob } from '../../../src/store/jobs/job-runs.ts';
import { revokeApiKey } from '../../../src/store/keys/api-keys.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

let service: TestService;
let module: string;
beforeAll(async () => {
  service = await startService();
  module = (await service.make('/v1/modules', { name: 'm', type: 'IP_RANGES' })).id;
});
afterAll(() => service.close());

const SUCCEEDED: JobEnd = { state: 'succeeded', result: { status: 'ok' }, error: null };

/** As a worker ends a job. */
async function end(id: string, how: JobEnd = SUCCEEDED): Promise<void> {
  await service.database.db.inTenant(service.tenant.id, async (tx) => {
    await startJob(tx, id, randomUUID());
    await finishJob(tx, id, how);
  });
}

const refresh = (headers: Record<string, string>): Promise<Answered> =>
  service.call('POST', `/v1/modules/${module}/refresh`, { headers });
const newest = async (): Promise<Body & { id: string }> =>
  (((await service.call('GET', '/v1/jobs?limit=1')).body.items as Body[])[0] ?? {}) as Body & { id: string };

async function waitingRefresh(
  headers: Record<string, string>,
): Promise<{ id: string; answer: Promise<Answered> }> {
  const before = await newest();
  const answer = refresh(headers);
  const isNew = async (): Promise<string | false> => {
    const { id } = await newest();
    return id !== before.id && id;
  };
  return { id: await waitFor(isNew, { what: 'the job', everyMs: 20 }), answer };
}

/** Connections of the service to the database that are in a transaction. */
async function busyConnections(): Promise<number> {
  const rows = await service.database.admin(
    `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'prefixcast' AND state <> 'idle'`,
  );
  return rows.length;
}

test('the end of a job is noticed by its hint, without another look', async () => {
  const { db } = service.database;
  let looks = 0;
  const counting = {
    listen: (channel, onHint) => db.listen(channel, onHint),
    alone: async (work) => {
      const found = await db.alone(work);
      looks += 1;
      return found;
    },
  } as Pick<Database, 'listen' | 'alone'> as Database;
  const hour = 3_600;
  const waits = new JobWaits(counting, service.server.log, hour * 1_000);
  const { id } = (await refresh({})).body as { id: string };
  let hasEnded = false;
  const { signal } = new AbortController();
  const wait = waits.wait({ tenantId: service.tenant.id, jobId: id, seconds: hour, signal });
  void wait.then(() => (hasEnded = true));
  await waitFor(() => looks > 0, { what: 'the first look' });
  expect(hasEnded).toBe(false);
  await end(id);
  await waitFor(() => hasEnded, { what: 'the hint' });
  waits.close();
});

describe('Prefer: wait', () => {
  test('answers 200 with the job as soon as it has ended, and holds no connection until then', async () => {
    const { id, answer } = await waitingRefresh({ prefer: 'respond-async, wait=30' });
    await waitFor(async () => (await busyConnections()) === 0, { what: 'the request to let go' });
    await end(id);
    const { status, headers, body } = await answer;
    expect(status).toBe(200);
    expect(headers.get('preference-applied')).toBe('wait=30');
    expect(headers.get('location')).toBe(`/v1/jobs/${id}`);
    expect(body).toMatchObject({ id, state: 'succeeded', result: { status: 'ok' } });
  });

  test('answers 200 with a job that failed: that, too, is an end', async () => {
    const { id, answer } = await waitingRefresh({ prefer: 'wait=30' });
    const error = { code: 'apply_failed', title: 'x', detail: 'y' };
    await end(id, { state: 'failed', result: null, error });
    expect(await answer).toMatchObject({ status: 200, body: { state: 'failed', error } });
  });

  test('answers 202 with the job as it is when the time is over', async () => {
    // On a busy machine a second may be over before the job has begun.
    for (let seconds = 1; ; seconds *= 2) {
      const begun = performance.now();
      const { id, answer } = await waitingRefresh({ prefer: `wait=${seconds}` });
      await service.database.db.inTenant(service.tenant.id, (tx) => startJob(tx, id, randomUUID()));
      const isLate = performance.now() - begun > seconds * 1_000;
      const { status, headers, body } = await answer;
      expect(status).toBe(202);
      expect(headers.get('preference-applied')).toBeNull();
      if (isLate) continue;
      expect(body.state).toBe('running');
      break;
    }
  });

  test('a repetition under the same Idempotency-Key waits for the same job', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const { body } = await refresh(headers);
    const { id } = body as { id: string };
    const again = refresh({ ...headers, prefer: 'wait=30' });
    await sleep(100); // so that it waits; one that comes late is answered alike
    await end(id);
    const { status, headers: got, body: reported } = await again;
    expect({ status, id: reported.id, state: reported.state }).toEqual({
      status: 200,
      id,
      state: 'succeeded',
    });
    expect(got.get('idempotency-replayed')).toBe('true');
  });

  test('a refusal is reported at once', async () => {
    const answer = await service.call('POST', `/v1/modules/${randomUUID()}/refresh`, {
      headers: { prefer: 'wait=30' },
    });
    expect(answer.status).toBe(404);
  });

  test('a job that is cancelled has ended', async () => {
    const { id, answer } = await waitingRefresh({ prefer: 'wait=30' });
    const cancelled = await service.call('POST', `/v1/jobs/${id}/cancel`, { headers: { prefer: 'wait=5' } });
    expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(await answer).toMatchObject({ status: 200, body: { state: 'cancelled' } });
  });
});

describe('GET /v1/jobs/{job_id}?wait', () => {
  const read = (id: string, wait: number, key?: string): Promise<Answered> =>
    service.call('GET', `/v1/jobs/${id}?wait=${wait}`, key === undefined ? {} : { key });

  test('answers when the job has ended, with its entity tag; and at once when it had', async () => {
    const { id } = (await refresh({})).body as { id: string };
    const reading = read(id, 30);
    await sleep(100); // so that it waits; one that comes late is answered alike
    await end(id);
    const { status, body, headers } = await reading;
    expect({ status, state: body.state }).toEqual({ status: 200, state: 'succeeded' });
    const { id: other } = (await refresh({})).body as { id: string };
    const waiting = read(other, 60);
    const again = service.call('GET', `/v1/jobs/${id}?wait=60`, {
      headers: { 'if-none-match': headers.get('etag')! },
    });
    expect((await Promise.race([waiting, again])).status).toBe(304);
    await end(other);
    expect(await waiting).toMatchObject({ status: 200, body: { state: 'succeeded' } });
  });

  test('answers with the job as it is when the time is over', async () => {
    const { id } = (await refresh({})).body as { id: string };
    expect(await read(id, 1)).toMatchObject({ status: 200, body: { state: 'queued' } });
  });

  test('404 at once for a job that is not there, or is of somebody else', async () => {
    const { id } = (await refresh({})).body as { id: string };
    expect((await read(randomUUID(), 60)).status).toBe(404);
    expect((await read(id, 60, service.other.keys.operator)).status).toBe(404);
  });

  test('422 for more than a minute', async () => {
    const { id } = (await refresh({})).body as { id: string };
    expect((await read(id, 61)).status).toBe(422);
  });

  test('401 for a key that was taken back meanwhile', async () => {
    const { id } = (await refresh({})).body as { id: string };
    const key = (await service.make('/v1/api-keys', { name: 'short', role: 'viewer' })) as Body & {
      id: string;
      secret: string;
    };
    const reading = read(id, 2, key.secret);
    await sleep(100); // so that it waits; one that comes late is refused alike
    await service.database.db.inTenant(service.tenant.id, (tx) => revokeApiKey(tx, key.id, null));
    expect((await reading).status).toBe(401);
  });

  test('a client that goes is waited for no more, and of one tenant only so many wait', async () => {
    const { id } = (await refresh({})).body as { id: string };
    const gone = new AbortController();
    const headers = { authorization: `Bearer ${service.tenant.keys.operator}` };
    const many = Array.from({ length: JOB_WAITS_OF_A_TENANT }, () =>
      fetch(`${service.url}/v1/jobs/${id}?wait=60`, { headers, signal: gone.signal }).catch(() => null),
    );
    let begun = performance.now();
    for (;;) {
      // One too many is answered as it is.
      const answer = await Promise.race([read(id, 5), sleep(2_000)]);
      if (answer !== undefined && performance.now() - begun < 2_000) break;
      begun = performance.now();
    }
    gone.abort();
    await Promise.all(many);
    // Until the server has seen that they are gone, it waits for nobody else.
    do begun = performance.now();
    while ((await read(id, 1)) && performance.now() - begun < 900);
    const reading = read(id, 30);
    await sleep(200); // so that it waits; one that comes late is answered alike
    await end(id);
    expect(await reading).toMatchObject({ status: 200, body: { state: 'succeeded' } });
  });
});

test('a server that stops lets nobody wait', async () => {
  const other = await startService();
  const { id } = await other.make('/v1/modules', { name: 'm', type: 'IP_RANGES' });
  const answer = other.call('POST', `/v1/modules/${id}/refresh`, { headers: { prefer: 'wait=60' } });
  // Once there is the job, the request waits, or is about to.
  const jobs = async (): Promise<unknown[]> => (await other.call('GET', '/v1/jobs')).body.items as unknown[];
  await waitFor(async () => (await jobs()).length > 0, { what: 'the job' });
  const begun = performance.now();
  const [{ status, body }] = await Promise.all([answer, other.close()]);
  expect({ status, state: body.state }).toEqual({ status: 202, state: 'queued' });
  expect(performance.now() - begun).toBeLessThan(9_000);
});

test.each([
  ['wait=30', 30],
  ['Wait = 5', 5],
  ['respond-async, wait="7"; foo=1', 7],
  ['return=minimal; wait=3, wait=4, wait=5', 4],
  ['wait=900', 60],
  ['wait=0', 0],
  ['wait', null],
  ['wait=', null],
  ['wait=-1', null],
  ['wait=soon', null],
  ['awaits=3', null],
  [undefined, null],
])('reads %j as %j', (header, seconds) => {
  expect(preferredWait(header)).toBe(seconds);
});
