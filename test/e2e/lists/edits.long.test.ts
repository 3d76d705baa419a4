/** An operator's ordinary day: every edit reaches the router by itself, and nobody asks for a refresh. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import { type Bird } from '../../daemons/bird/bird.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Casting, refresh, serve, startCasting } from '../casting.ts';

interface Made {
  readonly id: string;
}

let casting: Casting;
let bird: Bird;
let moduleId: string;
const communities: string[] = [];

beforeAll(async () => {
  casting = await startCasting();
  await casting.service.call('PATCH', '/v1/settings', { auto_revision: null });
  bird = await casting.addBird();
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

/** Waits until the router has exactly these, as `prefix community`. */
async function atRouter(...wanted: string[]): Promise<void> {
  const lines = async (): Promise<string[]> =>
    (await bird.routes()).map(({ prefix, communities: [first] }) => `${prefix} ${first}`).sort();
  await waitFor(async () => String(await lines()) === String(wanted.sort()), {
    what: `the router to have ${wanted.join(', ')}`,
    timeoutMs: 30_000,
  });
}

test('a /32 that is added and removed, a module that is disabled, enabled and given another community', async () => {
  await addRange('45.0.0.1/32');
  await atRouter('45.0.0.1/32 64500:1');
  const { id } = await addRange('45.0.0.3/32');
  await atRouter('45.0.0.1/32 64500:1', '45.0.0.3/32 64500:1');
  await casting.service.call('DELETE', `/v1/modules/${moduleId}/ip-range-entries/${id}`);
  await atRouter('45.0.0.1/32 64500:1');
  await change({ enabled: false });
  await atRouter();
  await change({ enabled: true });
  await atRouter('45.0.0.1/32 64500:1');
  await change({ community_id: communities[1] });
  await atRouter('45.0.0.1/32 64500:2');
  expect((await revisions()).map(({ trigger }) => trigger.kind)).toEqual(Array(6).fill('edit'));
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
  await bird.waitRoutes(3_001);
  for (const rows of [2_900, 3_000, 2_900, 3_000]) {
    casting.sources.set('/list', serve(list(rows)));
    await refresh(casting, id);
    await bird.waitRoutes(rows + 1);
  }
  for (const enabled of [false, true]) {
    await casting.service.call('PATCH', `/v1/modules/${id}/cdn-sources/${source.id}`, { enabled });
    await bird.waitRoutes(enabled ? 3_001 : 1);
  }
  await casting.service.call('DELETE', `/v1/modules/${id}`);
  await atRouter('45.0.0.1/32 64500:2');
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
  await bird.waitRoutes(10_001);
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
