/** The guard looks at the snapshots that the build looks at: what is disabled was no change. */
import { expect, test } from 'vitest';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();

test.each(['module', 'revision'] as const)(
  'poison in a source, the source disabled, another module refreshed: 16 routes leave, and nothing is held (guard_scope %s)',
  async (scope) => {
    await guarded.set({ guard_scope: scope });
    const other = await guarded.addRange('other', '46.0.0.0/24');
    guarded.answer('/most', scattered(184, 16));
    const { moduleId, sourceId } = await applied(guarded, scattered(16));
    await guarded.addSource(moduleId, '/most');
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready' });
    expect(await guarded.routes()).toHaveLength(201);
    guarded.answer('/list', scattered(900, 300));
    const finding = { code: 'max_change_exceeded' };
    expect(await guarded.refresh(moduleId)).toMatchObject(
      scope === 'module'
        ? { state: 'ready', quarantined: [{ module_id: moduleId, findings: [finding] }] }
        : { state: 'held', findings: [finding] },
    );
    expect(await guarded.routes()).toHaveLength(201);

    await guarded.enableSource(moduleId, sourceId, false);
    expect(await guarded.refresh(other)).toMatchObject({ state: 'ready', findings: [], quarantined: [] });
    expect(await guarded.routes()).toEqual([...scattered(184, 16), '46.0.0.0/24'].sort());
  },
);
