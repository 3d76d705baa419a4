/** What a rollback brought back, and what leaves by itself since: a list of which nothing else came back is held no more. */
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { deleteExpired } from '../../../src/store/entries/expiries.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});
// Lists that the test before deleted are kept as well.
beforeEach(() => plane.run((tx) => tx.sql.deleteFrom('held_withdrawal').execute()));

// Too few for the guardrail about large withdrawals: it has nothing to do with this.
const LIST = scattered(20);
const ENDING = ['46.9.9.1/32', '46.9.9.3/32'] as const;
const ADDED = '47.0.0.0/24';

const codesOf = async (id: string) => (await guarded.module(id)).held?.findings.map(({ code }) => code);

async function ranges(name: string, cidrs: readonly string[], ending: readonly string[]): Promise<string> {
  const id = await guarded.addModule(name, { type: 'IP_RANGES' });
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const entries = [...cidrs.map((cidr) => ({ cidr })), ...ending.map((cidr) => ({ cidr, expires_at }))];
  await plane.run((tx) => createIpRangeEntries(tx, id, entries, () => ''));
  await guarded.refresh(id);
  return id;
}

/** Two lists that are announced, the second with two ranges that have an end. */
async function announced(cidrs = LIST) {
  await guarded.set({ guard_max_withdraw_percent: 100 });
  const other = await ranges('other', [ADDED], []);
  const id = await ranges('list', cidrs, ENDING);
  return { id, other, good: (await guarded.runs())! };
}

const removeRange = (id: string, ...cidrs: readonly string[]) =>
  plane.run((tx) =>
    tx.sql.deleteFrom('ip_range_entry').where('module_id', '=', id).where('cidr', 'in', cidrs).execute(),
  );

const setRange = (id: string, cidr: string, values: { readonly enabled: boolean }) =>
  plane.run((tx) =>
    tx.sql
      .updateTable('ip_range_entry')
      .set(values)
      .where('module_id', '=', id)
      .where('cidr', '=', cidr)
      .execute(),
  );

async function rollBack(id: string): Promise<void> {
  const { resource } = await plane.run((tx) => rollbackRevision(tx, plane.context, id));
  await plane.succeeded({ id: resource.apply_job_id! });
}

/** The ends of entries that were removed have come. */
const end = () =>
  plane.run((tx) =>
    tx.sql
      .updateTable('past_expiry')
      .set({ at: sql<string>`clock_timestamp()` })
      .where('is_open', '=', true)
      .execute(),
  );

/** The ends of entries that are still there. */
async function expire(moduleId: string): Promise<void> {
  const ids = await plane.run(async (tx) => {
    const ending = tx.sql.updateTable('ip_range_entry').set({ expires_at: sql<string>`clock_timestamp()` });
    const rows = await ending
      .where('module_id', '=', moduleId)
      .where('expires_at', 'is not', null)
      .returning('id')
      .execute();
    return rows.map(({ id }) => id);
  });
  expect(await plane.run((tx) => deleteExpired(tx, 'ip_range_entry', ids))).toHaveLength(ids.length);
}

describe('ranges with an end that a rollback brought back', () => {
  test('leave at that end, and their list is held no more', async () => {
    const { id, other, good } = await announced();
    await removeRange(id, ...ENDING);
    await guarded.refresh(other);
    await rollBack(good);
    expect(await codesOf(id)).toEqual(['rolled_back']);
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: id }] });
    expect(await guarded.routes()).toEqual([...LIST, ...ENDING, ADDED].sort());
    await end();
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await codesOf(id)).toBeUndefined();
    expect(await guarded.routes()).toEqual([...LIST, ADDED].sort());
  });

  test('leave it held for what else came back', async () => {
    const { id, other, good } = await announced();
    await removeRange(id, LIST[0]!, ...ENDING);
    await guarded.refresh(other);
    await rollBack(good);
    await end();
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: id }] });
    expect(await codesOf(id)).toEqual(['rolled_back']);
    expect(await guarded.routes()).toEqual([...LIST, ADDED].sort());
  });

  test('leave it held for a source that was off then, and would be back', async () => {
    await guarded.set({ guard_max_withdraw_percent: 100 });
    const other = await ranges('other', [ADDED], []);
    const id = await guarded.addModule('list');
    guarded.answer('/list', LIST);
    guarded.answer('/ending', ENDING);
    guarded.answer('/off', ['46.8.0.0/24']);
    await guarded.addSource(id, '/list');
    const ending = await guarded.addSource(id, '/ending');
    const off = await guarded.addSource(id, '/off');
    await guarded.refresh(id);
    await guarded.enableSource(id, off, false);
    await guarded.refresh(other);
    const good = (await guarded.runs())!;
    expect(await guarded.routes()).toEqual([...LIST, ...ENDING, ADDED].sort());
    await plane.run((tx) =>
      tx.sql
        .updateTable('cdn_source')
        .set({ expires_at: sql<string>`now() + interval '1 hour'` })
        .where('id', '=', ending)
        .execute(),
    );
    await plane.run((tx) => tx.sql.deleteFrom('cdn_source').where('id', '=', ending).execute());
    await guarded.enableSource(id, off, true);
    await guarded.refresh(other);
    expect(await guarded.routes()).toEqual([...LIST, '46.8.0.0/24', ADDED].sort());
    await rollBack(good);
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: id }] });
    await end();
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: id }] });
    expect(await guarded.routes()).toEqual([...LIST, ADDED].sort());
  });

  test.each([
    ['deleted', (id: string) => plane.run((tx) => deleteModule(tx, id, null))],
    ['disabled', (id: string) => plane.run((tx) => changeModule(tx, id, { enabled: false }, null))],
  ])('leave nothing to hold of a list that was %s', async (_what, remove) => {
    const { id, other, good } = await announced([]);
    await remove(id);
    await guarded.refresh(other);
    await rollBack(good);
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: id }] });
    expect(await guarded.routes()).toEqual([...ENDING, ADDED].sort());
    // Whoever disables the list disables no end of its ranges.
    await expire(id);
    await end();
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([ADDED]);
  });
});

describe('ranges whose end had come before the rollback that brought them back', () => {
  test('leave with the next revision, and their list is held no more', async () => {
    const { id, other, good } = await announced();
    await expire(id);
    await guarded.refresh(id);
    await rollBack(good);
    expect(await guarded.routes()).toEqual([...LIST, ...ENDING, ADDED].sort());
    expect(await codesOf(id)).toEqual(['rolled_back']);
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await codesOf(id)).toBeUndefined();
    expect(await guarded.routes()).toEqual([...LIST, ADDED].sort());
  });

  test('leave it held where a range counts that did not then', async () => {
    const { id, other, good: first } = await announced();
    await setRange(id, LIST[0]!, { enabled: false });
    await guarded.refresh(other);
    const good = (await guarded.runs())!;
    expect(good).not.toBe(first);
    await setRange(id, LIST[0]!, { enabled: true });
    await expire(id);
    await guarded.refresh(id);
    expect(await guarded.routes()).toEqual([...LIST, ADDED].sort());
    await rollBack(good);
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: id }] });
    expect(await guarded.routes()).toEqual([...LIST.slice(1), ADDED].sort());
  });
});
