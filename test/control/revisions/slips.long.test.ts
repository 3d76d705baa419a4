/** Edits that take too much away from a speaker: the module that was edited stays as it was, and everybody else's edits go on. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { ModulePatch } from '../../../src/api/lists/modules.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { diffHeldModule } from '../../../src/control/revisions/held-diff.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { deleteExpired } from '../../../src/store/entries/expiries.ts';
import { deleteModule, listModules } from '../../../src/store/modules/modules.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const LIST = scattered(200);
const BLACKHOLE = '46.9.9.9/32';
const reason = 'the customer has left us';
const release = { override: ['large_withdrawal' as const], reason };

const change = (id: string, patch: ModulePatch) => plane.run((tx) => changeModule(tx, id, patch, null));
const remove = (id: string) => plane.run((tx) => deleteModule(tx, id, null));
const diff = (id: string) => plane.run((tx) => diffHeldModule(tx, id, { limit: 1 }));

/** A list that is announced, a slip of an operator in it, and a blackhole elsewhere at once. */
async function slipped(slip: (moduleId: string, sourceId: string) => Promise<unknown>) {
  const made = await applied(guarded, LIST);
  await slip(made.moduleId, made.sourceId);
  const blackhole = await guarded.addRange('blackhole', BLACKHOLE);
  return { ...made, blackhole, revision: await guarded.refresh(blackhole) };
}

async function exclude(...prefixes: string[]): Promise<string> {
  const id = await guarded.addModule('out', { type: 'IP_RANGES', purpose: 'exclude' });
  await plane.run((tx) =>
    createIpRangeEntries(
      tx,
      id,
      prefixes.map((cidr) => ({ cidr })),
      () => '',
    ),
  );
  return id;
}

