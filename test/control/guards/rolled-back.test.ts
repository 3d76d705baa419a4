import { beforeAll, describe, expect, test } from 'vitest';
import { diffHeldModule } from '../../../src/control/revisions/held-diff.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import type { Plane } from '../plane.ts';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const GOOD = scattered(200);
const POISON = scattered(20);
const reason = 'the provider moved its network';

describe('what a rollback took back', () => {
  const rollBack = (id: string) => plane.run((tx) => rollbackRevision(tx, plane.context, id));
  const codesOf = async (id: string) => (await guarded.module(id)).held?.findings.map(({ code }) => code);

  test('is released once, with all that the release meets', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    await guarded.set({ guard_max_change_percent: 1_000_000 });
    guarded.answer('/list', POISON);
    await guarded.refresh(moduleId);
    await guarded.set({ guard_max_change_percent: null });
    const { apply_job_id: job } = (await rollBack(good)).resource;
    await plane.succeeded({ id: job! });
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    const { findings } = await plane.run((tx) => diffHeldModule(tx, moduleId, { limit: 1 }));
    expect(findings.map(({ code }) => code)).toEqual(['max_change_exceeded', 'rolled_back']);
    await expect(guarded.release(moduleId, { override: ['rolled_back'], reason })).rejects.toMatchObject({
      code: 'max_change_exceeded',
      message: expect.stringContaining('max_change_exceeded, rolled_back') as unknown,
    });
    const override = ['rolled_back' as const, 'max_change_exceeded' as const];
    expect(await guarded.release(moduleId, { override, reason })).toMatchObject({ quarantined: [] });
    expect(await guarded.routes()).toEqual([...POISON].sort());
  });

  test('stays back when the rollback was held, and let through with an override', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    const good = (await guarded.runs())!;
    guarded.answer('/list', scattered(210));
    await guarded.refresh(moduleId);
    await guarded.set({ guard_min_prefix_length_ipv4: 25 });
    const { resource: held } = await rollBack(good);
    expect(held).toMatchObject({ state: 'held', quarantined: [] });
    const job = await guarded.apply({ revision_id: held.id, override: ['prefix_too_short'], reason });
    await plane.succeeded(job);
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    expect(await plane.revision(held.id)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    await guarded.set({ guard_min_prefix_length_ipv4: null });
    await guarded.refresh(await guarded.addRange('other', '46.0.0.0/24'));
    expect(await guarded.routes()).toEqual([...GOOD, '46.0.0.0/24'].sort());
  });

  test('stays back when one of several sources fails', async () => {
    const { moduleId } = await applied(guarded, GOOD);
    await guarded.addSource(moduleId, '/second');
    guarded.answer('/second', scattered(10, 300));
    await guarded.refresh(moduleId);
    const good = (await guarded.runs())!;
    guarded.answer('/list', scattered(205));
    guarded.answer('/second', scattered(12, 300));
    await guarded.refresh(moduleId);
    await plane.succeeded({ id: (await rollBack(good)).resource.apply_job_id! });
    plane.answers.set('/second', (_request, response) => response.writeHead(500).end());
    expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
    expect(await codesOf(moduleId)).toEqual(['rolled_back']);
    expect(await guarded.routes()).toEqual([...GOOD, ...scattered(10, 300)].sort());
  });
});
