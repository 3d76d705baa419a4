import { beforeAll, describe, expect, test } from 'vitest';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import type { CdnSourcePatch } from '../../../src/api/entries/cdn-sources.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import type { Plane } from '../plane.ts';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const GOOD = scattered(200);
/** No unchanged list may lose so much by itself. */
const POISON = scattered(20);

test('a module that is deleted while nothing of it is left but what was accepted takes that along', async () => {
  const { moduleId } = await applied(guarded, GOOD);
  await plane.run((tx) => changeModule(tx, moduleId, { can_be_empty: true }, null));
  guarded.answer('/list', []);
  expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.module(moduleId)).toMatchObject({ prefix_count: { ipv4: 0, ipv6: 0 } });
  await plane.run((tx) => deleteModule(tx, moduleId, null));
  const [pending] = await plane.database.admin<{ rows: number }>(
    'SELECT count(*)::int AS rows FROM pending_change WHERE tenant_id = $1 AND module_id = $2 AND needs_build',
    [plane.tenantId, moduleId],
  );
  expect(pending).toEqual({ rows: 1 });
});

describe('an edit excuses what it is about, and nothing else', () => {
  test.each<[string, CdnSourcePatch]>([
    ['another name', { name: 'renamed' }],
    ['another token', { headers: { Authorization: 'Bearer rotated' } }],
    ['what it is already', { enabled: true }],
  ])('a source that is given %s is still held', async (_what, patch) => {
    const { moduleId, sourceId } = await applied(guarded, GOOD);
    guarded.answer('/list', POISON);
    await guarded.refresh(moduleId);
    await guarded.editSource(moduleId, sourceId, patch);
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await guarded.routes()).toEqual([...GOOD].sort());
  });

  test('a source that was renamed before it lied is held as well, and one whose list is another is not', async () => {
    const { moduleId, sourceId } = await applied(guarded, GOOD);
    await guarded.editSource(moduleId, sourceId, { name: 'renamed' });
    guarded.answer('/list', POISON);
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    const { url } = await guarded.source(moduleId, sourceId);
    await guarded.set({ guard_max_withdraw_percent: 100 });
    await guarded.editSource(moduleId, sourceId, { url: `${url}?of=another` });
    guarded.answer('/list?of=another', POISON);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([...POISON].sort());
  });

  test('what an edit brought and a rollback took back is held from then on', async () => {
    const { moduleId, sourceId } = await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    await guarded.set({ guard_max_withdraw_percent: 100 });
    const { url } = await guarded.source(moduleId, sourceId);
    await guarded.editSource(moduleId, sourceId, { url: `${url}?of=another` });
    guarded.answer('/list?of=another', POISON);
    await guarded.refresh(moduleId);
    const back = await plane.run((tx) => rollbackRevision(tx, plane.context, good));
    await plane.succeeded({ id: back.resource.apply_job_id! });
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await guarded.routes()).toEqual([...GOOD].sort());
    // Whoever edits it again is asked whether that very content is meant, and excused for how much changes.
    await guarded.editSource(moduleId, sourceId, { url: `${url}?of=another&again` });
    guarded.answer('/list?of=another&again', POISON);
    expect(await guarded.refresh(moduleId)).toMatchObject({
      quarantined: [{ module_id: moduleId, findings: [{ code: 'rolled_back' }] }],
    });
    const release = { override: ['rolled_back' as const], reason: 'this is meant' };
    expect(await guarded.release(moduleId, release)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual([...POISON].sort());
  });
});