describe('the module of a slip stays as it was, and a blackhole in another goes through', () => {
  test.each([
    ['disabled', (id: string) => change(id, { enabled: false })],
    ['without a family', (id: string) => change(id, { families: ['ipv6'] })],
    ['turned into an exclusion', (id: string) => change(id, { purpose: 'exclude' })],
    ['without its source', (id: string, source: string) => guarded.enableSource(id, source, false)],
  ])('%s', async (_what, slip) => {
    const { moduleId, revision, blackhole } = await slipped(slip);
    expect(revision).toMatchObject({ state: 'ready', findings: [] });
    const { held } = await guarded.module(moduleId);
    expect(revision.quarantined).toEqual([
      { module_id: moduleId, findings: held!.findings, snapshot: held!.snapshot },
    ]);
    expect(held!.findings).toMatchObject([{ code: 'large_withdrawal', module_id: moduleId, limit: 50 }]);
    expect(held!.findings[0]!.detail).toContain('Module list: ');
    expect(await guarded.routes()).toEqual([...LIST, BLACKHOLE].sort());
    expect(await diff(moduleId)).toMatchObject({
      ...{ snapshot: held!.snapshot, findings: [{ code: 'large_withdrawal' }] },
      summary: { announced: 0, withdrawn: 200, changed: 0 },
    });
    const done = await guarded.release(moduleId, { ...release, snapshot: held!.snapshot });
    expect(done).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([BLACKHOLE]);
    expect(await guarded.module(moduleId)).toMatchObject({ held: null });
    expect(await guarded.refresh(blackhole)).toMatchObject({ state: 'ready', quarantined: [] });
  });

  test('deleted: it is named, shown and released by its id', async () => {
    const { moduleId, revision } = await slipped(remove);
    const [quarantined] = revision.quarantined;
    expect(revision).toMatchObject({ state: 'ready', quarantined: [{ module_id: moduleId }] });
    expect(quarantined!.findings[0]!.detail).toContain('Module list: ');
    expect(await guarded.routes()).toEqual([...LIST, BLACKHOLE].sort());
    expect(await diff(moduleId)).toMatchObject({ summary: { announced: 0, withdrawn: 200, changed: 0 } });
    const { snapshot } = quarantined!;
    expect(await guarded.release(moduleId, { ...release, snapshot })).toMatchObject({ quarantined: [] });
    expect(await guarded.routes()).toEqual([BLACKHOLE]);
    await expect(diff(moduleId)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('an exclusion that takes out most of another', async () => {
    const made = await applied(guarded, LIST);
    const out = await exclude('45.0.0.0/8');
    const blackhole = await guarded.addRange('blackhole', BLACKHOLE);
    await guarded.refresh(out);
    const revision = await guarded.refresh(blackhole);
    expect(revision).toMatchObject({ state: 'ready', quarantined: [{ module_id: out }] });
    expect(await guarded.module(made.moduleId)).toMatchObject({ held: null });
    expect(await guarded.routes()).toEqual([...LIST, BLACKHOLE].sort());
    expect(await diff(out)).toMatchObject({ summary: { withdrawn: 200 } });
    await guarded.release(out, release);
    expect(await guarded.routes()).toEqual([BLACKHOLE]);
  });
});

test('the largest slips are held, and who takes little away is not', async () => {
  const { moduleId } = await applied(guarded, LIST);
  const second = await guarded.addModule('second');
  await guarded.addSource(second, '/second');
  guarded.answer('/second', scattered(150, 200));
  await guarded.refresh(second);
  const few = await guarded.addRange('few', '46.0.0.0/24');
  await guarded.refresh(few);
  await change(second, { enabled: false });
  await change(few, { enabled: false });
  await change(moduleId, { enabled: false });
  const revision = await guarded.refresh(await guarded.addRange('blackhole', BLACKHOLE));
  expect(revision).toMatchObject({ state: 'ready', quarantined: [{ module_id: moduleId }] });
  expect(await guarded.routes()).toEqual([...LIST, BLACKHOLE].sort());
});

test('an undone slip is held no more, and what was added meanwhile stays', async () => {
  const { moduleId, blackhole } = await slipped((id) => change(id, { enabled: false }));
  await change(moduleId, { enabled: true });
  expect(await guarded.refresh(blackhole)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.module(moduleId)).toMatchObject({ held: null });
  expect(await guarded.routes()).toEqual([...LIST, BLACKHOLE].sort());
});

test('a slip stays held although others announce so much that it would be small', async () => {
  const { moduleId } = await slipped((id) => change(id, { enabled: false }));
  const large = await guarded.addModule('large');
  await guarded.addSource(large, '/large');
  guarded.answer('/large', scattered(900, 300));
  expect(await guarded.refresh(large)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.refresh(await guarded.addRange('next', '47.0.0.0/24'))).toMatchObject({
    ...{ state: 'ready', quarantined: [{ module_id: moduleId }] },
  });
  expect(await guarded.routes()).toHaveLength(1_102);
  await guarded.set({ guard_max_withdraw_percent: 60 });
  expect(await guarded.refresh(large)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toHaveLength(902);
});

test('a slip from which no speaker would lose anything any more is released without a code', async () => {
  const { moduleId } = await slipped((id) => change(id, { enabled: false }));
  const enable = (enabled: boolean) =>
    plane.run((tx) => tx.sql.updateTable('speaker').set({ enabled }).execute());
  await enable(false);
  const { snapshot, findings } = await diff(moduleId);
  expect(findings).toEqual([]);
  const released = await guarded.release(moduleId, { override: [], reason, snapshot });
  expect(released).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.module(moduleId)).toMatchObject({ held: null });
  await enable(true);
});

test('a slip stays held while no speaker is enabled', async () => {
  const { moduleId, blackhole } = await slipped((id) => change(id, { enabled: false }));
  const enable = (enabled: boolean) =>
    plane.run((tx) => tx.sql.updateTable('speaker').set({ enabled }).execute());
  await enable(false);
  const revision = await guarded.refresh(blackhole);
  await enable(true);
  expect(revision).toMatchObject({ state: 'ready', quarantined: [{ module_id: moduleId }] });
});

test('what left in an earlier revision is not brought back for a speaker that has not taken that yet', async () => {
  await applied(guarded, LIST);
  const add = async (name: string, from: number): Promise<string> => {
    const id = await guarded.addModule(name);
    await guarded.addSource(id, `/${name}`);
    guarded.answer(`/${name}`, scattered(150, from));
    await guarded.refresh(id);
    return id;
  };
  const [second, third] = [await add('second', 200), await add('third', 350)];
  await guarded.set({ auto_apply: false });
  await remove(second);
  const blackhole = await guarded.addRange('blackhole', BLACKHOLE);
  expect(await guarded.refresh(blackhole)).toMatchObject({ state: 'ready', quarantined: [] });
  await remove(third);
  const revision = await guarded.refresh(blackhole);
  const ipv4 = LIST.length + 150 + 1;
  expect(revision).toMatchObject({ quarantined: [{ module_id: third }], prefix_count: { ipv4 } });
});

test('a release lets through what was shown, and does so until speakers have it', async () => {
  const { moduleId, blackhole } = await slipped((id) => change(id, { enabled: false }));
  const { snapshot } = (await guarded.module(moduleId)).held!;
  await change(moduleId, { enabled: true, families: ['ipv6'] });
  await expect(guarded.release(moduleId, { ...release, snapshot })).rejects.toMatchObject({
    code: 'conflict',
  });
  await guarded.refresh(blackhole);
  await guarded.set({ auto_apply: false });
  const { held } = await guarded.module(moduleId);
  await guarded.release(moduleId, { ...release, snapshot: held!.snapshot });
  const other = await guarded.addRange('other', '46.0.0.0/24');
  expect(await guarded.refresh(other)).toMatchObject({
    state: 'ready',
    quarantined: [],
    prefix_count: { ipv4: 2 },
  });
  expect(await guarded.routes()).toEqual([...LIST, BLACKHOLE].sort());
});

test('what was let through stays so when the module is edited while a speaker is behind, and only what the edit takes away counts', async () => {
  const moduleId = await guarded.addModule('list', { type: 'IP_RANGES' });
  const ranges = LIST.map((cidr) => ({ cidr }));
  await plane.run((tx) => createIpRangeEntries(tx, moduleId, ranges, () => ''));
  await guarded.set({ guard_max_withdraw_percent: 100 });
  await guarded.refresh(moduleId);
  await guarded.set({ guard_max_withdraw_percent: 30, auto_apply: false });
  const removeRanges = (cidrs: readonly string[]) =>
    plane.run((tx) =>
      tx.sql
        .deleteFrom('ip_range_entry')
        .where('module_id', '=', moduleId)
        .where('cidr', 'in', [...cidrs])
        .execute(),
    );
  await removeRanges(LIST.slice(0, 80));
  expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.release(moduleId, release)).toMatchObject({
    ...{ state: 'ready', quarantined: [], prefix_count: { ipv4: 120 } },
  });
  await removeRanges(LIST.slice(80, 81));
  expect(await guarded.refresh(moduleId)).toMatchObject({
    ...{ state: 'ready', quarantined: [], prefix_count: { ipv4: 119 } },
  });
  await removeRanges(LIST.slice(81, 181));
  expect(await guarded.refresh(moduleId)).toMatchObject({
    ...{ state: 'ready', quarantined: [{ module_id: moduleId }], prefix_count: { ipv4: 119 } },
  });
  expect(await guarded.routes()).toEqual([...LIST].sort());
});

test('what leaves a module by itself leaves it while it is held, too', async () => {
  const moduleId = await guarded.addModule('list', { type: 'IP_RANGES' });
  const ranges = LIST.map((cidr) => ({ cidr }));
  const made = await plane.run((tx) => createIpRangeEntries(tx, moduleId, ranges, () => ''));
  await guarded.set({ guard_max_withdraw_percent: 100 });
  await guarded.refresh(moduleId);
  await guarded.set({ guard_max_withdraw_percent: null });
  await change(moduleId, { enabled: false });
  const other = await guarded.addRange('other', BLACKHOLE);
  expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.routes()).toEqual([...LIST, BLACKHOLE].sort());
  const { id, cidr } = made[0]!.resource;
  await plane.run(async (tx) => {
    await tx.sql
      .updateTable('ip_range_entry')
      .set({ expires_at: '2020-01-01' })
      .where('id', '=', id)
      .execute();
    await deleteExpired(tx, 'ip_range_entry', [id]);
  });
  expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.routes()).toEqual([...LIST.filter((one) => one !== cidr), BLACKHOLE].sort());
});

