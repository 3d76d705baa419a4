/** Refreshes at the same time, of one module or of several, and those that are cancelled. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import { cancelJob } from '../../../src/control/rollout/cancel-job.ts';
import { getCdnSource } from '../../../src/store/entries/cdn-sources.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { listRevisions } from '../../../src/store/revisions/revisions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { useLists } from '../lists-scene.ts';

const lists = useLists();
const { addModule, addSource, refreshed } = lists;
beforeEach(() => lists.plane.deleteModules());

/** A source that keeps who asks waiting until it is let go. */
function gate(path: string, body: string): { readonly asked: () => number; open(): void } {
  let asked = 0;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  lists.plane.answers.set(path, (_request, response) => {
    asked++;
    void opened.then(() => response.writeHead(200, { 'content-type': 'text/plain' }).end(body));
  });
  return { asked: () => asked, open };
}

async function isSlow(jobs: readonly Job[]): Promise<boolean> {
  const ended = await Promise.all(jobs.map(({ id }) => lists.plane.job(id)));
  return ended.some(
    ({ started_at: began, finished_at: end }) => Date.parse(end!) - Date.parse(began!) > 4_000,
  );
}

describe('refreshes at the same time', () => {
  test('of two modules build one revision, and lose nothing', async () => {
    const one = await addModule({ name: 'one', type: 'CDN_SOURCES' });
    const two = await addModule({ name: 'two', type: 'CDN_SOURCES', community_id: lists.blue });
    await addSource(one, '/one');
    await addSource(two, '/two');
    // One that runs for more than five seconds is not waited for, so on a busy machine they may have to try again.
    for (let n = 1; ; n++) {
      const [a, b] = [gate('/one', `11.0.${n}.0/24`), gate('/two', `12.0.${n}.0/24`)];
      const jobs = [await lists.plane.refresh(one), await lists.plane.refresh(two)];
      await waitFor(() => a.asked() === 1 && b.asked() === 1, { what: 'both refreshes to fetch' });
      a.open();
      b.open();
      const [first, second] = await Promise.all(jobs.map((job) => lists.plane.succeeded(job)));
      const { items } = await lists.plane.run((tx) => listRevisions(tx, { limit: 1 }));
      expect(await lists.plane.routes(items[0]!.id)).toEqual({
        [`11.0.${n}.0/24`]: ['64500:1'],
        [`12.0.${n}.0/24`]: ['64500:2'],
      });
      if (await isSlow(jobs)) continue;
      expect(first!.revision_id).toBe(second!.revision_id);
      break;
    }
  });

  test('of one module: the one that ends last does not undo what it never saw', async () => {
    const module = await addModule({ name: 'overlap', type: 'CDN_SOURCES' });
    lists.plane.answers.set('/flaky', serves('11.0.0.0/24'));
    lists.plane.answers.set('/other', serves('12.0.0.0/24'));
    await addSource(module, '/flaky');
    const other = await addSource(module, '/other');
    await refreshed(module);
    // The first refresh hangs at one source, and the other fails it.
    let fail = (): void => undefined;
    let asked = 0;
    lists.plane.answers.set('/flaky', (_request, response) => {
      asked++;
      fail = () => void response.writeHead(500).end();
    });
    const slow = await lists.plane.refresh(module);
    await waitFor(() => asked === 1, { what: 'the slow refresh to ask' });
    // Meanwhile another one reads both anew, and a source that the first has never heard of.
    lists.plane.answers.set('/flaky', serves('21.0.0.0/24'));
    lists.plane.answers.set('/other', serves('22.0.0.0/24'));
    lists.plane.answers.set('/added', serves('23.0.0.0/24'));
    await addSource(module, '/added');
    await refreshed(module);
    fail();
    const result = await lists.plane.succeeded(slow);
    const routes = await lists.plane.routes(String(result.revision_id));
    expect(Object.keys(routes)).toEqual(expect.arrayContaining(['21.0.0.0/24', '23.0.0.0/24']));
    expect(Object.keys(routes)).not.toContain('11.0.0.0/24');
    const { resource } = await lists.plane.run((tx) => getCdnSource(tx, module, other));
    expect(resource.status).toBe('ok');
  });
});

describe('cancelling a refresh', () => {
  test('one that runs stops reading and leaves no trace; one that waits never begins', async () => {
    const modules = await Promise.all(
      ['x', 'y', 'z'].map((name) => addModule({ name, type: 'CDN_SOURCES' })),
    );
    const gates = ['/x', '/y', '/z'].map((path) => gate(path, '11.0.0.0/24'));
    for (const [index, path] of ['/x', '/y', '/z'].entries()) await addSource(modules[index]!, path);
    const revisions = (await lists.plane.run((tx) => listRevisions(tx, { limit: 500 }))).items.length;
    // Two jobs of a tenant run side by side; the third waits.
    const jobs: Job[] = [];
    for (const id of modules) jobs.push(await lists.plane.refresh(id));
    await waitFor(() => gates.filter((one) => one.asked() === 1).length === 2, {
      what: 'two refreshes to run',
    });
    const found = await Promise.all(jobs.map(({ id }) => lists.plane.job(id)));
    found.sort((a, b) => (a.state < b.state ? -1 : 1));
    expect(found.map(({ state }) => state)).toEqual(['queued', 'running', 'running']);

    // The one that waits first: it would begin as soon as one that runs has ended.
    for (const { id } of found) {
      const { resource } = await lists.plane.run((tx) => cancelJob(tx, id));
      const waited = resource.started_at === null;
      expect(resource.state).toBe(waited ? 'cancelled' : 'running');
    }
    for (const job of jobs)
      expect(await lists.plane.ended(job)).toMatchObject({ state: 'cancelled', error: null, result: null });
    await lists.plane.lists.deserted(); // what was being read has been hung up
    expect(gates.reduce((sum, one) => sum + one.asked(), 0)).toBe(2);
    expect((await lists.plane.run((tx) => listRevisions(tx, { limit: 500 }))).items.length).toBe(revisions);
    for (const id of modules)
      expect((await lists.plane.run((tx) => getModule(tx, id))).resource.last_refresh).toBeNull();
    await expect(lists.plane.run((tx) => cancelJob(tx, jobs[0]!.id))).rejects.toMatchObject({
      code: 'job_finished',
    });
    for (const one of gates) one.open();
  });
});
