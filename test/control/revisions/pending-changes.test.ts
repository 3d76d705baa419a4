import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { ModuleCreate, ModulePatch } from '../../../src/api/lists/modules.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import { requestRevision } from '../../../src/control/collection/follow-edits.ts';
import { changeCommunity } from '../../../src/control/tenants/communities.ts';
import { changeCdnSource, createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { importEntries } from '../../../src/control/entries/import-entries.ts';
import { changeIpRangeEntry, createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeModule, createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { createJobQueue, startBoss } from '../../../src/jobs/queue.ts';
import { startScheduler, type Scheduler } from '../../../src/jobs/scheduler.ts';
import type { Subscription } from '../../../src/store/database/listener.ts';
import { deleteIpRangeEntry } from '../../../src/store/entries/ip-range-entries.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { deleteModule, getModule } from '../../../src/store/modules/modules.ts';
import { compactPending, countPending, PENDING_CHANNEL } from '../../../src/store/modules/pending-changes.ts';
import { findNewestRevision, listRevisions } from '../../../src/store/revisions/revisions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { isThorough } from '../../fuzz.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
let red: string;
let blue: string;
let scheduler: Scheduler | null = null;
let hints: Subscription | null = null;
let closeBoss = (): Promise<void> => Promise.resolve();
const faults: unknown[] = [];

beforeAll(async () => {
  plane = await startPlane();
  red = await plane.addCommunity('64500:1');
  blue = await plane.addCommunity('64500:2');
  const boss = await startBoss(plane.database.address, () => undefined);
  closeBoss = () => boss.stop({ graceful: false });
  const { db } = plane.database;
  const onFault = (_tenant: string | null, error: unknown): unknown => faults.push(error);
  scheduler = startScheduler({ db, queue: createJobQueue(boss), onFault });
  hints = db.listen(PENDING_CHANNEL, () => scheduler?.hint());
});
afterAll(async () => {
  hints?.close();
  await scheduler?.close();
  await closeBoss();
  await plane?.close();
});
beforeEach(async () => {
  await plane.deleteModules();
  await plane.run((tx) =>
    changeSettings(tx, { auto_revision: null, default_community_id: null, auto_apply: false }),
  );
  await settled();
});
afterEach(() => {
  expect(faults.splice(0)).toEqual([]);
});

const pending = () => plane.run(countPending);
const newest = async (): Promise<Revision | null> => plane.run(findNewestRevision);
const revisions = async (): Promise<Revision[]> =>
  (await plane.run((tx) => listRevisions(tx, { limit: 500 }))).items;
const jobs = async (type: Job['type']): Promise<Job[]> =>
  (await plane.run((tx) => listJobs(tx, { type, limit: 500 }))).items;

/** Waits until nothing is pending and no job is under way. @returns the routes of the newest revision */
async function settled(): Promise<Record<string, readonly string[]>> {
  await waitFor(async () => (await pending()).count === 0, { what: 'the edits to be in a revision' });
  await plane.idle();
  const revision = await newest();
  return revision === null ? {} : plane.routes(revision.id);
}

/** What was added meanwhile. */
async function during(work: () => Promise<unknown>) {
  const [before, refreshes] = [await revisions(), await jobs('module_refresh')];
  await work();
  const routes = await settled();
  return {
    routes,
    revisions: (await revisions()).filter(({ id }) => before.every((old) => old.id !== id)),
    refreshes: (await jobs('module_refresh')).length - refreshes.length,
  };
}

async function addModule(body: Partial<ModuleCreate> & Pick<ModuleCreate, 'name'>): Promise<string> {
  const whole = { type: 'IP_RANGES', community_id: red, ...body } as const;
  return (await plane.run((tx) => createModule(tx, whole))).resource.id;
}
async function addRanges(moduleId: string, ...cidrs: string[]): Promise<string[]> {
  const bodies = cidrs.map((cidr) => ({ cidr }));
  const made = await plane.run((tx) => createIpRangeEntries(tx, moduleId, bodies, () => ''));
  return made.map(({ resource }) => resource.id);
}
async function addSource(moduleId: string, path: string): Promise<string> {
  const body = { name: path, url: plane.lists.origin + path };
  const [made] = await plane.run((tx) => createCdnSources(tx, plane.context, moduleId, [body], () => ''));
  return made!.resource.id;
}
const change = (id: string, patch: ModulePatch) => plane.run((tx) => changeModule(tx, id, patch, null));
const changeRange = (module: string, id: string, patch: object) =>
  plane.run((tx) => changeIpRangeEntry(tx, module, id, patch, null));

describe('an edit leads to a revision by itself', () => {
  test('a range that is added, disabled, enabled, given another community, deleted', async () => {
    const module = await addModule({ name: 'ranges' });
    const added = await during(() => addRanges(module, '11.0.0.1/32', '12.0.0.0/24'));
    expect(added.routes).toEqual({ '11.0.0.1/32': ['64500:1'], '12.0.0.0/24': ['64500:1'] });
    expect(added.revisions).toMatchObject([{ trigger: { kind: 'edit', actor: 'auto:scheduler' } }]);
    const [id] = await addRanges(module, '13.0.0.0/24');
    await settled();
    expect((await during(() => changeRange(module, id!, { enabled: false }))).routes).not.toHaveProperty(
      '13.0.0.0/24',
    );
    expect(
      (await during(() => changeRange(module, id!, { enabled: true, community_id: blue }))).routes,
    ).toMatchObject({
      '13.0.0.0/24': ['64500:2'],
    });
    const removed = await during(() => plane.run((tx) => deleteIpRangeEntry(tx, module, id!, null)));
    expect(removed).toMatchObject({ routes: added.routes, refreshes: 0 });
    expect(removed.revisions).toHaveLength(1);
  });

  test('whose edits they are, the revision says: of one, of several, and of nobody', async () => {
    const { database, tenantId } = plane;
    const module = await addModule({ name: 'signed' });
    const add = (cidr: string, actor: string) =>
      database.db.inTenant(
        tenantId,
        (tx) => createIpRangeEntries(tx, module, [{ cidr }], () => ''),
        undefined,
        actor,
      );
    const asked = async (job: Job['type']) => (await jobs(job))[0]!.requested_by;
    const one = await during(() => add('11.0.0.0/24', "key:maria's \\ night"));
    expect(one.revisions).toMatchObject([{ trigger: { kind: 'edit', actor: "key:maria's \\ night" } }]);
    expect(await asked('module_refresh')).toBe("key:maria's \\ night");
    const several = await during(async () => {
      for (const [at, name] of ['b', 'a', 'c', 'a'].entries())
        await add(`12.0.${at * 2}.0/24`, `key:${name}`);
    });
    expect(several.revisions).toHaveLength(1);
    expect(several.revisions).toMatchObject([{ trigger: { actor: 'key:a and 2 more' } }]);
    const nobody = await during(() => addRanges(module, '13.0.0.0/24'));
    expect(nobody.revisions).toMatchObject([{ trigger: { actor: 'auto:scheduler' } }]);
  });

  test('a module that is disabled, enabled, given another community, other families, another purpose, deleted', async () => {
    const module = await addModule({ name: 'whole' });
    const other = await addModule({ name: 'other', community_id: blue });
    await addRanges(module, '11.0.0.0/24', '2600:11::/32');
    await addRanges(other, '11.0.0.0/23');
    const all = await settled();
    expect(Object.keys(all)).toHaveLength(3);
    const routesAfter = async (patch: ModulePatch) => (await during(() => change(module, patch))).routes;
    expect(await routesAfter({ enabled: false })).toEqual({ '11.0.0.0/23': ['64500:2'] });
    expect(await routesAfter({ enabled: true })).toEqual(all);
    expect(await routesAfter({ community_id: blue })).toEqual({
      '11.0.0.0/23': ['64500:2'],
      '2600:11::/32': ['64500:2'],
    });
    expect(await routesAfter({ families: ['ipv4'] })).toEqual({ '11.0.0.0/23': ['64500:2'] });
    expect(await routesAfter({ purpose: 'exclude' })).toEqual({ '11.0.1.0/24': ['64500:2'] });
    expect((await during(() => plane.run((tx) => deleteModule(tx, module, null)))).routes).toEqual({
      '11.0.0.0/23': ['64500:2'],
    });
  });

  test('the value of a community, and the default community', async () => {
    const module = await addModule({ name: 'labelled', community_id: null });
    await addRanges(module, '11.0.0.0/24');
    expect(await settled()).toEqual({ '11.0.0.0/24': [] });
    const green = await plane.addCommunity('64500:3');
    const settings = await during(() =>
      plane.run((tx) => changeSettings(tx, { default_community_id: green })),
    );
    expect(settings.routes).toEqual({ '11.0.0.0/24': ['64500:3'] });
    const renamed = await during(() =>
      plane.run((tx) => changeCommunity(tx, plane.context, green, { community: '64500:33' }, null)),
    );
    expect(renamed.routes).toEqual({ '11.0.0.0/24': ['64500:33'] });
  });

  test('a source that is added, pointed elsewhere, disabled and enabled is collected by itself', async () => {
    plane.answers.set('/one', serves('11.0.0.0/24'));
    plane.answers.set('/two', serves('12.0.0.0/24'));
    const module = await addModule({ name: 'sources', type: 'CDN_SOURCES' });
    let id = '';
    const added = await during(async () => (id = await addSource(module, '/one')));
    expect(added).toMatchObject({ routes: { '11.0.0.0/24': ['64500:1'] }, refreshes: 1 });
    const edit = (patch: object) => () =>
      plane.run((tx) => changeCdnSource(tx, plane.context, module, id, patch, null));
    expect((await during(edit({ url: `${plane.lists.origin}/two` }))).routes).toEqual({
      '12.0.0.0/24': ['64500:1'],
    });
    expect((await during(edit({ enabled: false }))).routes).toEqual({});
    expect((await during(edit({ enabled: true }))).routes).toEqual({ '12.0.0.0/24': ['64500:1'] });
  });

  test('many at once are one revision; an import is one as well', async () => {
    const [one, two] = [
      await addModule({ name: 'one' }),
      await addModule({ name: 'two', community_id: blue }),
    ];
    const both = await during(() =>
      Promise.all([
        addRanges(one, '11.0.0.0/24'),
        addRanges(two, '12.0.0.0/24'),
        addRanges(one, '13.0.0.0/24'),
      ]),
    );
    expect(Object.keys(both.routes)).toHaveLength(3);
    expect(both.revisions).toHaveLength(1);
    const imported = isThorough ? 20_000 : 2_000;
    const lines = Array.from(
      { length: imported },
      (_, i) => `${20 + (i >> 15)}.${(i >> 7) & 255}.${(i & 127) * 2}.0/24`,
    );
    const csv = Buffer.from(`cidr\n${lines.join('\n')}\n`);
    const after = await during(() =>
      plane.run(async (tx) => {
        await importEntries(tx, one, csv, { mode: 'append', dryRun: false });
        expect((await countPending(tx)).count).toBe(imported);
      }),
    );
    expect(after.revisions).toMatchObject([{ prefix_count: { ipv4: imported + 3 } }]);
  });
});

describe('no revision follows', () => {
  test('what changes nothing that is announced is not pending', async () => {
    const module = await addModule({ name: 'quiet' });
    const [id] = await addRanges(module, '11.0.0.0/24');
    const off = await addModule({ name: 'off', enabled: false });
    const unused = await plane.addCommunity('64500:9');
    await settled();
    const quiet = await during(async () => {
      await change(module, { name: 'still', description: 'words', refresh_interval_seconds: 3600 });
      await changeRange(module, id!, { note: 'words' });
      await changeRange(module, id!, { enabled: true });
      await addRanges(off, '12.0.0.0/24');
      await change(off, { purpose: 'exclude' });
      await plane.run((tx) => deleteModule(tx, off, null));
      await plane.run((tx) => changeCommunity(tx, plane.context, red, { title: 'words' }, null));
      await plane.run((tx) => changeCommunity(tx, plane.context, unused, { community: '64500:99' }, null));
      await plane.run((tx) => changeSettings(tx, { deploy_wave_size: 3 }));
      expect(await pending()).toEqual({ count: 0, since: null });
    });
    expect(quiet).toMatchObject({ revisions: [], refreshes: 0 });
  });

  test('nor when an edit is taken back before', async () => {
    const module = await addModule({ name: 'back' });
    const [id] = await addRanges(module, '11.0.0.0/24');
    await settled();
    const back = await during(async () => {
      await changeRange(module, id!, { enabled: false });
      await changeRange(module, id!, { enabled: true });
      await change(module, { enabled: false });
      await change(module, { enabled: true });
      const [more] = await addRanges(module, '12.0.0.0/24');
      await plane.run((tx) => deleteIpRangeEntry(tx, module, more!, null));
    });
    expect(back.revisions).toEqual([]);
  });

  test('while auto_revision is off: edits are counted until one is built on request', async () => {
    await plane.run((tx) => changeSettings(tx, { auto_revision: false }));
    const module = await addModule({ name: 'by hand' });
    const before = await newest();
    await addRanges(module, '11.0.0.0/24', '12.0.0.0/24');
    await change(module, { community_id: blue });
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // for a revision that must not come
    expect((await newest())?.id).toBe(before?.id);
    const { count, since } = await pending();
    expect(count).toBe(3);
    expect(Date.parse(since!)).toBeLessThan(Date.now());
    const { pending_changes: shown } = (await plane.run((tx) => getModule(tx, module))).resource;
    expect(shown).toEqual({ count, since });

    const job = await plane.run((tx) => requestRevision(tx, plane.context));
    const { result } = await plane.ended(job);
    expect(result).toMatchObject({ revision_created: true, content_changed: true });
    const made = await plane.revision(String(result!.revision_id));
    expect(made.trigger).toEqual({ kind: 'manual', module_id: null, job_id: job.id, actor: 'key:test' });
    expect(await plane.routes(made.id)).toEqual({ '11.0.0.0/24': ['64500:2'], '12.0.0.0/24': ['64500:2'] });
    expect(await pending()).toEqual({ count: 0, since: null });

    const again = await plane.ended(await plane.run((tx) => requestRevision(tx, plane.context)));
    expect(again.result).toMatchObject({
      ...{ revision_id: made.id, number: made.number },
      ...{ revision_created: false, content_changed: false, apply_job_id: null },
    });
  });
});

test('while auto_revision is off: a revision that another module is refreshed for holds both halves of a move', async () => {
  await plane.run((tx) => changeSettings(tx, { auto_revision: false }));
  const [own, other, third] = [
    await addModule({ name: 'own' }),
    await addModule({ name: 'other' }),
    await addModule({ name: 'third' }),
  ];
  await addRanges(other, '11.0.0.0/24');
  await addRanges(third, '12.0.0.0/24');
  await plane.ended(await plane.run((tx) => requestRevision(tx, plane.context)));
  await settled();
  await addRanges(own, '11.0.0.0/24');
  const [{ id } = { id: '' }] = await plane.database.admin<{ id: string }>(
    'SELECT id FROM ip_range_entry WHERE module_id = $1',
    [other],
  );
  await plane.run((tx) => deleteIpRangeEntry(tx, other, id, null));
  const { revision_id: made } = await plane.succeeded(await plane.refresh(third));
  const routes = ['11.0.0.0/24', '12.0.0.0/24'];
  expect(Object.keys(await plane.routes(String(made))).sort()).toEqual(routes);
  expect(await pending()).toEqual({ count: 0, since: null });
  const { prefix_count: count } = (await plane.run((tx) => getModule(tx, own))).resource;
  expect(count).toEqual({ ipv4: 1, ipv6: 0 });
});

describe('what cannot be collected', () => {
  test('is reported by its entries, and not tried again and again', async () => {
    const module = await addModule({ name: 'gone', type: 'CDN_SOURCES' });
    const { revisions: made, refreshes } = await during(async () => {
      await addSource(module, '/gone');
      await waitFor(async () => (await pending()).count === 0, { what: 'the attempt to end' });
      // For further attempts, which must not come.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
    });
    expect({ made, refreshes }).toEqual({ made: [], refreshes: 1 });
    expect((await plane.run((tx) => getModule(tx, module))).resource.last_refresh?.status).toBe('failed');
  });

  test('keeps nobody waiting: what hangs follows later', async () => {
    let answer = (): void => undefined;
    plane.answers.set('/hangs', (request, response) => {
      answer = () => void serves('15.0.0.0/24')(request, response);
    });
    const slow = await addModule({ name: 'slow', type: 'CDN_SOURCES' });
    const module = await addModule({ name: 'quick' });
    await addSource(slow, '/hangs');
    await addRanges(module, '11.0.0.0/24');
    // However long this takes, the other refresh has just begun, and the build of the edit was asked for two seconds ago.
    const ages = `UPDATE job SET started_at = CASE WHEN type = 'module_refresh' THEN clock_timestamp() ELSE started_at END,
        queued_at = CASE WHEN type = 'revision_build' THEN clock_timestamp() - interval '2 s' ELSE queued_at END
       WHERE tenant_id = '${plane.tenantId}' AND state = 'running'`;
    const isThere = async (): Promise<boolean> => {
      await plane.database.admin(ages);
      return Object.keys(await plane.routes((await newest())!.id)).includes('11.0.0.0/24');
    };
    await waitFor(isThere, { what: 'the revision with the range' });
    expect(await pending()).toMatchObject({ count: 1 });
    answer();
    expect(await settled()).toHaveProperty('15.0.0.0/24');
  });
});

test('edits that nobody builds are added up', async () => {
  await plane.run((tx) => changeSettings(tx, { auto_revision: false }));
  const module = await addModule({ name: 'many' });
  await plane.run((tx) => changeSettings(tx, { default_community_id: red }));
  await plane.database.admin(
    `INSERT INTO pending_change (tenant_id, module_id, needs_collect, needs_build, edits)
     SELECT '${plane.tenantId}', '${module}', i % 2 = 0, true, 2 FROM generate_series(1, 1200) i`,
  );
  const { count, since } = await pending();
  await plane.run(compactPending);
  expect(await pending()).toEqual({ count, since });
  const [{ rows } = { rows: 0 }] = await plane.database.admin<{ rows: number }>(
    `SELECT count(*)::int AS rows FROM pending_change WHERE tenant_id = '${plane.tenantId}'`,
  );
  expect(rows).toBe(3);
});

test('a policy that allows less takes away what was built, and one that allows it again brings it back', async () => {
  const id = await addModule({ name: 'of a policy' });
  await addRanges(id, '45.0.0.0/24');
  const before = await settled();
  const allow = async (prefixes: readonly string[] | null): Promise<void> => {
    const part = JSON.stringify({ allowed_prefixes: prefixes });
    await plane.database.admin('UPDATE tenant SET policy = policy || $2::jsonb WHERE id = $1', [
      plane.tenantId,
      part,
    ]);
    await settled();
  };
  await allow(['46.0.0.0/8']);
  expect(await newest()).toMatchObject({
    state: 'ready',
    prefix_count: { ipv4: 0 },
    quarantined: [{ module_id: id, findings: [{ code: 'tenant_policy', module_id: id }] }],
  });
  await allow(null);
  expect((await newest())?.state).toBe('ready');
  expect(await settled()).toEqual(before);
});
