/** A rollback that brings back what was removed, disabled or edited: it stays, whatever happens to other lists, until an operator edits that list. */
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ModulePatch } from '../../../src/api/lists/modules.ts';
import type { RolledBack } from '../../../src/api/revisions/revisions.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { diffHeldModule } from '../../../src/control/revisions/held-diff.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { deleteExpired } from '../../../src/store/entries/expiries.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
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
const ADDED = '47.0.0.0/24';
const reason = 'the customer has left us';
const release = { override: ['rolled_back' as const], reason };

const change = (id: string, patch: ModulePatch) => plane.run((tx) => changeModule(tx, id, patch, null));
const remove = (id: string) => plane.run((tx) => deleteModule(tx, id, null));
const rollBack = async (id: string): Promise<RolledBack> => {
  const { resource } = await plane.run((tx) => rollbackRevision(tx, plane.context, id));
  if (resource.apply_job_id !== null) await plane.succeeded({ id: resource.apply_job_id });
  return resource;
};
const addRanges = (id: string, cidrs: readonly string[]) =>
  plane.run((tx) =>
    createIpRangeEntries(
      tx,
      id,
      cidrs.map((cidr) => ({ cidr })),
      () => '',
    ),
  );
const removeRange = (id: string, cidr: string) =>
  plane.run((tx) =>
    tx.sql.deleteFrom('ip_range_entry').where('module_id', '=', id).where('cidr', '=', cidr).execute(),
  );
const codesOf = async (id: string) => (await guarded.module(id)).held?.findings.map(({ code }) => code);
const sorted = (...prefixes: string[]) => prefixes.sort();

async function ranges(name: string, cidrs: readonly string[]): Promise<string> {
  const id = await guarded.addModule(name, { type: 'IP_RANGES' });
  await addRanges(id, cidrs);
  await guarded.refresh(id);
  return id;
}

/** Two lists of ranges that are announced. */
async function announced() {
  await guarded.set({ guard_max_withdraw_percent: 100 });
  const other = await ranges('other', [ADDED]);
  const id = await ranges('list', LIST);
  return { id, other, good: (await guarded.runs())! };
}

/** The same, an edit of the second that a revision has, and a rollback past that. */
async function rolledBack(edit: (id: string) => Promise<unknown>) {
  const { id, other, good } = await announced();
  await edit(id);
  await guarded.refresh(other);
  await guarded.set({ guard_max_withdraw_percent: null });
  return { id, other, good, made: await rollBack(good) };
}

const communityEdit = async (id: string) =>
  change(id, { community_id: await plane.addCommunity(`64500:${communities++}`) });
let communities = 100;

describe('stays when another list is edited, after a rollback past a list that was', () => {
  test.each([
    ['deleted', remove],
    ['disabled', (id: string) => change(id, { enabled: false })],
    ['given another family', (id: string) => change(id, { families: ['ipv6'] })],
    ['turned into an exclusion', (id: string) => change(id, { purpose: 'exclude' })],
    ['bereft of a range', (id: string) => removeRange(id, LIST[0]!)],
  ])('%s', async (_what, edit) => {
    const { id, other, made } = await rolledBack(edit);
    expect(made.quarantined.map(({ module_id }) => module_id)).toEqual([id]);
    expect(made.quarantined[0]!.findings[0]).toMatchObject({ code: 'rolled_back', module_id: id });
    expect(await guarded.routes()).toEqual(sorted(...LIST, ADDED));
    for (const cidr of ['47.0.4.0/24', '47.0.8.0/24']) {
      await addRanges(other, [cidr]);
      const revision = await guarded.refresh(other);
      expect(revision).toMatchObject({ state: 'ready', findings: [] });
      expect(revision.quarantined.map(({ module_id }) => module_id)).toEqual([id]);
    }
    expect(await guarded.routes()).toEqual(sorted(...LIST, ADDED, '47.0.4.0/24', '47.0.8.0/24'));
    const { summary, findings } = await plane.run((tx) => diffHeldModule(tx, id, { limit: 1 }));
    expect(summary.withdrawn).toBeGreaterThan(0);
    expect(new Set(findings.map(({ code }) => code))).toContain('rolled_back');
  });

  test('given another community', async () => {
    const { id, other, good } = await rolledBack(communityEdit);
    await addRanges(other, ['47.0.4.0/24']);
    await guarded.refresh(other);
    const before = await plane.routes(good);
    const now = await plane.routes((await guarded.runs())!);
    for (const cidr of LIST) expect(now[cidr]).toEqual(before[cidr]);
    expect(await codesOf(id)).toEqual(['rolled_back']);
  });

  test.each([
    ['without a source', false],
    ['with a source that was off', true],
  ])('%s', async (_what, enabled) => {
    const { moduleId } = await applied(guarded, LIST);
    const other = await ranges('other', [ADDED]);
    const second = await guarded.addSource(moduleId, '/second');
    guarded.answer('/second', ['44.0.0.0/24', '44.0.2.0/24']);
    await guarded.refresh(moduleId);
    await guarded.enableSource(moduleId, second, !enabled);
    await guarded.refresh(other);
    const before = await guarded.routes();
    const good = (await guarded.runs())!;
    await guarded.enableSource(moduleId, second, enabled);
    await guarded.refresh(other);
    expect(await guarded.routes()).not.toEqual(before);
    await rollBack(good);
    await addRanges(other, ['47.0.4.0/24']);
    await guarded.refresh(other);
    expect(await guarded.routes()).toEqual(sorted(...before, '47.0.4.0/24'));
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
  });
});

