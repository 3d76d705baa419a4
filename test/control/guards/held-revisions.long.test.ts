/** What holds a revision as a whole: what no one list is at fault for, and an edit of an operator that takes much away. */
import { beforeAll, describe, expect, test } from 'vitest';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import type { Plane } from '../plane.ts';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const GOOD = scattered(200);
const reason = 'the provider moved its network';
/** No unchanged list may lose so much by itself. */
const POISON = scattered(20);

describe('what belongs to no module holds the revision', () => {
  test('two halves of one short prefix, of two modules', async () => {
    await guarded.addRange('low', '44.0.0.0/8').then((id) => guarded.refresh(id));
    const high = await guarded.refresh(await guarded.addRange('high', '45.0.0.0/8'));
    expect(high).toMatchObject({
      state: 'held',
      quarantined: [],
      findings: [{ code: 'prefix_too_short', module_id: null, examples: ['44.0.0.0/7'] }],
    });
  });

  test('two modules that cover too much only together', async () => {
    await guarded.set({
      guard_min_prefix_length_ipv4: 0,
      guard_max_withdraw_percent: 100,
      guard_bogons: 'allow',
    });
    const first = await guarded.refresh(await guarded.addRange('first', '64.0.0.0/2'));
    expect(first.state).toBe('ready');
    const second = await guarded.refresh(await guarded.addRange('second', '128.0.0.0/2'));
    expect(second).toMatchObject({
      state: 'held',
      quarantined: [],
      findings: [{ code: 'coverage_exceeded', module_id: null, measured: 57.4, limit: 50 }],
    });
  });
});

describe("an operator's edit that takes much from a speaker", () => {
  const disable = (id: string) => plane.run((tx) => changeModule(tx, id, { enabled: false }, null));

  test('holds the revision where that is what is held, and is let through with a reason', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    await guarded.set({ guard_scope: 'revision' });
    const other = await guarded.addRange('other', '46.0.0.0/24');
    await guarded.refresh(other);
    await disable(moduleId);
    const held = await guarded.refresh(other);
    expect(held).toMatchObject({
      state: 'held',
      findings: [{ code: 'large_withdrawal', module_id: moduleId, limit: 50 }],
    });
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
    const override: ['large_withdrawal'] = ['large_withdrawal'];
    expect((await guarded.refused({ revision_id: held.id })).code).toBe('large_withdrawal');
    await plane.succeeded(await guarded.apply({ revision_id: held.id, override, reason }));
    expect(await guarded.routes()).toEqual(['46.0.0.0/24']);
    // It is the latest from then on: the next apply does not take it back.
    expect((await plane.revision(held.id)).state).toBe('ready');
    await plane.succeeded(await guarded.apply({}));
    expect(await guarded.routes()).toEqual(['46.0.0.0/24']);
    expect((await guarded.refresh(other)).state).toBe('ready');
  });

  test('so does deleting the module, but not half of the routes, nor all of a few', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    const half = await guarded.addModule('half');
    await guarded.addSource(half, '/half');
    guarded.answer('/half', scattered(200, 200));
    await guarded.refresh(half);
    await plane.run((tx) => deleteModule(tx, moduleId, null));
    expect((await guarded.refresh(half)).state).toBe('ready');
    await plane.run((tx) => deleteModule(tx, half, null));
    const few = await guarded.addRange('few', '46.0.0.0/24');
    const { quarantined } = await guarded.refresh(few);
    expect(quarantined).toMatchObject([
      { module_id: half, findings: [{ code: 'large_withdrawal', measured: 100 }] },
    ]);
    await guarded.set({ guard_max_withdraw_percent: 100 });
    expect((await guarded.refresh(few)).state).toBe('ready');
    await guarded.set({ guard_max_withdraw_percent: null });
    await plane.run((tx) => deleteModule(tx, few, null));
    expect((await guarded.refresh(await guarded.addRange('next', '47.0.0.0/24'))).state).toBe('ready');
  });

  test('is not what a source takes away by itself, and a rollback is meant', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    const old = (await guarded.runs())!;
    guarded.answer('/list', POISON);
    await guarded.set({ guard_max_change_percent: 100 });
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', findings: [] });
    expect(await guarded.routes()).toEqual([...POISON].sort());
    guarded.answer('/list', scattered(500));
    await guarded.set({ guard_max_change_percent: 100_000 });
    await guarded.refresh(moduleId);
    const back = await plane.run((tx) => rollbackRevision(tx, plane.context, old));
    expect(back.resource.state).toBe('ready');
  });
});
