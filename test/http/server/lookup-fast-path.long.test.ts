/** The fast path of lookups beside the ordinary one: the same questions, asked so that one and the other answers. */
import fc from 'fast-check';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ROLES, type Role } from '../../../src/api/access/permissions.ts';
import type { ServerDependencies } from '../../../src/http/server/server.ts';
import { collect } from '../collect.ts';
import { makeRevision } from '../fixtures.ts';
import { startService, type TestService } from '../service.ts';
import { times } from '../../fuzz.ts';

const WITHIN = { interval: 20 };
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

let service: TestService;
async function start(http: Partial<ServerDependencies['http']> = {}): Promise<void> {
  service = await startService(http);
  const community = await service.make('/v1/communities', { community: '65000:100', title: 'Wölkchen 云' });
  const ranges = await service.make('/v1/modules', { name: 'ranges "quoted"', type: 'IP_RANGES' });
  for (const cidr of ['11.0.0.0/8', '11.1.0.0/16', '2a00::/16'])
    await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr });
  const module = await service.make('/v1/modules', {
    name: 'lists',
    type: 'CDN_SOURCES',
    community_id: community.id,
  });
  const source = await service.make(`/v1/modules/${module.id}/cdn-sources`, {
    name: 'a',
    url: 'https://example.net/a',
  });
  await collect(service, module.id, { '11.1.1.0/24': [source.id], '2a00:1450::/32': [source.id] });
  const speaker = await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 });
  const revision = await makeRevision(service, service.tenant, community.id, ['11.1.0.0/16']);
  await service.database.admin('UPDATE speaker SET applied_revision_id = $1 WHERE id = $2', [
    revision,
    speaker.id,
  ]);
}
afterEach(() => service.close());

interface Raw {
  readonly status: number;
  /** In the order in which they came. */
  readonly names: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Question {
  readonly key: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

function ask(target: string, { key, method = 'GET', headers = {} }: Question): Promise<Raw> {
  const { promise, resolve, reject } = Promise.withResolvers<Raw>();
  const all = { authorization: `Bearer ${key}`, ...headers };
  const asked = request(service.url + target, { method, agent, headers: all }, (response) => {
    text(response).then((body) => {
      const names = response.rawHeaders.filter((_, place) => place % 2 === 0);
      resolve({ status: response.statusCode!, names, headers: response.headers, body });
    }, reject);
  });
  asked.on('error', reject).end();
  return promise;
}

/** Answers so far that came the fast path. */
async function taken(): Promise<number> {
  const metric = service.dependencies.metrics.sums.getSingleMetric('prefixcast_lookups_fast_path_total')!;
  return (await metric.get()).values[0]!.value;
}

const plain = (q: string) => `/v1/lookup?q=${encodeURIComponent(q)}`;
/** The same question with its first character escaped, which the fast path does not read. */
const ordinary = (q: string) => {
  const [first = '', ...rest] = q;
  const escaped = Array.from(Buffer.from(first), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return `/v1/lookup?q=${escaped}${encodeURIComponent(rest.join(''))}`;
};

/** Asks until the fast path answers, as it does once all is in memory. */
async function askShort(q: string, question: Question): Promise<Raw> {
  let answer: Raw | undefined;
  const isTaken = async () => {
    const before = await taken();
    answer = await ask(plain(q), question);
    return (await taken()) > before;
  };
  await expect.poll(isTaken, WITHIN).toBe(true);
  return answer!;
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

  const octet = fc.integer({ min: 0, max: 255 });
  const near = fc.tuple(
    fc.constantFrom(11, 12),
    fc.integer({ min: 0, max: 2 }),
    fc.integer({ min: 0, max: 2 }),
    octet,
  );
  const query = fc.oneof(
    { weight: 4, arbitrary: near.map((octets) => octets.join('.')) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('2a00:1450::1', '2A00:1450:0:0::2', '2a01::', '::', '2a00::1.2.3.4'),
    },
    { weight: 1, arbitrary: fc.ipV6() },
    { weight: 1, arbitrary: fc.domain() },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '11.1.1',
        '011.1.1.1',
        '11.1.1.1/24',
        '::ffff:11.1.1.1',
        '11.1.1.1 ',
        ':',
        '1::2::3',
      ),
    },
  );

  test('whatever is asked, by whom, and how', async () => {
    await askShort('11.1.1.1', { key: service.tenant.keys.viewer });
    const before = await taken();
    const question = fc.record({
      q: query,
      role: fc.constantFrom<Role>(...ROLES),
      isOther: fc.boolean(),
      headers: fc.record(
        {
          accept: fc.constantFrom('*/*', 'text/html', 'application/json'),
          'if-none-match': fc.constant('*'),
        },
        { requiredKeys: [] },
      ),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ q, role, isOther, headers }) => {
        const key = (isOther ? service.other : service.tenant).keys[role];
        const asked = { key, headers: { ...headers, 'x-request-id': 'the-same' } };
        const short = await ask(plain(q), asked);
        expect(comparable(short)).toEqual(comparable(await ask(ordinary(q), asked)));
      }),
      { numRuns: times(150, 50) },
    );
    expect(await taken()).toBeGreaterThan(before);
  });
});

