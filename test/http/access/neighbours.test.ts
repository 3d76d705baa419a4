/** Whoever is loud waits for itself: the other tenant's requests come through while all of the loud one's stand still. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Door } from '../../../src/http/admission/door.ts';
import { lockModuleEntries } from '../../../src/store/entries/entry-sets.ts';
import { replyTo, startDohServer } from '../../sources/doh/server.ts';
import { serves, startListServer } from '../../sources/lists/list-server.ts';
import { startService, type Answered, type TestService } from '../service.ts';

// Other files share the process.
afterEach(() => vi.restoreAllMocks());

let service: TestService;
let loud: { readonly key: string; readonly module: string };
let quiet: { readonly key: string; readonly module: string };
beforeAll(async () => {
  service = await startService();
  const make = async (key: string) => {
    const { id } = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' }, key);
    return { key, module: id };
  };
  loud = await make(service.tenant.keys.operator);
  quiet = await make(service.other.keys.operator);
});
afterAll(() => service.close());

let release: () => Promise<void> = () => Promise.resolve();
afterEach(() => release());

/** Has everything that changes the loud tenant's module wait, until it is released. */
async function holdModule(): Promise<void> {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = service.database.db.inTenant(service.tenant.id, async (tx) => {
    await lockModuleEntries(tx, loud.module);
    held.resolve();
    await released.promise;
  });
  release = async () => {
    released.resolve();
    await holding;
  };
  await held.promise;
}