test('a rollback ends what was let through', async () => {
  const { moduleId, blackhole } = await slipped((id) => change(id, { enabled: false }));
  const before = (await guarded.runs())!;
  await guarded.release(moduleId, release);
  expect(await guarded.routes()).toEqual([BLACKHOLE]);
  const back = await plane.run((tx) => rollbackRevision(tx, plane.context, before));
  await plane.succeeded({ id: back.resource.apply_job_id! });
  expect(await guarded.refresh(blackhole)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.routes()).toEqual([...LIST, BLACKHOLE].sort());
});

test.each([
  ['disabled', (id: string) => change(id, { enabled: false })],
  ['deleted', remove],
])('a rollback leaves a list held that was %s: routers have it still', async (_what, slip) => {
  const { moduleId } = await applied(guarded, LIST);
  const good = (await guarded.runs())!;
  await slip(moduleId);
  const blackhole = await guarded.addRange('blackhole', BLACKHOLE);
  const { quarantined } = await guarded.refresh(blackhole);
  const { resource: back } = await plane.run((tx) => rollbackRevision(tx, plane.context, good));
  await plane.succeeded({ id: back.apply_job_id! });
  expect(await guarded.routes()).toEqual([...LIST].sort());
  expect(back.quarantined).toContainEqual(quarantined[0]);
  expect(await diff(moduleId)).toMatchObject({
    ...{ snapshot: quarantined[0]!.snapshot, findings: [{ code: 'large_withdrawal' }] },
    summary: { announced: 0, withdrawn: 200 },
  });
  const modules = await plane.run((tx) => listModules(tx, { limit: 100 }));
  const own = modules.items.find(({ id }) => id === moduleId);
  if (own !== undefined) expect(own.held?.findings).toEqual(quarantined[0]!.findings);
  const done = await guarded.release(moduleId, { ...release, snapshot: quarantined[0]!.snapshot });
  expect(done.quarantined.map(({ module_id }) => module_id)).toEqual([blackhole]);
  expect(await guarded.routes()).toEqual([]);
});

