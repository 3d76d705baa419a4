import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  estimateRevisionPrune,
  requestRevisionPrune,
} from '../../../src/control/maintenance/prune-revisions.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { insertIpRangeEntries } from '../../../src/store/entries/ip-range-entries.ts';
import { insertModule } from '../../../src/store/modules/modules.ts';
import { releaseWithdrawal, saveReleasedIn } from '../../../src/store/revisions/held-withdrawals.ts';
import { pinRevision } from '../../../src/store/revisions/revisions.ts';
import { findRevision } from '../../../src/store/revisions/stored-revisions.ts';
import { putSettings } from '../../../src/store/tenants/settings.ts';
import type { Problem } from '../../../src/api/problems/problem.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
let moduleId: string;
let octet = 0;

beforeAll(async () => {
  plane = await startPlane();
  // Nobody holds a speaker here, so applies would wait.
  await plane.run((tx) => putSettings(tx, { auto_apply: false }));
});
afterAll(() => plane.close());

beforeEach(async () => {
  octet += 1;
  const module = await plane.run((tx) => insertModule(tx, { name: `ranges ${octet}`, type: 'IP_RANGES' }));
  moduleId = module.resource.id;
});

let third = 0;
/** A revision of one range more than the last; answers its id. */
async function build(): Promise<string> {
  const cidr = `${20 + octet}.0.${third++}.0/24`;
  await plane.run((tx) => insertIpRangeEntries(tx, moduleId, [{ cidr }], () => ''));
  return String((await plane.succeeded(await plane.refresh(moduleId))).revision_id);
}

const age = () => plane.database.admin("UPDATE revision SET created_at = now() - interval '31 days'");
const exists = async (id: string) => (await plane.run((tx) => findRevision(tx, id))) !== null;
const prune = async () =>
  plane.succeeded(await plane.run((tx) => requestRevisionPrune(tx, plane.context.queue, 'key:test')));

/** Contents that are stored, by whether something refers to them. */
async function stored() {
  const [row] = await plane.database.admin<{ orphans: number; lost: number }>(`
    SELECT (SELECT count(*)::int FROM content c
             WHERE NOT EXISTS (SELECT FROM revision r WHERE r.content_hash = c.content_hash)
               AND NOT EXISTS (SELECT FROM snapshot s WHERE s.content_hash = c.content_hash)
               AND NOT EXISTS (SELECT FROM revision_input i WHERE i.content_hash = c.content_hash)
               AND NOT EXISTS (SELECT FROM content d WHERE d.base_hash = c.content_hash))
           + (SELECT count(*)::int FROM content_block b
               WHERE NOT EXISTS (SELECT FROM content c WHERE b.hash = ANY (c.block_hashes))) AS orphans,
           (SELECT count(*)::int FROM content c, unnest(c.block_hashes) h
             WHERE NOT EXISTS (SELECT FROM content_block b WHERE b.hash = h)) AS lost`);
  return row;
}

test('old revisions go with what only they refer to; the estimate says so before, and is zero after', async () => {
  const [first, second, latest] = [await build(), await build(), await build()];
  await age();
  const estimate = await plane.run(estimateRevisionPrune);
  expect(estimate).toMatchObject({ retention_minutes: 43_200, revisions: 2 });
  expect(estimate.contents).toBeGreaterThan(0);
  expect(estimate.bytes).toBeGreaterThan(0);
  expect(await exists(first)).toBe(true);
  expect(await prune()).toEqual(estimate);
  expect([await exists(first), await exists(second), await exists(latest)]).toEqual([false, false, true]);
  expect(Object.keys(await plane.routes(latest)).length).toBeGreaterThan(0);
  expect(await stored()).toEqual({ orphans: 0, lost: 0 });
  expect(await plane.run(estimateRevisionPrune)).toMatchObject({
    revisions: 0,
    contents: 0,
    blocks: 0,
    bytes: 0,
  });
});