async function waitingForLocks(): Promise<number> {
  const [row] = await service.database.admin<{ n: number }>(
    `SELECT count(*)::integer AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.n;
}

type Call = (n: number) => Promise<Answered>;

const change =
  ({ key, module }: typeof loud): Call =>
  (n) =>
    service.call('PATCH', `/v1/modules/${module}`, { key, body: { description: `${n}` } });

const load =
  ({ key, module }: typeof loud): Call =>
  (n) =>
    service.call('POST', `/v1/modules/${module}/entries.csv`, {
      key,
      body: `cidr\r\n8.8.${n}.0/24\r\n`,
      headers: { 'content-type': 'text/csv' },
    });

/** Sends them all, and counts those that have an answer. */
function send(
  times: number,
  call: Call,
): { readonly answers: Answered[]; readonly all: Promise<Answered[]> } {
  const answers: Answered[] = [];
  const all = Promise.all(
    Array.from({ length: times }, async (_, n) => {
      const answer = await call(n);
      answers.push(answer);
      return answer;
    }),
  );
  return { answers, all };
}

test('60 changes of one row that stand still keep no request of another tenant', async () => {
  await holdModule();
  const { answers, all } = send(60, change(loud));
  await expect.poll(() => waitingForLocks()).toBeGreaterThanOrEqual(3);
  const own = { key: quiet.key };
  for (let n = 0; n < 5; n++) {
    const path = `/v1/modules/${quiet.module}`;
    expect((await service.call('GET', path, own)).status).toBe(200);
    expect((await change(quiet)(n)).status).toBe(200);
    expect((await service.call('GET', `/v1/lookup?q=8.8.8.${n}`, own)).status).toBe(200);
    expect((await load(quiet)(n)).status).toBe(200);
  }
  // What the loud tenant asked has an answer only where a lock was not free in time.
  expect(answers.filter(({ status }) => status === 200)).toEqual([]);
  await release();
  const statuses = new Set((await all).map(({ status }) => status));
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
});

test('a lock that is not free in time is 503 with Retry-After, and no fault in the log', async () => {
  await holdModule();
  const before = service.log.length;
  const { status, headers, body } = await change(loud)(1);
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'busy' });
  expect(headers.get('retry-after')).toBe('2');
  expect(body.detail).toContain('Nothing was changed');
  const levels = service.log.slice(before).map((line) => (JSON.parse(line) as { level: number }).level);
  expect(levels.filter((level) => level > 30)).toEqual([]);
});

test('more than may wait are refused, those of another tenant are not', async () => {
  await holdModule();
  const { answers, all } = send(260, change(loud));
  await expect.poll(() => answers.length).toBeGreaterThanOrEqual(40);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(40);
  expect(refused[0]!.headers.get('retry-after')).toBe('1');
  expect((await service.call('GET', `/v1/modules/${quiet.module}`, { key: quiet.key })).status).toBe(200);
  await release();
  await all;
});

test('reads, changes, lookups, imports and long bodies come through the door of their tenant', async () => {
  const enter = vi.spyOn(Door.prototype, 'enter');
  const path = `/v1/modules/${quiet.module}`;
  const through = async (call: Promise<Answered>): Promise<string[]> => {
    expect((await call).status).toBe(200);
    return enter.mock.calls.splice(0).map(([tenantId]) => tenantId);
  };
  const { id } = service.other;
  expect(await through(service.call('GET', path, { key: quiet.key }))).toEqual([id]);
  expect(await through(change(quiet)(1))).toEqual([id]);
  expect(await through(load(quiet)(1))).toEqual([id]);
  // Not a lookup that is answered in front of the routes.
  expect(await through(service.call('GET', '/v1/lookup?q=example.net', { key: quiet.key }))).toContain(id);
  const body = `{"description":"long"}${' '.repeat(100_000)}`;
  expect(await through(service.call('PATCH', path, { key: quiet.key, body }))).toEqual([id, id]);
  enter.mockRestore();
});

test('imports of one tenant leave places to others', async () => {
  await holdModule();
  const { answers, all } = send(12, load(loud));
  const said = (some: readonly Answered[]): Set<string> =>
    new Set(some.map(({ status, body }) => `${status} ${status === 200 ? '' : String(body.code)}`.trim()));
  const refused = (some: readonly Answered[]): Answered[] => some.filter(({ status }) => status === 429);
  await expect.poll(() => refused(answers).length).toBe(10);
  expect(said(refused(answers))).toEqual(new Set(['429 rate_limited']));
  expect(refused(answers)[0]!.body.detail).toContain(
    '2 imports, or plans of them, are running for the tenant already',
  );
  expect((await load(quiet)(9)).status).toBe(200);
  await release();
  const admitted = (await all).filter(({ status }) => status !== 429);
  expect(admitted).toHaveLength(2);
  // A request waits for a row for three seconds, which may be over by now on a busy machine.
  expect([...said(admitted)].filter((one) => one !== '200' && one !== '503 busy')).toEqual([]);
});

/** The first so many are at work until they are released; the others of the loud tenant are refused, one of the quiet one is served. */
async function expectShares(
  ofTenant: number,
  what: string,
  call: (key: string) => Promise<Answered>,
): Promise<void> {
  const { answers, all } = send(ofTenant + 3, () => call(loud.key));
  await expect.poll(() => answers.length).toBe(3);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
  expect(answers[0]!.body.detail).toContain(`${ofTenant} ${what} for the tenant already`);
  const served = call(quiet.key);
  await release();
  expect((await served).status).toBe(200);
  expect((await all).filter(({ status }) => status === 200)).toHaveLength(ofTenant);
}

test('previews of one tenant leave places to others', async () => {
  const source = await startListServer();
  const released = Promise.withResolvers<void>();
  release = () => Promise.resolve(released.resolve());
  source.answer = (...asked) => void released.promise.then(() => serves('9.9.9.0/24\n')(...asked));
  const body = { url: `${source.origin}/list` };
  await expectShares(2, 'previews are being read', (key) =>
    service.call('POST', '/v1/cdn-sources/preview', { key, body }),
  );
  await source.close();
});

test('trials of resolvers of one tenant leave places to others', async () => {
  const server = await startDohServer();
  const released = Promise.withResolvers<void>();
  release = () => Promise.resolve(released.resolve());
  server.answer = (asked) => (stream) =>
    void released.promise.then(() => {
      stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
      stream.end(replyTo(asked));
    });
  const profile = { name: 'resolver', url: server.url, timeout_ms: 30_000 };
  const ids = new Map<string, string>();
  for (const { key } of [loud, quiet])
    ids.set(key, (await service.make('/v1/doh-profiles', profile, key)).id);
  await expectShares(8, 'resolvers are being tried', (key) =>
    service.call('POST', `/v1/doh-profiles/${ids.get(key)!}/test`, { key }),
  );
  await server.close();
});

test('whatever list of a body is long, the request is a large one', async () => {
  const bulk = vi.spyOn(service.dependencies.db, 'inBulk');
  const { key } = loud;
  const networks = (count: number): string[] => Array.from({ length: count }, (_, n) => `8.9.${n}.0/24`);
  const rule = (count: number): Promise<Answered> =>
    service.call('POST', '/v1/firewall/rules', {
      key,
      body: { name: `rule of ${count}`, cidrs: networks(count) },
    });
  expect((await rule(200)).status).toBe(201);
  expect(bulk).not.toHaveBeenCalled();
  expect((await rule(201)).status).toBe(201);
  expect(bulk).toHaveBeenCalledOnce();
});
