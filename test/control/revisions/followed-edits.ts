/** Lists whose edits a scheduler follows: what is pending, and what has been made of it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import { changeIpRangeEntry } from '../../../src/control/entries/ip-range-entries.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { createJobQueue, startBoss } from '../../../src/jobs/queue.ts';
import { startScheduler } from '../../../src/jobs/scheduler.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { countPending, PENDING_CHANNEL } from '../../../src/store/modules/pending-changes.ts';
import { listRevisions } from '../../../src/store/revisions/revisions.ts';
import { findNewestRevision } from '../../../src/store/revisions/stored-revisions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { useLists } from '../lists-scene.ts';

type Lists = ReturnType<typeof useLists>;

/** They are there from `beforeAll` on; each test begins without a module, and with nothing pending. */
export function useFollowedEdits() {
  const lists = useLists();
  const faults: unknown[] = [];
  const closes: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    const boss = await startBoss(lists.plane.database.address, () => undefined);
    closes.unshift(() => boss.stop({ graceful: false }));
    const { db } = lists.plane.database;
    const onFault = (_tenant: string | null, error: unknown): unknown => faults.push(error);
    const scheduler = startScheduler({ db, queue: createJobQueue(boss), onFault });
    closes.unshift(() => scheduler.close());
    const hints = db.listen(PENDING_CHANNEL, () => scheduler.hint());
    closes.unshift(() => hints.close());
  });
  afterAll(async () => {
    for (const close of closes) await close();
  });
  const edits = followedEdits(lists);
  beforeEach(async () => {
    await lists.plane.deleteModules();
    await lists.plane.run((tx) =>
      changeSettings(tx, { auto_revision: null, default_community_id: null, auto_apply: false }),
    );
    await edits.settled();
  });
  afterEach(() => {
    expect(faults.splice(0)).toEqual([]);
  });
  return { lists, ...edits };
}

function followedEdits(lists: Lists) {
  const pending = () => lists.plane.run(countPending);
  const newest = () => lists.plane.run(findNewestRevision);
  const revisions = async (): Promise<Revision[]> =>
    (await lists.plane.run((tx) => listRevisions(tx, { limit: 500 }))).items;
  const jobs = async (type: Job['type']): Promise<Job[]> =>
    (await lists.plane.run((tx) => listJobs(tx, { type, limit: 500 }))).items;

  /** Waits until nothing is pending and no job is under way. @returns the routes of the newest revision */
  async function settled(): Promise<Record<string, readonly string[]>> {
    await waitFor(async () => (await pending()).count === 0, { what: 'the edits to be in a revision' });
    await lists.plane.idle();
    const revision = await newest();
    return revision === null ? {} : lists.plane.routes(revision.id);
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

  const changeRange = (module: string, id: string, patch: object) =>
    lists.plane.run((tx) => changeIpRangeEntry(tx, module, id, patch, null));

  return { pending, newest, jobs, settled, during, changeRange };
}
