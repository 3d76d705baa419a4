/** An operator's ordinary day: every edit reaches the routers, a BIRD and an FRR, by itself, and nobody asks for a refresh. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Casting, refresh, type Routers, serve, startCasting } from '../casting.ts';

interface Made {
  readonly id: string;
}

let casting: Casting;
let routers: Routers;
let moduleId: string;
const communities: string[] = [];

beforeAll(async () => {
  casting = await startCasting();
  await casting.service.call('PATCH', '/v1/settings', { auto_revision: null });
  routers = await casting.addRouters();
  for (const community of ['64500:1', '64500:2'])
    communities.push(
      (await casting.service.post<Made>('/v1/communities', { community, title: community })).id,
    );
  moduleId = await addModule({ name: 'ranges', type: 'IP_RANGES' });
});
afterAll(() => casting?.close());

const addModule = async (body: object): Promise<string> =>
  (await casting.service.post<Made>('/v1/modules', { community_id: communities[0], ...body })).id;
const change = (patch: object): Promise<unknown> =>
  casting.service.call('PATCH', `/v1/modules/${moduleId}`, patch);
const addRange = (cidr: string): Promise<Made> =>
  casting.service.post<Made>(`/v1/modules/${moduleId}/ip-range-entries`, { cidr });
const revisions = async (): Promise<Revision[]> =>
  (await casting.service.get<{ items: Revision[] }>('/v1/revisions?limit=500')).items;

/** Waits until both routers have exactly these, as `prefix community`. */
async function atRouters(...wanted: string[]): Promise<void> {
  await waitFor(async () => String(await routers.lines()) === String(wanted.sort()), {
    what: `both routers to have ${wanted.join(', ')}`,
  });
}

test('a /32 that is added and removed, a module that is disabled, enabled and given another community', async () => {
  await addRange('45.0.0.1/32');
  await atRouters('45.0.0.1/32 64500:1');
  const { id } = await addRange('45.0.0.3/32');
  await atRouters('45.0.0.1/32 64500:1', '45.0.0.3/32 64500:1');
  await casting.service.call('DELETE', `/v1/modules/${moduleId}/ip-range-entries/${id}`);
  await atRouters('45.0.0.1/32 64500:1');
  await change({ enabled: false });
  await atRouters();
  await change({ enabled: true });
  await atRouters('45.0.0.1/32 64500:1');
  await change({ community_id: communities[1] });
  await atRouters('45.0.0.1/32 64500:2');
  expect((await revisions()).map(({ trigger }) => trigger.kind)).toEqual(Array(6).fill('edit'));
});

test('a module that takes out, announces one family alone, and is deleted', async () => {
  const wide = await addModule({ name: 'wide', type: 'IP_RANGES' });
  const ranges = { items: [{ cidr: '45.0.0.0/30' }, { cidr: '2a0e:b100::/32' }] };
  await casting.service.post(`/v1/modules/${wide}/ip-range-entries`, ranges);
  await atRouters('45.0.0.0/30 64500:1', '45.0.0.1/32 64500:2', '2a0e:b100::/32 64500:1');
  await change({ purpose: 'exclude' });
  await atRouters('45.0.0.0/32 64500:1', '45.0.0.2/31 64500:1', '2a0e:b100::/32 64500:1');
  await casting.service.call('PATCH', `/v1/modules/${wide}`, { families: ['ipv6'] });
  await atRouters('2a0e:b100::/32 64500:1');
  await change({ purpose: 'announce' });
  await atRouters('45.0.0.1/32 64500:2', '2a0e:b100::/32 64500:1');
  await casting.service.call('DELETE', `/v1/modules/${wide}`);
  await atRouters('45.0.0.1/32 64500:2');
});

