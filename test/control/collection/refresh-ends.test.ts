/** How refreshes end, and which of them are one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CdnSource } from '../../../src/api/entries/cdn-sources.ts';
import type { ModuleCreate } from '../../../src/api/lists/modules.ts';
import { requestRefresh } from '../../../src/control/collection/refresh-module.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { getCdnSource } from '../../../src/store/entries/cdn-sources.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { deleteModule, getModule } from '../../../src/store/modules/modules.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.close());

async function addModule(body: Partial<ModuleCreate> & Pick<ModuleCreate, 'name'>): Promise<string> {
  return (await plane.run((tx) => createModule(tx, { type: 'IP_RANGES', ...body }))).resource.id;
}

async function addSource(moduleId: string, path: string): Promise<string> {
  const body = { name: path, url: plane.lists.origin + path };
  const [made] = await plane.run((tx) => createCdnSources(tx, plane.context, moduleId, [body], () => ''));
  return made!.resource.id;
}

const source = async (moduleId: string, id: string): Promise<CdnSource> =>
  (await plane.run((tx) => getCdnSource(tx, moduleId, id))).resource;
const readTenant = async () =>
  (
    await plane.database.admin<{ last_revision_number: number }>(
      `SELECT last_revision_number FROM tenant WHERE id = '${plane.tenantId}'`,
    )
  )[0]!;

test('one that never answered is failed, and so is its refresh, which makes no revision', async () => {
  const module = await addModule({ name: 'never', type: 'CDN_SOURCES' });
  const id = await addSource(module, '/missing');
  const { last_revision_number: before } = await readTenant();
  const job = await plane.ended(await plane.refresh(module));
  expect(job).toMatchObject({
    state: 'failed',
    error: { code: 'refresh_failed', detail: expect.stringContaining('source_http_status') as unknown },
    result: { status: 'failed', entries: [{ id, status: 'failed' }] },
  });
  expect(job.result).not.toHaveProperty('revision_id');
  expect((await readTenant()).last_revision_number).toBe(before);
  expect(await source(module, id)).toMatchObject({ status: 'failed', last_refreshed_at: null });
  const { last_refresh: last } = (await plane.run((tx) => getModule(tx, module))).resource;
  expect(last).toMatchObject({ status: 'failed', job_id: job.id });
  const [record] = await plane.database.admin<{ severity: string; changes_after: object }>(
    `SELECT severity, changes_after FROM audit_record WHERE action = 'job.fail' AND resource_id = '${job.id}'`,
  );
  expect(record).toMatchObject({
    severity: 'warning',
    changes_after: { error: { code: 'refresh_failed' } },
  });
});

test('of two, one that fails makes the refresh partial, which succeeds', async () => {
  const module = await addModule({ name: 'partial', type: 'CDN_SOURCES' });
  await addSource(module, '/missing');
  await addSource(module, '/there');
  plane.answers.set('/there', serves('11.0.0.0/24'));
  const job = await plane.ended(await plane.refresh(module));
  expect(job).toMatchObject({ state: 'succeeded', error: null, result: { status: 'partial' } });
});

test('a module that is deleted while it is refreshed, or before, is no failure', async () => {
  const module = await addModule({ name: 'short-lived', type: 'CDN_SOURCES' });
  let answer = (): void => undefined;
  let isAsked = false;
  plane.answers.set('/slow', (request, response) => {
    isAsked = true;
    answer = () => void serves('11.0.0.0/24')(request, response);
  });
  await addSource(module, '/slow');
  const running = await plane.refresh(module);
  await waitFor(() => isAsked, { what: 'the source to be asked' });
  await plane.run((tx) => deleteModule(tx, module, null));
  answer();
  const waiting = await addModule({ name: 'shorter' });
  const before = await plane.run(async (tx) => {
    const job = await requestRefresh(tx, plane.context.queue, waiting, 'key:test');
    await deleteModule(tx, waiting, null);
    return job;
  });
  for (const job of [running, before])
    expect(await plane.ended(job)).toMatchObject({ state: 'succeeded', result: { status: 'deleted' } });
});

/** Six requests at once, and every job that there is of the module when they have ended. */
async function askSixTimes(module: string): Promise<{ asked: Set<string>; jobs: Set<string> }> {
  const asked = await Promise.all(Array.from({ length: 6 }, () => plane.refresh(module)));
  const rows = await plane.database.admin<{ id: string }>(
    `SELECT id FROM job WHERE type = 'module_refresh' AND resource_id = '${module}'`,
  );
  return { asked: new Set(asked.map(({ id }) => id)), jobs: new Set(rows.map(({ id }) => id)) };
}

test('six equal refreshes at once are one job while none can be begun', async () => {
  const waiting: (() => void)[] = [];
  plane.answers.set('/late', (request, response) => {
    waiting.push(() => void serves('11.0.0.0/24')(request, response));
  });
  const busy = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const module = await addModule({ name, type: 'CDN_SOURCES' });
      await addSource(module, '/late');
      return plane.refresh(module);
    }),
  );
  await waitFor(() => waiting.length === 2, { what: 'both places of the tenant to be taken' });
  const { asked, jobs } = await askSixTimes(await addModule({ name: 'once' }));
  expect(jobs).toEqual(asked);
  expect(asked.size).toBe(1);
  for (const answer of waiting) answer();
  await Promise.all(busy.map((job) => plane.succeeded(job)));
  const [only] = asked;
  expect(await plane.ended({ id: only! })).toMatchObject({ state: 'succeeded' });
});

test('six equal refreshes at once are at most one that waits, beside those that were begun before they were asked for', async () => {
  const module = await addModule({ name: 'at once', type: 'CDN_SOURCES' });
  const waiting: (() => void)[] = [];
  plane.answers.set('/held', (request, response) => {
    waiting.push(() => void serves('11.0.0.0/24')(request, response));
  });
  await addSource(module, '/held');
  const begun = await plane.refresh(module);
  await waitFor(() => waiting.length === 1, { what: 'the source to be asked' });
  const { asked, jobs } = await askSixTimes(module);
  expect(asked).not.toContain(begun.id);
  expect(jobs).toEqual(new Set([begun.id, ...asked]));
  expect(asked.size).toBe(1);
  plane.answers.set('/held', serves('11.0.0.0/24'));
  for (const answer of waiting) answer();
  const [later] = asked;
  for (const id of [begun.id, later!])
    expect(await plane.ended({ id })).toMatchObject({ state: 'succeeded' });
});

test('jobs that ended well show all of it as done', async () => {
  const module = await addModule({ name: 'progress' });
  await plane.succeeded(await plane.refresh(module));
  const ended = (await plane.run((tx) => listJobs(tx, { limit: 500 }))).items.filter(
    ({ state }) => state === 'succeeded',
  );
  expect(ended.length).toBeGreaterThan(0);
  for (const { progress } of ended) expect(progress?.done).toBe(progress?.total);
});