describe('what is counted and logged', () => {
  test('each request once, whichever way it took', async () => {
    await start({ rateLimits: { reads: 6, writes: 0, nodes: 0, failures: 0 } });
    const { viewer, operator } = service.tenant.keys;
    // Another key brings the lists into memory.
    await ask(ordinary('11.1.1.1'), { key: operator });
    const reported: string[] = [];
    for (const target of [plain, ordinary, plain, plain, ordinary, plain, plain, ordinary]) {
      const { status, headers } = await ask(target('11.1.1.1'), { key: viewer });
      reported.push(`${status} ${/r=\d+/.exec(String(headers.ratelimit))?.[0]}`);
    }
    expect(reported).toEqual([...[5, 4, 3, 2, 1, 0].map((left) => `200 r=${left}`), '429 r=0', '429 r=0']);
    const requests = await service.dependencies.metrics.sums.getSingleMetricAsString('http_requests_total');
    expect(requests).toContain('{method="GET",route="/v1/lookup",status="200"} 7');
    expect(requests).toContain('{method="GET",route="/v1/lookup",status="429"} 2');
  });

  test('by the former name of the metric as well, which dashboards may ask for', async () => {
    await start();
    await askShort('11.1.1.1', { key: service.tenant.keys.viewer });
    const counted = await taken();
    const { sums } = service.dependencies.metrics;
    for (const name of ['prefixcast_lookups_fast_path_total', 'prefixcast_lookups_short_way_total'])
      expect(await sums.getSingleMetricAsString(name)).toMatch(new RegExp(`^${name} ${counted}$`, 'm'));
  });

  test('the log has one line of each, of the same fields', async () => {
    await start();
    const key = service.tenant.keys.viewer;
    await askShort('11.1.1.1', { key, headers: { 'x-request-id': 'short' } });
    await ask(ordinary('11.1.1.1'), { key, headers: { 'x-request-id': 'long' } });
    const linesOf = (id: string) => service.log.filter((line) => line.includes(`"request_id":"${id}"`));
    await expect.poll(() => linesOf('long').length, WITHIN).toBe(1);
    const [short, long] = [linesOf('short').at(-1)!, linesOf('long')[0]!].map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    );
    expect(Object.keys(short!)).toEqual(Object.keys(long!));
    const varying = { request_id: '', milliseconds: 0, time: 0 };
    expect({ ...short, ...varying }).toEqual({ ...long, ...varying });
  });
});

describe('the ordinary way answers', () => {
  test('what is not a plain question', async () => {
    await start();
    const key = service.tenant.keys.viewer;
    await askShort('11.1.1.1', { key });
    const target = plain('11.1.1.1');
    const before = await taken();
    for (const headers of [{ origin: 'https://a.example' }, { 'content-length': '0' }])
      expect((await ask(target, { key, headers })).status).toBe(200);
    expect((await ask(target, { key, method: 'HEAD' })).body).toBe('');
    for (const odd of [
      `${target}&q=1.1.1.1`,
      `${target}&x=1`,
      '/v1/lookup',
      '/v1/lookup?q=',
      '/v1/lookup?Q=11.1.1.1',
    ])
      expect((await ask(odd, { key })).status, odd).toBe(422);
    expect((await ask(target, { key: service.tenant.keys.node })).status).toBe(403);
    expect((await ask(target, { key: `${key}x` })).status).toBe(401);
    expect(await taken()).toBe(before);
  });
});

