import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AsEntry } from '../../../src/api/entries/as-entries.ts';
import { changeAsEntry, createAsEntries } from '../../../src/control/entries/as-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { deleteAsEntry, getAsEntry } from '../../../src/store/entries/as-entries.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Announcements, NOW, ripestatAnswers } from '../../sources/asn/servers.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
let red: string;
let blue: string;
let moduleId: string;
const announced = new Map<number, Announcements>();

const pathOf = (asn: number): string => `/ripestat?resource=AS${asn}&sourceapp=prefixcast`;

function announce(asn: number, ...prefixes: string[]): void {
  announced.set(asn, Object.fromEntries(prefixes.map((prefix) => [prefix, [NOW]])));
  plane.answers.set(pathOf(asn), ripestatAnswers(announced));
}

function fail(asn: number, status = 500): void {
  plane.answers.set(pathOf(asn), (_, response) => response.writeHead(status).end());
}

async function add(asn: number, more: object = {}): Promise<string> {
  const [made] = await plane.run((tx) => createAsEntries(tx, moduleId, [{ asn, ...more }], () => ''));
  return made!.resource.id;
}

const entry = async (id: string): Promise<AsEntry> =>
  (await plane.run((tx) => getAsEntry(tx, moduleId, id))).resource;

/** The routes after a refresh, and how it ended. */
async function refresh(): Promise<{ routes: Record<string, readonly string[]>; status: unknown }> {
  const result = await plane.succeeded(await plane.refresh(moduleId));
  return { routes: await plane.routes(String(result.revision_id)), status: result.status };
}

beforeAll(async () => {
  plane = await startPlane();
  red = await plane.addCommunity('64500:1');
  blue = await plane.addCommunity('64500:2');
});
afterAll(() => plane?.close());
beforeEach(async () => {
  await plane.deleteModules();
  await plane.run((tx) => changeSettings(tx, { guard_bogons: null }));
  const body = { name: 'networks', type: 'AS_PREFIXES', community_id: red } as const;
  moduleId = (await plane.run((tx) => createModule(tx, body))).resource.id;
  announced.clear();
  plane.answers.clear();
  plane.lists.requests.length = 0;
});

test('what ASes announce becomes routes, minimal and with the community of module or entry', async () => {
  announce(100, '45.0.0.0/24', '45.0.1.0/24', '2600:80::/32');
  announce(200, '45.0.2.0/24');
  const id = await add(100);
  await add(200, { community_id: blue });
  expect(await refresh()).toEqual({
    status: 'ok',
    routes: { '45.0.0.0/23': ['64500:1'], '45.0.2.0/24': ['64500:2'], '2600:80::/32': ['64500:1'] },
  });
  expect(await entry(id)).toMatchObject({
    asn: 100,
    status: 'ok',
    last_error: null,
    last_refreshed_at: expect.any(String) as unknown,
    prefix_count: { ipv4: 2, ipv6: 1 },
  });
  const { resource } = await plane.run((tx) => getModule(tx, moduleId));
  expect(resource).toMatchObject({ entry_count: 2, prefix_count: { ipv4: 3, ipv6: 1 } });
});

test('an AS that fails keeps its last good prefixes and turns stale; one that never answered fails', async () => {
  announce(100, '45.0.0.0/24');
  const [good, bad] = [await add(100), await add(200)];
  fail(200, 404);
  expect(await refresh()).toEqual({ status: 'partial', routes: { '45.0.0.0/24': ['64500:1'] } });
  expect(await entry(bad)).toMatchObject({ status: 'failed', last_refreshed_at: null });
  const before = await entry(good);
  fail(100);
  announce(200, '46.0.0.0/24');
  expect(await refresh()).toEqual({
    status: 'partial',
    routes: { '45.0.0.0/24': ['64500:1'], '46.0.0.0/24': ['64500:1'] },
  });
  expect(await entry(good)).toMatchObject({
    status: 'stale',
    last_error: expect.stringContaining('source_http_status') as unknown,
    last_refreshed_at: before.last_refreshed_at,
    prefix_count: { ipv4: 1, ipv6: 0 },
  });
  announce(100, '45.0.0.0/24', '45.0.4.0/24');
  expect((await refresh()).status).toBe('ok');
  expect(await entry(good)).toMatchObject({ status: 'ok', last_error: null, prefix_count: { ipv4: 2 } });
});