describe('stays as well', () => {
  test('where another list covers what was removed, so that no speaker loses it', async () => {
    const { id, other } = await announced();
    const cover = await ranges('cover', LIST);
    const good = (await guarded.runs())!;
    await remove(id);
    await addRanges(other, ['47.0.4.0/24']);
    await guarded.refresh(other);
    await rollBack(good);
    await guarded.refresh(other);
    await change(cover, { enabled: false });
    await guarded.refresh(other);
    expect(await guarded.routes()).toEqual(sorted(...LIST, ADDED));
  });

  test('while speakers still run what was left', async () => {
    const { id, other, good } = await announced();
    await remove(id);
    await guarded.refresh(other);
    await guarded.set({ auto_apply: false });
    await rollBack(good);
    expect(await guarded.routes()).toEqual([ADDED]);
    const revision = await guarded.refresh(other);
    expect(revision).toMatchObject({ quarantined: [{ module_id: id }], prefix_count: { ipv4: 21 } });
    expect(await guarded.refresh(other)).toMatchObject({ prefix_count: { ipv4: 21 } });
  });

  test('when an entry of it leaves by itself', async () => {
    const { id, other } = await rolledBack(communityEdit);
    const [first] = LIST;
    const ids = await plane.run(async (tx) => {
      const entry = tx.sql.updateTable('ip_range_entry').set({ expires_at: sql<string>`now()` });
      const rows = await entry
        .where('module_id', '=', id)
        .where('cidr', '=', first!)
        .returning('id')
        .execute();
      return rows.map((row) => row.id);
    });
    await plane.run((tx) => deleteExpired(tx, 'ip_range_entry', ids));
    await guarded.refresh(id);
    await guarded.refresh(other);
    expect(await codesOf(id)).toEqual(['rolled_back']);
    expect(await guarded.routes()).toEqual(sorted(...LIST.slice(1), ADDED));
  });

  test('where an edit from before the rollback is taken in after it', async () => {
    const { id, other, good } = await announced();
    await communityEdit(id);
    await guarded.refresh(other);
    await addRanges(id, ['49.0.0.0/24']);
    await rollBack(good);
    await guarded.refresh(other);
    expect(await codesOf(id)).toContain('rolled_back');
    expect(await guarded.routes()).toEqual(sorted(...LIST, ADDED));
  });
});

describe('ends', () => {
  test('when it is released, for good', async () => {
    const { id, other } = await rolledBack((list) => change(list, { enabled: false }));
    const { held } = await guarded.module(id);
    await expect(guarded.release(id, { override: ['large_withdrawal'], reason })).rejects.toMatchObject({
      code: 'validation_failed',
    });
    const done = await guarded.release(id, { ...release, snapshot: held!.snapshot });
    expect(done).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([ADDED]);
    await addRanges(other, ['47.0.4.0/24']);
    expect(await guarded.refresh(other)).toMatchObject({ quarantined: [] });
    expect(await guarded.routes()).toEqual(sorted(ADDED, '47.0.4.0/24'));
  });

  test('when what was deleted is released by its id', async () => {
    const { id } = await rolledBack(remove);
    expect(await guarded.release(id, release)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([ADDED]);
  });

  test.each([
    ['enabled', { enabled: false }, { enabled: true }, LIST],
    ['edited further', { families: ['ipv6'] }, { enabled: false }, []],
  ] as const)('when it is %s', async (_what, edit, next, left) => {
    const { id, other } = await rolledBack((list) => change(list, edit as ModulePatch));
    await change(id, next);
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await codesOf(id)).toBeUndefined();
    expect(await guarded.routes()).toEqual(sorted(...left, ADDED));
  });

  test('when a disabled list is deleted', async () => {
    const { id, other } = await rolledBack((list) => change(list, { enabled: false }));
    await remove(id);
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([ADDED]);
  });

  test('when a range of it is removed', async () => {
    const { id, other } = await rolledBack((list) => removeRange(list, LIST[0]!));
    await removeRange(id, LIST[1]!);
    await guarded.refresh(id);
    await guarded.refresh(other);
    expect(await codesOf(id)).toBeUndefined();
    expect(await guarded.routes()).toEqual(sorted(...LIST.slice(2), ADDED));
  });

  test('with a rollback to what was left', async () => {
    const { id, other, good } = await announced();
    await change(id, { enabled: false });
    await guarded.refresh(other);
    const left = (await guarded.runs())!;
    await rollBack(good);
    expect(await codesOf(id)).toEqual(['rolled_back']);
    expect(await rollBack(left)).toMatchObject({ quarantined: [] });
    expect(await codesOf(id)).toBeUndefined();
  });
});

test('a list whose community is gone holds the revision that would undo the rollback, until it is released', async () => {
  const community = await plane.addCommunity('64500:90');
  const { id, other } = await announced();
  await change(id, { community_id: community });
  await guarded.refresh(id);
  const good = (await guarded.runs())!;
  await remove(id);
  await guarded.refresh(other);
  await plane.run((tx) => tx.sql.deleteFrom('community').where('id', '=', community).execute());
  const made = await rollBack(good);
  expect(made.quarantined[0]!.findings[0]!.detail).toContain('cannot stay');
  const revision = await guarded.refresh(other);
  expect(revision).toMatchObject({ state: 'held', findings: [{ code: 'rolled_back', module_id: id }] });
  expect(await guarded.routes()).toEqual(sorted(...LIST, ADDED));
  expect(await guarded.release(id, release)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual([ADDED]);
});

test('where guard_scope is revision nothing is kept', async () => {
  await guarded.set({ guard_scope: 'revision' });
  const { made, other } = await rolledBack(remove);
  expect(made.quarantined).toEqual([]);
  expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual([ADDED]);
});