test('what is young, pinned, the latest, running at a speaker or on its way to one stays', async () => {
  const speaker = await plane.addSpeaker(`edge ${octet}`);
  const running = await build();
  await prune(); // what the test before has left
  await plane.database.admin('UPDATE speaker SET applied_revision_id = $1 WHERE id = $2', [
    running,
    speaker.id,
  ]);
  const pinned = await build();
  await plane.run((tx) => pinRevision(tx, pinned, true, null));
  const waiting = await build();
  const queued = await build();
  const gone = await build();
  const latest = await build();
  const ids = [plane.tenantId, uuidv7()];
  await plane.database.admin(
    'INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id) VALUES ($1, $2, $3, $4)',
    [...ids, speaker.id, waiting],
  );
  await plane.database.admin(
    "INSERT INTO job (tenant_id, id, type, input, resource_type, resource_id) VALUES ($1, $2, 'apply', '{}', 'revision', $3)",
    [...ids, queued],
  );
  expect(await prune()).toMatchObject({ revisions: 0 });
  await age();
  await prune();
  const left = await Promise.all([running, pinned, waiting, queued, gone, latest].map(exists));
  expect(left).toEqual([true, true, true, true, false, true]);
  for (const id of [running, pinned, waiting, queued, latest])
    expect(Object.keys(await plane.routes(id)).length).toBeGreaterThan(0);
  expect(await stored()).toEqual({ orphans: 0, lost: 0 });
});

