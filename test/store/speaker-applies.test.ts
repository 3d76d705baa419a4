/** Revisions by number, and applies of them at speakers. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishApply, listAppliesOf, startNextApply } from '../../src/store/rollout/applies.ts';
import { insertJob, requestJobCancel } from '../../src/store/jobs/jobs.ts';
import { startJob } from '../../src/store/jobs/job-runs.ts';
import { supersedeCancelled } from '../../src/store/rollout/rollouts.ts';
import { getSpeaker } from '../../src/store/speakers/speakers.ts';
import { emptyTable } from '../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import { storeTable } from '../../src/store/contents/contents.ts';
import { getRevision, insertRevision } from '../../src/store/revisions/revisions.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { queueApplies } from './queue-applies.ts';
import { holdSpeakers, type Run, speakersOf } from './speaker-tenants.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const tenantWith = (...names: string[]) => speakersOf(database, ...names);
const hold = (holder?: string) => holdSpeakers(database, holder);

async function makeRevision(run: Run): Promise<string> {
  const prefix_count = { ipv4: 0, ipv6: 0 };
  const trigger = { kind: 'manual', module_id: null, job_id: null, actor: null } as const;
  const revision = await run(async (tx) => {
    const content_hash = await storeTable(tx, encodeTable(emptyTable()), prefix_count);
    const rest = { parent_id: null, rollback_of: null, trigger, prefix_count, communities: [], warnings: [] };
    return insertRevision(tx, { state: 'ready', content_hash, ...rest });
  });
  return revision.id;
}

test('numbers of revisions have no gaps, however many are made at once and however many fail', async () => {
  const { run } = await tenantWith();
  const failing = run(async (tx) => {
    await tx.sql.updateTable('tenant').set({ last_revision_number: 1 }).execute();
    throw new RangeError('no');
  });
  await expect(failing).rejects.toThrow(RangeError);
  const ids = await Promise.all(Array.from({ length: 8 }, () => makeRevision(run)));
  const revisions = await Promise.all(ids.map((id) => run((tx) => getRevision(tx, id))));
  expect(revisions.map(({ resource }) => resource.number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('an apply is queued once, started once, ended once, and moves the speaker when it ends well', async () => {
  const { run, speakers } = await tenantWith('one', 'two');
  const [one, two] = speakers as [string, string];
  const holder = randomUUID();
  await hold(holder);
  const revisionId = await makeRevision(run);
  const job = await run((tx) =>
    insertJob(tx, { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null }),
  );
  const targets = [one, two].map((speakerId) => ({ speakerId, revisionId }));
  await run((tx) => queueApplies(tx, job.id, targets));
  await run((tx) => queueApplies(tx, job.id, targets));
  const started = (await run((tx) => startNextApply(tx, one, holder)))!;
  expect(started).toMatchObject({ state: 'running', revision_id: revisionId });
  expect((await run((tx) => startNextApply(tx, one, holder)))!.id).toBe(started.id);
  expect((await run((tx) => getSpeaker(tx, one))).resource.last_apply).toMatchObject({
    status: 'running',
    job_id: job.id,
  });
  await run((tx) =>
    finishApply(tx, started, holder, { announced: 3, withdrawn: 2, changed: 1, sessions: [] }),
  );
  await run((tx) => finishApply(tx, started, holder, { code: null, error: 'a holder that came too late' }));
  expect(await run((tx) => startNextApply(tx, one, holder))).toBeNull();
  const { resource } = await run((tx) => getSpeaker(tx, one));
  expect(resource).toMatchObject({
    applied_revision_id: revisionId,
    last_apply: { status: 'ok', error: null },
  });
  expect((await run((tx) => getRevision(tx, revisionId))).resource.applied_on).toMatchObject([
    { speaker_id: one },
  ]);
  const states = async () => (await run((tx) => listAppliesOf(tx, job.id))).map(({ state }) => state);
  await run((tx) => startJob(tx, job.id, randomUUID()));
  await run((tx) => supersedeCancelled(tx, job.id));
  expect(await states()).toEqual(['succeeded', 'queued']);
  await run((tx) => requestJobCancel(tx, job.id));
  await run((tx) => supersedeCancelled(tx, job.id));
  expect(await states()).toEqual(['succeeded', 'superseded']);
});

test('an apply that fails leaves the speaker where it was, and says why', async () => {
  const { run, speakers } = await tenantWith('one');
  const holder = randomUUID();
  await hold(holder);
  const revisionId = await makeRevision(run);
  const job = await run((tx) =>
    insertJob(tx, { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null }),
  );
  await run((tx) => queueApplies(tx, job.id, [{ speakerId: speakers[0]!, revisionId }]));
  const started = (await run((tx) => startNextApply(tx, speakers[0]!, holder)))!;
  await run((tx) => finishApply(tx, started, holder, { code: null, error: 'The daemon refused.' }));
  const { resource } = await run((tx) => getSpeaker(tx, speakers[0]!));
  expect(resource).toMatchObject({
    applied_revision_id: null,
    last_apply: { status: 'failed', error: 'The daemon refused.' },
  });
});
