/** Entries with an end in modules that are held for a slip: whoever deleted them, their routes leave at that end. */
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { expireEntries } from '../../../src/control/collection/expire-entries.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { type Scheduler, startScheduler } from '../../../src/jobs/scheduler.ts';
import { lockTenant } from '../../../src/store/database/locks.ts';
import { forgetExpired, listDueExpiries } from '../../../src/store/entries/expiries.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { waitFor } from '../../daemons/wait.ts';
import { scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
let scheduler: Scheduler | null = null;
const faults: unknown[] = [];
beforeAll(() => {
  plane = guarded.plane;
});
afterEach(async () => {
  await scheduler?.close();
  scheduler = null;
  expect(faults).toEqual([]);
});

const LIST = scattered(200);
const ATTACKED = '46.9.9.9/32';
const HOUR_MS = 3_600_000;

function tools() {
  const { database, context } = plane;
  const onFault = (_tenant: string | null, error: unknown): void => void faults.push(error);
  return { db: database.db, queue: context.queue, onFault };
}

/** What the process of the service does by its clock. */
function start(): void {
  scheduler = startScheduler(tools());
}

/** A module of ranges that speakers run, one of them with an end. */
async function announced(): Promise<string> {
  const moduleId = await guarded.addModule('list', { type: 'IP_RANGES' });
  const attacked = { cidr: ATTACKED, expires_at: new Date(Date.now() + HOUR_MS).toISOString() };
  const ranges = [...LIST.map((cidr) => ({ cidr })), attacked];
  await plane.run((tx) => createIpRangeEntries(tx, moduleId, ranges, () => ''));
  await guarded.set({ guard_max_withdraw_percent: 100 });
  await guarded.refresh(moduleId);
  await guarded.set({ guard_max_withdraw_percent: null });
  expect(await guarded.routes()).toEqual([...LIST, ATTACKED].sort());
  return moduleId;
}

/** Brings the end near, wherever it is written down. */
const endSoon = () =>
  plane.run(async (tx) => {
    const soon = sql<string>`clock_timestamp() + interval '1 second'`;
    const ofEntry = tx.sql.updateTable('ip_range_entry').set({ expires_at: soon });
    const there = await ofEntry.where('expires_at', 'is not', null).executeTakeFirst();
    const remembered = tx.sql.updateTable('past_expiry').set({ at: soon });
    const gone = await remembered.where('is_open', '=', true).executeTakeFirst();
    expect(Number(there.numUpdatedRows + gone.numUpdatedRows)).toBe(1);
  });

const remembered = (moduleId: string) =>
  plane.run((tx) =>
    tx.sql.selectFrom('past_expiry').select('is_open').where('module_id', '=', moduleId).execute(),
  );

const emptied = (id: string) =>
  plane.run((tx) => tx.sql.deleteFrom('ip_range_entry').where('module_id', '=', id).execute());

test.each([
  ['deleted', (id: string) => plane.run((tx) => deleteModule(tx, id, null))],
  ['emptied', emptied],
  ['disabled', (id: string) => plane.run((tx) => changeModule(tx, id, { enabled: false }, null))],
  [
    'without an enabled entry',
    (id: string) =>
      plane.run((tx) =>
        tx.sql.updateTable('ip_range_entry').set({ enabled: false }).where('module_id', '=', id).execute(),
      ),
  ],
])('a module that is held although it is %s loses what has an end at that end', async (_what, slip) => {
  const moduleId = await announced();
  await slip(moduleId);
  const held = await guarded.refresh(await guarded.addRange('other', '47.0.0.0/24'));
  expect(held).toMatchObject({ state: 'ready', quarantined: [{ module_id: moduleId }] });
  expect(await guarded.routes()).toEqual([...LIST, ATTACKED, '47.0.0.0/24'].sort());
  await endSoon();
  start();
  const left = async () => !(await guarded.routes()).includes(ATTACKED);
  await waitFor(left, { what: 'the entry to leave' });
  await plane.idle();
  const after = await plane.revision((await guarded.runs())!);
  expect(after).toMatchObject({
    ...{ state: 'ready', trigger: { kind: 'expiry', actor: 'auto:scheduler' } },
    quarantined: [{ module_id: moduleId }],
  });
  expect(await guarded.routes()).toEqual([...LIST, '47.0.0.0/24'].sort());
});

test('the end of an entry that was deleted from a module that is not held makes no revision', async () => {
  const moduleId = await announced();
  const builds = async (): Promise<number> => {
    const { items } = await plane.run((tx) => listJobs(tx, { type: 'revision_build', limit: 500 }));
    return items.length;
  };
  await plane.run((tx) =>
    tx.sql
      .deleteFrom('ip_range_entry')
      .where('module_id', '=', moduleId)
      .where('cidr', '=', ATTACKED)
      .execute(),
  );
  await guarded.refresh(moduleId);
  const before = await builds();
  expect(await remembered(moduleId)).toEqual([{ is_open: true }]);
  await endSoon();
  start();
  const looked = async () => (await remembered(moduleId))[0]?.is_open === false;
  await waitFor(looked, { what: 'the end to be looked at' });
  expect(await builds()).toBe(before);
});

test('an end waits while a revision of its tenant is being built, and keeps nobody else waiting', async () => {
  const moduleId = await announced();
  await emptied(moduleId);
  await guarded.refresh(await guarded.addRange('other', '47.0.0.0/24'));
  await endSoon();
  const isDue = async () => (await plane.database.db.alone(listDueExpiries)).tenantIds.length > 0;
  await waitFor(isDue, { what: 'the end' });
  const pause = await plane.run(async (tx) => {
    await lockTenant(tx, 'revision');
    return expireEntries(tools());
  });
  expect(pause).toBeGreaterThan(0);
  expect(pause).toBeLessThanOrEqual(2_000);
  expect(await remembered(moduleId)).toEqual([{ is_open: true }]);
  start();
  const left = async () => !(await guarded.routes()).includes(ATTACKED);
  await waitFor(left, { what: 'the entry to leave' });
});

test('an end that comes while nothing is built by itself is remembered until something is', async () => {
  const moduleId = await announced();
  await emptied(moduleId);
  const other = await guarded.addRange('other', '47.0.0.0/24');
  await guarded.refresh(other);
  await guarded.set({ auto_revision: false });
  await plane.database.admin("UPDATE past_expiry SET at = now() - interval '8 days' WHERE is_open");
  await plane.database.admin("UPDATE revision SET created_at = now() - interval '9 days'");
  expect(await expireEntries(tools())).toBeNull();
  await plane.run(forgetExpired);
  expect(await remembered(moduleId)).toEqual([{ is_open: true }]);
  const after = await guarded.refresh(other);
  expect(after).toMatchObject({ state: 'ready', quarantined: [{ module_id: moduleId }] });
  expect(Object.keys(await plane.routes(after.id)).sort()).toEqual([...LIST, '47.0.0.0/24'].sort());
  await plane.run(forgetExpired);
  expect(await remembered(moduleId)).toEqual([]);
  // It stays away.
  expect(await plane.routes((await guarded.refresh(other)).id)).not.toHaveProperty(ATTACKED);
});

test('of more deleted entries than a tenant may have, the last ends are forgotten', async () => {
  const moduleId = await guarded.addModule('churn', { type: 'IP_RANGES' });
  const entries = scattered(5).map((cidr, at) => ({
    ...{ cidr, expires_at: new Date(Date.now() + (at + 1) * HOUR_MS).toISOString() },
  }));
  const made = await plane.run((tx) => createIpRangeEntries(tx, moduleId, entries, () => ''));
  const ids = made.map(({ resource }) => resource.id);
  await plane.run((tx) => deleteModule(tx, moduleId, null));
  const known = async (): Promise<unknown[]> =>
    (
      await plane.database.admin<{ entry_id: string }>(
        'SELECT entry_id FROM past_expiry WHERE module_id = $1 ORDER BY at',
        [moduleId],
      )
    ).map(({ entry_id: id }) => id);
  await plane.run(forgetExpired);
  expect(await known()).toEqual(ids);
  const limit = (entryCount: number) =>
    plane.database.admin(
      "UPDATE tenant_quota SET maximum = $1 WHERE resource = 'entries' AND tenant_id = $2",
      [...[entryCount, plane.tenantId]],
    );
  await limit(3);
  await plane.run(forgetExpired);
  expect(await known()).toEqual(ids.slice(0, 3));
});
