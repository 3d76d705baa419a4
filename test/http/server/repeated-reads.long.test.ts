/** The fast path of repeated reads beside the ordinary way: the same requests, asked so that one and the other answers. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Role } from '../../../src/api/access/permissions.ts';
import type { Route } from '../../../src/http/route.ts';
import { isOfMachines } from '../../../src/http/route-rules.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import type { ServerDependencies } from '../../../src/http/server/server.ts';
import { makeFixtures, pathWith } from '../fixtures.ts';
import { plantKey, startService, type TestService } from '../service.ts';

const WITHIN = { interval: 20 };
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

let service: TestService;
async function start(http: Partial<ServerDependencies['http']> = {}): Promise<void> {
  service = await startService(http);
}
afterEach(() => service.close());

interface Raw {
  readonly status: number;
  /** In the order in which they came. */
  readonly names: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Headers = Readonly<Record<string, string>>;

function ask(path: string, key: string, headers: Headers = {}): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>();
  const all = { authorization: `Bearer ${key}`, 'x-request-id': 'the-same', ...headers };
  request(service.url + path, { agent, headers: all }, (response) => {
    text(response).then((body) => {
      const names = response.rawHeaders.filter((_, place) => place % 2 === 0);
      resolve({ status: response.statusCode!, names, headers: response.headers, body });
    }, reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

/** The fast path leaves requests with a body to the ordinary way, be it empty. */
const askOrdinary = (path: string, key: string, headers: Headers = {}): Promise<Raw> =>
  ask(path, key, { ...headers, 'content-length': '0' });

/** Answers so far that came the fast path. */
async function taken(): Promise<number> {
  const metric = service.dependencies.metrics.sums.getSingleMetric('prefixcast_reads_repeated_total')!;
  return (await metric.get()).values[0]!.value;
}

/** Asks until the fast path answers, and the ordinary way with the same state. */
async function askBoth(
  path: string,
  key: string,
  headers: Headers = {},
  mostTries = 200,
): Promise<[Raw, Raw] | null> {
  // On a busy machine a second may go by between two of them.
  for (let tries = 0; tries < mostTries; tries++) {
    await askOrdinary(path, key);
    const before = await taken();
    const fast = await ask(path, key, headers);
    const ordinary = await askOrdinary(path, key, headers);
    if ((await taken()) === before + 1) return [fast, ordinary];
  }
  return null;
}

/** All but what differs from one request to the next. */
function comparable({ status, names, headers, body }: Raw) {
  const { date: _, ratelimit = '', ...rest } = headers;
  const sent = { ...rest, ratelimit: String(ratelimit).replace(/[rt]=\d+/g, '') };
  return { status, names, headers: sent, body };
}

const origins = { 'no origins': [], 'some origins': ['https://a.example'], 'any origin': ['*'] };

describe.each(Object.entries(origins))('both ways answer alike, with %s', (_, corsOrigins) => {
  beforeEach(() =>
    start({ corsOrigins, rateLimits: { reads: 1_000_000, writes: 0, nodes: 0, failures: 0 } }),
  );

  test('lists, what is known already, and every role of people', async () => {
    const { viewer } = service.tenant.keys;
    for (let number = 1; number < 4; number++)
      await service.make('/v1/communities', { community: `65000:${number}`, title: `Wölkchen 云 ${number}` });
    for (const path of ['/v1/communities', '/v1/communities?limit=2', '/v1/modules?q=none', '/v1/settings']) {
      const [fast, ordinary] = (await askBoth(path, viewer))!;
      expect(fast.status).toBe(200);
      expect(comparable(fast), path).toEqual(comparable(ordinary));
      const tag = ordinary.headers.etag;
      for (const known of ['*', '"other"', ...(tag === undefined ? [] : [`W/${tag}, "x"`, tag])]) {
        const headers = { 'if-none-match': known, accept: 'text/html' };
        const [again, slowly] = (await askBoth(path, viewer, headers))!;
        expect(comparable(again), `${path} ${known}`).toEqual(comparable(slowly));
      }
    }
    for (const role of ['operator', 'super_viewer', 'super_admin'] as const) {
      const [fast, ordinary] = (await askBoth('/v1/modules?limit=3', service.tenant.keys[role]))!;
      expect(comparable(fast)).toEqual(comparable(ordinary));
    }
  });
});

const isRead = (route: Route): boolean =>
  route.method === 'GET' && route.permission !== 'public' && !isOfMachines(route.permission);

test('every read that may be repeated is answered alike', async () => {
  await start();
  const ids = await makeFixtures(service, service.tenant);
  const key = await plantKey(service.database, service.tenant.id, 'super_admin');
  let compared = 0;
  for (const route of ROUTES.filter(isRead)) {
    if (route.permission === 'public' || route.streams !== undefined || route.wait !== undefined) continue;
    const query = route.query?.properties.prefix === undefined ? '' : '?prefix=11.0.0.0/8';
    const path = pathWith(route.path, route.params ?? {}, ids) + query;
    const both = await askBoth(path, key.secret, {}, 15);
    if (both === null) continue;
    compared++;
    expect(comparable(both[0]), path).toEqual(comparable(both[1]));
  }
  // Some are in no kept answer, and on a busy machine a few are not fresh in time.
  expect(compared).toBeGreaterThan(30);
});

describe('what is counted and logged', () => {
  test('each request once, whichever way it took', async () => {
    await start({ rateLimits: { reads: 6, writes: 0, nodes: 0, failures: 0 } });
    const { viewer } = service.tenant.keys;
    const reported: string[] = [];
    for (let number = 0; number < 8; number++) {
      const { status, headers } = await (number % 3 === 0 ? askOrdinary : ask)('/v1/communities', viewer);
      reported.push(`${status} ${/r=\d+/.exec(String(headers.ratelimit))?.[0]}`);
    }
    expect(reported).toEqual([...[5, 4, 3, 2, 1, 0].map((left) => `200 r=${left}`), '429 r=0', '429 r=0']);
    const requests = await service.dependencies.metrics.sums.getSingleMetricAsString('http_requests_total');
    expect(requests).toContain('{method="GET",route="/v1/communities",status="200"} 6');
    expect(requests).toContain('{method="GET",route="/v1/communities",status="429"} 2');
  });

  test('the log has one line of each, of the same fields', async () => {
    await start();
    const path = '/v1/communities?limit=7';
    await askBoth(path, service.tenant.keys.viewer);
    await ask(path, service.tenant.keys.viewer, { 'x-request-id': 'fast' });
    await askOrdinary(path, service.tenant.keys.viewer, { 'x-request-id': 'ordinary' });
    const linesOf = (id: string) => service.log.filter((line) => line.includes(`"request_id":"${id}"`));
    await expect.poll(() => linesOf('ordinary').length, WITHIN).toBe(1);
    const [fast, ordinary] = [linesOf('fast')[0]!, linesOf('ordinary')[0]!].map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    );
    expect(Object.keys(fast!)).toEqual(Object.keys(ordinary!));
    const varying = { request_id: '', milliseconds: 0, time: 0 };
    expect({ ...fast, ...varying }).toEqual({ ...ordinary, ...varying });
  });
});

describe('what has changed is not repeated', () => {
  beforeEach(() => start());
  const path = '/v1/communities';

  test('a list that another process changed', async () => {
    const { viewer } = service.tenant.keys;
    for (let number = 1; number <= 20; number++) {
      await askBoth(path, viewer);
      await service.database.admin(
        `INSERT INTO community (id, tenant_id, community, title) VALUES (gen_random_uuid(), $1, $2, $3)`,
        [service.tenant.id, `65000:${number}`, `from elsewhere ${number}`],
      );
      expect((await ask(path, viewer)).body).toContain(`from elsewhere ${number}"`);
    }
  });

  test('a key that was taken back, and a tenant that is suspended', async () => {
    const made = await plantKey(service.database, service.tenant.id, 'viewer');
    await askBoth(path, made.secret);
    expect((await service.call('DELETE', `/v1/api-keys/${made.id}`)).status).toBe(204);
    expect((await ask(path, made.secret)).status).toBe(401);
    const { viewer } = service.tenant.keys;
    await askBoth(path, viewer);
    await service.database.admin(`UPDATE tenant SET status = 'suspended' WHERE id = $1`, [service.tenant.id]);
    await expect.poll(async () => (await ask(path, viewer)).status, WITHIN).toBe(403);
  });

  test('nothing of one key or tenant is answered to another', async () => {
    await service.make(path, { community: '65000:1', title: 'ours' });
    const keys = [service.tenant, service.other].flatMap(({ keys: of }) =>
      (['viewer', 'operator'] as const satisfies readonly Role[]).map((role) => of[role]),
    );
    const bodies = await Promise.all(
      Array.from({ length: 200 }, async (_, number) => (await ask(path, keys[number % 4]!)).body),
    );
    bodies.forEach((body, number) => expect(body.includes('ours')).toBe(number % 4 < 2));
  });
});