test('an AS that announces nothing any more keeps its last good prefixes; one that never did is fine', async () => {
  announce(100, '45.0.0.0/24');
  announce(200);
  const [had, never] = [await add(100), await add(200)];
  expect((await refresh()).status).toBe('ok');
  announce(100);
  expect(await refresh()).toEqual({ status: 'partial', routes: { '45.0.0.0/24': ['64500:1'] } });
  expect(await entry(had)).toMatchObject({
    status: 'stale',
    last_error: expect.stringMatching(/^empty_result: AS100 /) as unknown,
    prefix_count: { ipv4: 1, ipv6: 0 },
  });
  expect(await entry(never)).toMatchObject({ status: 'ok', prefix_count: { ipv4: 0, ipv6: 0 } });
  await plane.run((tx) => deleteAsEntry(tx, moduleId, had, null));
  expect((await refresh()).routes).toEqual({});
});

test('an AS that was disabled for a while gets its prefixes back, whatever a refresh of before says', async () => {
  announce(100, '45.0.0.0/24');
  announce(200, '46.0.0.0/24');
  const id = await add(100);
  await add(200);
  await refresh();
  const enable = (enabled: boolean) => plane.run((tx) => changeAsEntry(tx, moduleId, id, { enabled }, null));
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const answer = plane.answers.get(pathOf(100))!;
  let isAsked = false;
  plane.answers.set(pathOf(100), (request, response) => {
    isAsked = true;
    void opened.then(() => answer(request, response));
  });
  const slow = await plane.refresh(moduleId);
  await waitFor(() => isAsked, { what: 'the slow refresh to ask' });
  await enable(false);
  await refresh();
  await enable(true);
  open();
  await plane.succeeded(slow);
  expect(Object.keys((await refresh()).routes)).toEqual(['45.0.0.0/24', '46.0.0.0/24']);
  expect(await entry(id)).toMatchObject({ status: 'ok', prefix_count: { ipv4: 1, ipv6: 0 } });
});

test('an AS is asked what changed, unless its answer is not held any more or meant something else', async () => {
  announce(100, '45.0.0.0/24', '10.0.0.0/8');
  announce(200);
  const id = await add(100);
  await add(200);
  await refresh();
  const conditions = async (): Promise<boolean[]> => {
    plane.lists.requests.length = 0;
    await refresh();
    return plane.lists.requests.map(({ headers }) => headers['if-none-match'] !== undefined);
  };
  expect(await conditions()).toEqual([true, true]);
  expect(await entry(id)).toMatchObject({ status: 'ok', prefix_count: { ipv4: 1, ipv6: 0 } });
  await plane.run((tx) => changeSettings(tx, { guard_bogons: 'allow' }));
  expect(await conditions()).toEqual([false, false]);
  expect(await entry(id)).toMatchObject({ status: 'ok', prefix_count: { ipv4: 2, ipv6: 0 } });
  expect(await conditions()).toEqual([true, true]);
  const enable = (enabled: boolean) => plane.run((tx) => changeAsEntry(tx, moduleId, id, { enabled }, null));
  await enable(false);
  expect((await refresh()).routes).toEqual({});
  await enable(true);
  expect((await refresh()).routes).toEqual({ '10.0.0.0/8': ['64500:1'], '45.0.0.0/24': ['64500:1'] });
});

test('thousands of ASes are collected and written down in one refresh', async () => {
  const bodies = Array.from({ length: 600 }, (_, index) => ({ asn: 200_000 + index }));
  const made = await plane.run((tx) => createAsEntries(tx, moduleId, bodies, (index) => `/items/${index}`));
  expect(made.map(({ resource }) => resource.asn)).toEqual(bodies.map(({ asn }) => asn));
  for (const { asn } of bodies) announce(asn, `45.${(asn >> 8) & 255}.${asn & 255}.0/24`);
  expect((await refresh()).status).toBe('ok');
  const { resource } = await plane.run((tx) => getModule(tx, moduleId));
  expect(resource).toMatchObject({ entry_count: 600, prefix_count: { ipv4: 600, ipv6: 0 } });
  const job = await plane.refresh(moduleId);
  await plane.succeeded(job);
  expect((await plane.job(job.id)).progress).not.toBeNull();
});