test('where revisions are not built by themselves, one is on request, and until then the edits are pending', async () => {
  await casting.service.call('PATCH', '/v1/settings', { auto_revision: false });
  const before = await revisions();
  const { id } = await addRange('45.0.0.9/32');
  const pending = async (): Promise<number> =>
    (await casting.service.get<{ pending_changes: { count: number } }>('/v1/auth/session')).pending_changes
      .count;
  expect(await pending()).toBe(1);
  await casting.service.succeeded(await casting.service.post<Job>('/v1/revisions', { reason: 'now' }));
  await atRouters('45.0.0.1/32 64500:2', '45.0.0.9/32 64500:2');
  const made = (await revisions()).filter(({ number }) => before.every((one) => one.number !== number));
  expect(made).toMatchObject([{ trigger: { kind: 'manual' } }]);
  expect(await pending()).toBe(0);
  await casting.service.call('PATCH', '/v1/settings', { auto_revision: null });
  await casting.service.call('DELETE', `/v1/modules/${moduleId}/ip-range-entries/${id}`);
  await atRouters('45.0.0.1/32 64500:2');
});

test('a list goes A, B, A, and its source is switched off and on', async () => {
  // This takes away nearly all that the router has, and means it.
  await casting.service.call('PATCH', '/v1/settings', { guard_max_withdraw_percent: 100 });
  const list = (rows: number): string =>
    Array.from({ length: rows }, (_, i) => `60.${i >> 6}.${(i & 63) * 4}.0/24`).join('\n');
  const id = await addModule({ name: 'lists', type: 'CDN_SOURCES' });
  casting.sources.set('/list', serve(list(3_000)));
  const source = await casting.service.post<Made>(`/v1/modules/${id}/cdn-sources`, {
    name: 'list',
    url: `${casting.sourceUrl}/list`,
  });
  await routers.waitRoutes(3_001);
  for (const rows of [2_900, 3_000, 2_900, 3_000]) {
    casting.sources.set('/list', serve(list(rows)));
    await refresh(casting, id);
    await routers.waitRoutes(rows + 1);
  }
  for (const enabled of [false, true]) {
    await casting.service.call('PATCH', `/v1/modules/${id}/cdn-sources/${source.id}`, { enabled });
    await routers.waitRoutes(enabled ? 3_001 : 1);
  }
  // One content, however often it comes back.
  const hashes = (await revisions())
    .filter(({ prefix_count: count }) => count.ipv4 === 3_001)
    .map(({ content_hash: hash }) => hash);
  expect(hashes.length).toBeGreaterThanOrEqual(4);
  expect(new Set(hashes).size).toBe(1);
  await casting.service.call('DELETE', `/v1/modules/${id}`);
  await atRouters('45.0.0.1/32 64500:2');
});

test('an import of thousands is one revision', async () => {
  const before = (await revisions()).length;
  const lines = Array.from({ length: 10_000 }, (_, i) => `50.${i >> 6}.${(i & 63) * 4}.0/24`);
  const answer = await fetch(`${casting.service.url}/v1/modules/${moduleId}/entries.csv`, {
    method: 'POST',
    headers: { authorization: `Bearer ${casting.service.key}`, 'content-type': 'text/csv' },
    body: ['cidr', ...lines].join('\n'),
  });
  expect(answer.status).toBe(200);
  await routers.waitRoutes(10_001);
  expect((await revisions()).length).toBe(before + 1);
});

test('one on request says where the newest revision holds everything already; no job has failed', async () => {
  const [newest] = await revisions();
  const job = await casting.service.post<Job>('/v1/revisions', { reason: 'to be sure' });
  expect(await casting.service.succeeded(job)).toMatchObject({
    revision_id: newest!.id,
    revision_created: false,
  });
  expect(await casting.service.get('/v1/auth/session')).toMatchObject({
    pending_changes: { count: 0, since: null },
  });
  const jobs = async (): Promise<Job[]> =>
    (await casting.service.get<{ items: Job[] }>('/v1/jobs?limit=500')).items;
  await waitFor(async () => (await jobs()).every((one) => one.finished_at !== null), {
    what: 'all jobs to end',
  });
  const items = await jobs();
  for (const { state, progress } of items) {
    expect(state).toBe('succeeded');
    expect(progress?.done).toBe(progress?.total);
  }
});
