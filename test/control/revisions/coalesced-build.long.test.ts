import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import { cancelJob } from '../../../src/control/rollout/cancel-job.ts';
import { requestRevision } from '../../../src/control/collection/follow-edits.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { listRevisions } from '../../../src/store/revisions/revisions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.close());
beforeEach(() => plane.deleteModules());

interface GatedModule {
  readonly id: string;
  readonly asked: () => number;
  readonly open: () => void;
}

/** A module of one source that answers this prefix once its gate is open. */
async function addModule(name: string, prefix: string): Promise<GatedModule> {
  const { id } = (await plane.run((tx) => createModule(tx, { name, type: 'CDN_SOURCES' }))).resource;
  const source = { name, url: `${plane.lists.origin}/${name}` };
  await plane.run((tx) => createCdnSources(tx, plane.context, id, [source], () => ''));
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const answer = serves(prefix);
  plane.answers.set(`/${name}`, (request, response) => {
    asked++;
    void gate.promise.then(() => answer(request, response));
  });
  return { id, asked: () => asked, open: () => gate.resolve() };
}

const revisions = async (): Promise<Revision[]> => [
  ...(await plane.run((tx) => listRevisions(tx, { limit: 500, sort: 'number' }))).items,
];
const builds = async (): Promise<Job[]> => [
  ...(await plane.run((tx) => listJobs(tx, { type: 'revision_build', limit: 500, sort: 'created_at' })))
    .items,
];

/** The prefixes of the one revision that has come since there were `before`. */
async function builtSince(before: number): Promise<string[]> {
  const made = (await revisions()).slice(before);
  expect(made).toHaveLength(1);
  return Object.keys(await plane.routes(made[0]!.id));
}

test('a refresh alone builds its revision itself', async () => {
  const { id, open } = await addModule('alone', '11.0.0.0/24');
  open();
  const job = await plane.ended(await plane.refresh(id));
  expect(job.result).toMatchObject({ revision_id: expect.any(String) as string, status: 'ok' });
  expect(job.result).not.toHaveProperty('build_job_id');
  expect(await builds()).toEqual([]);
});

test('twelve at once build one revision, which each of them leads to', async () => {
  const before = (await revisions()).length;
  const modules: GatedModule[] = [];
  for (let i = 0; i < 12; i++) modules.push(await addModule(`m${i}`, `11.0.${2 * i}.0/24`));
  const jobs = await Promise.all(modules.map(({ id }) => plane.refresh(id)));
  await waitFor(() => modules.filter((module) => module.asked() > 0).length >= 2, { what: 'two to begin' });
  for (const { open } of modules) open();
  const ended = await Promise.all(jobs.map((job) => plane.ended(job)));
  const named = new Set(ended.map(({ result }) => result!.build_job_id));
  expect(named.size).toBe(1);
  expect(ended[0]!.result).toMatchObject({ revision_id: null, apply_job_id: null, status: 'ok' });
  const built = await plane.succeeded({ id: String([...named][0]) });
  expect(await builtSince(before)).toHaveLength(12);
  const revision = (await revisions()).at(-1)!;
  expect(built.revision_id).toBe(revision.id);
  expect(revision.trigger).toMatchObject({ kind: 'refresh', module_id: null, actor: 'key:test' });
});

test('when the last one is cancelled, or fails, the others have their revision', async () => {
  const before = (await revisions()).length;
  const [good, cancelled, failing] = [
    await addModule('good', '12.0.0.0/24'),
    await addModule('cancelled', '12.0.2.0/24'),
    await addModule('failing', '12.0.4.0/24'),
  ];
  const jobs = [await plane.refresh(good.id), await plane.refresh(cancelled.id)];
  await waitFor(() => good.asked() === 1 && cancelled.asked() === 1, { what: 'both to fetch' });
  const waiting = await plane.refresh(failing.id);
  good.open();
  const { result } = await plane.ended(jobs[0]!);
  expect(result).toMatchObject({ revision_id: null });
  // The source of the third answers nothing of use; the second is stopped while it reads.
  plane.answers.set('/failing', (_, response) => response.writeHead(500).end());
  await plane.run((tx) => cancelJob(tx, jobs[1]!.id));
  expect((await plane.ended(waiting)).state).toBe('failed');
  expect((await plane.ended(jobs[1]!)).state).toBe('cancelled');
  await plane.succeeded({ id: String(result!.build_job_id) });
  expect(await builtSince(before)).toEqual(['12.0.0.0/24']);
  cancelled.open();
});

test('a source that hangs keeps nobody else waiting, and its own revision follows', async () => {
  const before = (await revisions()).length;
  const [quick, slow] = [await addModule('quick', '13.0.0.0/24'), await addModule('slow', '13.0.2.0/24')];
  const hanging = await plane.refresh(slow.id);
  await waitFor(() => slow.asked() === 1, { what: 'the slow one to fetch' });
  quick.open();
  await plane.succeeded(await plane.refresh(quick.id));
  expect(await builtSince(before)).toEqual(['13.0.0.0/24']);
  expect((await plane.job(hanging.id)).state).toBe('running');
  slow.open();
  await plane.succeeded(hanging);
  expect(await builtSince(before + 1)).toEqual(['13.0.0.0/24', '13.0.2.0/24']);
});

test('one that ends while the revision is being built is not forgotten', async () => {
  const modules: GatedModule[] = [];
  for (let i = 0; i < 6; i++) modules.push(await addModule(`late${i}`, `14.0.${2 * i}.0/24`));
  const jobs: Job[] = [];
  for (const { id, open } of modules) {
    open();
    jobs.push(await plane.refresh(id));
    await new Promise((resolve) => setTimeout(resolve, 60)); // so that some end while the build runs
  }
  await Promise.all(jobs.map((job) => plane.succeeded(job)));
  const last = (await revisions()).at(-1)!;
  expect(Object.keys(await plane.routes(last.id))).toHaveLength(6);
});

test('a build that finds all of it in the newest revision names the apply of that which has not ended', async () => {
  const body = {
    name: 'of an apply',
    type: 'IP_RANGES',
    community_id: await plane.addCommunity('64500:9'),
  } as const;
  const { id } = (await plane.run((tx) => createModule(tx, body))).resource;
  await plane.addSpeaker('nobody holds it');
  await plane.run((tx) => changeSettings(tx, { auto_apply: true }));
  await plane.run((tx) => createIpRangeEntries(tx, id, [{ cidr: '45.0.1.0/24' }], () => ''));
  const build = async () =>
    (await plane.ended(await plane.run((tx) => requestRevision(tx, plane.context)))).result;
  const first = await build();
  expect(first).toMatchObject({ revision_created: true, apply_job_id: expect.any(String) as string });
  const { revision_id: revisionId, apply_job_id: applyId } = first as {
    revision_id: string;
    apply_job_id: string;
  };
  expect(await build()).toMatchObject({
    revision_id: revisionId,
    revision_created: false,
    apply_job_id: applyId,
  });
  await plane.run((tx) => cancelJob(tx, applyId));
});
