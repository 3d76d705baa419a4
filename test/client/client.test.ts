import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiProblem, PrefixcastClient, WaitTimeout, type ApiEvent } from '../../client/src/index.ts';
import { startService, type TestService } from '../http/service.ts';
import { CuttingProxy } from './cutting-proxy.ts';

let service: TestService;
let client: PrefixcastClient;

beforeAll(async () => {
  service = await startService();
  client = new PrefixcastClient({ baseUrl: service.url, key: service.tenant.keys.operator });
});
afterAll(() => service.close());

const failureOf = (request: Promise<unknown>): Promise<ApiProblem> =>
  request.then(
    () => expect.unreachable(),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ApiProblem);
      return error as ApiProblem;
    },
  );

describe('problems', () => {
  test('have the code, the faults and the request id of the answer', async () => {
    const body = { name: '', type: 'IP_RANGES' } as const;
    const problem = await failureOf(client.post('/v1/modules', { body }));
    expect(problem).toMatchObject({ code: 'validation_failed', status: 422, name: 'ApiProblem' });
    expect(problem.errors[0]?.pointer).toBe('/name');
    expect(problem.requestId).toBeTruthy();
    expect(problem.message).toBe(problem.detail);
  });

  test('of a wrong key', async () => {
    const stranger = new PrefixcastClient({ baseUrl: `${service.url}/`, key: 'pc_nobody' });
    expect(await failureOf(stranger.get('/v1/auth/session'))).toMatchObject({ code: 'unauthenticated' });
  });

  test('of an address where nobody listens', async () => {
    const nobody = new PrefixcastClient({ baseUrl: 'http://127.0.0.1:1', retries: { attempts: 1 } });
    const problem = await failureOf(nobody.get('/v1/version'));
    expect(problem).toMatchObject({ code: 'unreachable', status: 0, requestId: null });
    expect(problem.detail).toContain('http://127.0.0.1:1');
  });
});

describe('lists', () => {
  test('are read a page at a time, and no further than asked', async () => {
    for (let asn = 1; asn <= 5; asn++)
      await client.post('/v1/communities', { body: { community: `64500:${asn}`, title: `List ${asn}` } });
    let requests = 0;
    const counting = new PrefixcastClient({
      baseUrl: service.url,
      key: () => Promise.resolve(service.tenant.keys.operator),
      fetch: (request) => {
        requests++;
        return fetch(request);
      },
    });
    const list = counting.list('/v1/communities', { params: { query: { limit: 2 } } });
    expect((await list.toArray()).map(({ community }) => community).sort()).toEqual(
      [1, 2, 3, 4, 5].map((number) => `64500:${number}`),
    );
    expect(requests).toBe(3);
    expect(await list.toArray(2)).toHaveLength(2);
    expect(requests).toBe(5); // whether there is a third one
  });
});

async function startJob(): Promise<string> {
  const { id } = await client.post('/v1/modules', {
    body: { name: `list ${Math.random()}`, type: 'IP_RANGES' },
  });
  return (await client.post('/v1/modules/{module_id}/refresh', { params: { path: { module_id: id } } })).id;
}

describe('a job', () => {
  test('is waited for by events, and its changes are reported', async () => {
    const id = await startJob();
    const states: string[] = [];
    const waited = client.waitForJob(id, { onChange: ({ state }) => states.push(state) });
    setTimeout(() => {
      void client.post('/v1/jobs/{job_id}/cancel', { params: { path: { job_id: id } } });
    }, 2_500);
    expect(await waited).toMatchObject({ id, state: 'cancelled' });
    expect(states).toEqual(['queued', 'cancelled']);
  });

  test('that ends before its events are followed is reported to have ended', async () => {
    const id = await startJob();
    const late = new PrefixcastClient({
      baseUrl: service.url,
      key: service.tenant.keys.operator,
      fetch: async (request) => {
        if (new URL(request.url).pathname === '/v1/events')
          await client.post('/v1/jobs/{job_id}/cancel', { params: { path: { job_id: id } } });
        return fetch(request);
      },
    });
    const states: string[] = [];
    const ended = await late.waitForJob(id, { onChange: ({ state }) => states.push(state) });
    expect(ended).toMatchObject({ id, state: 'cancelled' });
    expect(states).toEqual(['queued', 'cancelled']);
  });

  test('is not waited for longer than said', async () => {
    const id = await startJob();
    // On a busy machine the time may be over before the first answer.
    for (let seconds = 2; ; seconds *= 2) {
      const error: unknown = await client
        .waitForJob(id, { timeoutSeconds: seconds })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(WaitTimeout);
      const { job } = error as WaitTimeout;
      if (job === null) continue;
      expect(job).toMatchObject({ id, state: 'queued' });
      break;
    }
  });

  test('nor where the service does not answer at all', async () => {
    const silent = new PrefixcastClient({
      baseUrl: service.url,
      key: service.tenant.keys.operator,
      fetch: ({ signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    });
    const id = randomUUID();
    const error: unknown = await silent
      .waitForJob(id, { timeoutSeconds: 0.1 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WaitTimeout);
    expect(error).toMatchObject({
      job: null,
      message: `The service did not say in time how the job ${id} is`,
    });
  });

  test('is left by whoever waits, with the reason', async () => {
    const id = await startJob();
    const stop = new AbortController();
    const waited = client.waitForJob(id, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 1_500);
    await expect(waited).rejects.toThrow('enough');
  });

  test('that does not exist', async () => {
    const id = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';
    expect(await failureOf(client.waitForJob(id))).toMatchObject({ code: 'not_found' });
  });
});

describe('events', () => {
  test('go on where a connection broke', async () => {
    const proxy = await CuttingProxy.start(service.url);
    const following = new PrefixcastClient({ baseUrl: proxy.url, key: service.tenant.keys.operator });
    const stop = new AbortController();
    const opened = Promise.withResolvers<void>();
    const seen: ApiEvent[] = [];
    const followed = (async () => {
      const options = { kinds: ['job'], signal: stop.signal, onOpen: opened.resolve } as const;
      for await (const event of following.events({ ...options, kinds: [...options.kinds] })) {
        seen.push(event);
        if (seen.length === 2) stop.abort();
      }
    })();
    await opened.promise;
    const first = await startJob();
    await expect.poll(() => seen.length).toBe(1);
    proxy.cut();
    const second = await startJob();
    await followed;
    expect(seen.map(({ data }) => 'id' in data && data.id)).toEqual([first, second]);
    expect(proxy.connections).toBeGreaterThan(1);
    await proxy.close();
  });

  test('are refused to a wrong key, and not asked for again', async () => {
    const stranger = new PrefixcastClient({ baseUrl: service.url, key: 'pc_nobody' });
    expect(await failureOf(stranger.events().next())).toMatchObject({ code: 'unauthenticated' });
  });
});