test('a module whose community is gone cannot stay as it was, and the revision waits', async () => {
  const id = await plane.addCommunity('64500:99');
  const { moduleId } = await applied(guarded, LIST);
  await change(moduleId, { community_id: id });
  await guarded.refresh(moduleId);
  await remove(moduleId);
  await plane.run((tx) => tx.sql.deleteFrom('community').where('id', '=', id).execute());
  const revision = await guarded.refresh(await guarded.addRange('other', BLACKHOLE));
  expect(revision).toMatchObject({
    state: 'held',
    findings: [{ code: 'large_withdrawal' }],
    quarantined: [],
  });
});

test('a list that is held does not bring back a range that was removed from it before', async () => {
  const other = await guarded.addRange('other', '47.0.0.0/24');
  const moduleId = await guarded.addModule('ranges', { type: 'IP_RANGES' });
  const ranges = LIST.map((cidr) => ({ cidr }));
  await plane.run((tx) => createIpRangeEntries(tx, moduleId, ranges, () => ''));
  await guarded.set({ guard_max_withdraw_percent: 100 });
  await guarded.refresh(moduleId);
  await guarded.set({ guard_max_withdraw_percent: null });
  await plane.run((tx) => tx.sql.deleteFrom('ip_range_entry').where('cidr', '=', LIST[0]!).execute());
  expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual([...LIST.slice(1), '47.0.0.0/24'].sort());
  await remove(moduleId);
  expect(await guarded.refresh(other)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.routes()).toEqual([...LIST.slice(1), '47.0.0.0/24'].sort());
});