test('what an apply brings, and what it may have to go back to, stays until it has ended', async () => {
  const speaker = await plane.addSpeaker(`edge ${octet}`);
  const job = uuidv7();
  await plane.database.admin("INSERT INTO job (tenant_id, id, type, input) VALUES ($1, $2, 'apply', '{}')", [
    plane.tenantId,
    job,
  ]);
  let sequence = 0;
  /** A revision in this place of an apply in this state, which comes after the others. */
  const inApply = async (
    place: 'revision_id' | 'previous_revision_id',
    state: string,
    ofJob: string | null,
  ) => {
    const id = await build();
    await plane.database.admin(
      `INSERT INTO speaker_apply (tenant_id, id, speaker_id, ${place}, state, job_id, sequence) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [plane.tenantId, uuidv7(), speaker.id, id, state, ofJob, ++sequence],
    );
    return id;
  };
  const brought = [];
  for (const state of ['planned', 'queued', 'running', 'succeeded', 'failed', 'undone'])
    brought.push(await inApply('revision_id', state, null));
  const before = [];
  for (const [state, ofJob] of [
    ['running', null],
    ['undoing', null],
    // A canary, whose job may still take it back.
    ['succeeded', job],
    ['succeeded', null],
  ] as const)
    before.push(await inApply('previous_revision_id', state, ofJob));
  // It says when the speaker was sent something last.
  const takenBack = await inApply('revision_id', 'undone', null);
  await plane.database.admin('UPDATE speaker SET applied_revision_id = $2 WHERE id = $1', [
    speaker.id,
    await build(),
  ]);
  await age();
  await prune();
  expect(await Promise.all(brought.map(exists))).toEqual([true, true, true, false, false, false]);
  expect(await Promise.all(before.map(exists))).toEqual([true, true, true, false]);
  expect(await exists(takenBack)).toBe(true);
  await plane.database.admin('DELETE FROM speaker_apply');
  await plane.database.admin('DELETE FROM job WHERE id = $1', [job]);
});

test('refreshes, rollbacks and prunes at the same time lose nothing that is needed', async () => {
  const kept = await build();
  await plane.run((tx) => pinRevision(tx, kept, true, null));
  for (let round = 0; round < 3; round++) {
    const cidr = `${60 + octet}.0.${round}.0/24`;
    await plane.run((tx) => insertIpRangeEntries(tx, moduleId, [{ cidr }], () => ''));
    await age();
    const refreshing = plane.refresh(moduleId);
    const pruning = plane.run((tx) => requestRevisionPrune(tx, plane.context.queue, 'key:test'));
    const rolling = plane.run((tx) => rollbackRevision(tx, plane.context, kept));
    const ended = await Promise.all([plane.ended(await refreshing), plane.ended(await pruning)]);
    expect(ended.map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
    const { resource } = await rolling;
    expect(Object.keys(await plane.routes(resource.id))).toEqual(Object.keys(await plane.routes(kept)));
  }
  expect((await stored())!.lost).toBe(0);
});

/** A prune that has decided what goes and waits before it removes the revision; what happens `meanwhile` is begun then. */
async function pruneAround<T>(
  revision: string,
  meanwhile: () => Promise<T>,
): Promise<PromiseSettledResult<T>> {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const holding = plane.run(async (tx) => {
    await sql`SELECT FROM revision WHERE id = ${revision} FOR KEY SHARE`.execute(tx.sql);
    lock();
    await gate;
  });
  await locked;
  const pruning = prune();
  const waiting = async (): Promise<number> => {
    const [row] = await plane.database.admin<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.count;
  };
  await waitFor(async () => (await waiting()) > 0, { what: 'the prune to wait' });
  const doing = Promise.allSettled([meanwhile()]);
  // Whoever waits for the prune waits by now; else it is done.
  await waitFor(
    async () => (await waiting()) > 1 || (await Promise.race([doing, sleep(100)])) !== undefined,
    {
      what: 'what happens meanwhile',
    },
  );
  open();
  await holding;
  await pruning;
  return (await doing)[0];
}

test('a revision that is pinned while a prune is at work is pinned, or gone', async () => {
  const [first, second] = [await build(), await build(), await build()];
  await age();
  const pinned = await pruneAround(first, () => plane.run((tx) => pinRevision(tx, second, true, null)));
  expect(pinned.status === 'fulfilled').toBe(await exists(second));
});

test('an apply of a revision that a prune removes is refused, not carried out at nobody', async () => {
  await plane.addSpeaker(`edge ${octet}`);
  const old = await build();
  await build();
  await age();
  const asked = await pruneAround(old, async () => plane.ended(await plane.apply(old)));
  const reported = asked.status === 'fulfilled' ? asked.value.error?.code : (asked.reason as Problem).code;
  expect(reported).toBe('validation_failed');
  expect(await exists(old)).toBe(false);
});

test('what was accepted of an entry before its module was held stays, and goes with that', async () => {
  const first = await build();
  const [content] = await plane.database.admin<{ hash: Buffer }>(
    'SELECT content_hash AS hash FROM revision_input WHERE revision_id = $1 AND module_id = $2',
    [first, moduleId],
  );
  await build();
  await plane.database.admin(
    'INSERT INTO entry_before_hold (tenant_id, module_id, entry_id, version, content_hash) VALUES ($1, $2, $3, 1, $4)',
    [plane.tenantId, moduleId, uuidv7(), content!.hash],
  );
  const isKept = async () =>
    (await plane.database.admin('SELECT FROM content WHERE content_hash = $1', [content!.hash])).length === 1;
  await age();
  await prune();
  expect([await exists(first), await isKept()]).toEqual([false, true]);
  await plane.database.admin('DELETE FROM entry_before_hold');
  await prune();
  expect(await isKept()).toBe(false);
});

test("another tenant's revisions are no concern of a prune", async () => {
  const mine = await build();
  await build();
  await age();
  const other = await plane.database.createTenant();
  expect(await plane.database.db.inTenant(other, estimateRevisionPrune)).toMatchObject({ revisions: 0 });
  expect(await exists(mine)).toBe(true);
});

test('a revision stays that later edits are measured from, and one that a held rollback goes back to', async () => {
  const [released, target, back, gone] = [await build(), await build(), await build(), await build()];
  await build();
  await plane.run(async (tx) => {
    await releaseWithdrawal(tx, moduleId, { stateHash: '00'.repeat(32), reason: 'meant', actor: 'key:test' });
    await saveReleasedIn(tx, released);
  });
  await plane.database.admin(
    `UPDATE revision SET state = 'held', rollback_of = '${target}' WHERE id = '${back}'`,
  );
  await age();
  await prune();
  const left = [await exists(released), await exists(target), await exists(back), await exists(gone)];
  expect(left).toEqual([true, true, true, false]);
});