describe('on the wire', () => {
  /** Sends all at once over a connection of its own. */
  function connected(text: string): Socket {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    socket.on('error', () => undefined).write(text);
    return socket;
  }

  test('requests that do not wait for answers are answered in order, whichever way each took', async () => {
    await start();
    const key = service.tenant.keys.viewer;
    await askShort('11.1.1.1', { key });
    const queries = Array.from({ length: 40 }, (_, i) => `11.1.1.${i}`);
    const targets = queries.map((q, i) => (i % 3 === 0 ? ordinary(q) : plain(q)));
    const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
    const requests = targets.map((target) => `GET ${target} HTTP/1.1\r\n${head}\r\n`);
    const last = `GET /v1/lookup?q=12.0.0.1 HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
    const answers = await text(connected(requests.join('') + last));
    const asked = [...answers.matchAll(/"query":"([^"]+)"/g)].map(([, query]) => query);
    expect(asked).toEqual([...queries, '12.0.0.1']);
  });

  test('clients that leave before their answer do no harm', async () => {
    await start();
    const key = service.tenant.keys.viewer;
    await askShort('11.1.1.1', { key });
    for (let i = 0; i < 50; i++) {
      const head = `Host: a\r\nAuthorization: Bearer ${key}\r\n`;
      const socket = connected(`GET ${plain('11.1.1.1')} HTTP/1.1\r\n${head}\r\n`.repeat(5));
      await once(socket, 'connect');
      if (i % 2 === 0) await turn();
      socket.resetAndDestroy();
    }
    expect((await askShort('11.1.1.1', { key })).status).toBe(200);
  });
});

describe('what another process changes holds on the fast path too', () => {
  beforeEach(() => start());
  const status = async (key: string) => (await ask(plain('11.1.1.1'), { key })).status;

  test('a revoked key, and one that expires', async () => {
    const { viewer, operator } = service.tenant.keys;
    await askShort('11.1.1.1', { key: viewer });
    await service.database.admin(
      "UPDATE api_key SET revoked_at = now() WHERE name = 'the viewer' AND tenant_id = $1",
      [service.tenant.id],
    );
    await expect.poll(() => status(viewer), WITHIN).toBe(401);
    await askShort('11.1.1.1', { key: operator });
    await service.database.admin(
      "UPDATE api_key SET expires_at = now() + interval '1 second' WHERE name = 'the operator' AND tenant_id = $1",
      [service.tenant.id],
    );
    await expect.poll(() => status(operator), WITHIN).toBe(401);
  });

  test('a suspended tenant', async () => {
    const { id, keys } = service.tenant;
    await askShort('11.1.1.1', { key: keys.viewer });
    await service.database.admin("UPDATE tenant SET status = 'suspended' WHERE id = $1", [id]);
    await expect.poll(() => status(keys.viewer), WITHIN).toBe(403);
    await service.database.admin("UPDATE tenant SET status = 'active' WHERE id = $1", [id]);
    await expect.poll(() => status(keys.viewer), WITHIN).toBe(200);
  });

  test('what is collected, and what is announced', async () => {
    const key = service.tenant.keys.viewer;
    const body = async () => (await ask(plain('11.1.1.1'), { key })).body;
    expect((await askShort('11.1.1.1', { key })).body).toContain('"announced":[{');
    await service.database.admin('UPDATE speaker SET applied_revision_id = NULL');
    await expect.poll(body, WITHIN).toContain('"announced":[]');
    const [module] = await service.database.admin<{ id: string }>(
      "SELECT id FROM module WHERE name = 'lists'",
    );
    await collect(service, module!.id, {});
    await expect.poll(body, WITHIN).not.toContain('"layer":"snapshot"');
    expect((await askShort('11.1.1.1', { key })).body).toContain('"layer":"entry"');
  });

  test('what this process changes holds at once', async () => {
    const key = service.tenant.keys.operator;
    await askShort('12.0.0.1', { key });
    const module = await service.make('/v1/modules', { name: 'more', type: 'IP_RANGES' });
    await service.make(`/v1/modules/${module.id}/ip-range-entries`, { cidr: '12.0.0.0/24' });
    expect((await ask(plain('12.0.0.1'), { key })).body).toContain('"prefix":"12.0.0.0/24"');
  });
});
