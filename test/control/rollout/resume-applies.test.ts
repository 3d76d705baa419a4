import { beforeAll, expect, test } from 'vitest';
import { changeSettings, followSettings } from '../../../src/control/tenants/settings.ts';
import type { SettingsPatch } from '../../../src/api/operation/settings.ts';
import { getSettings } from '../../../src/store/tenants/settings.ts';
import { waitFor } from '../../daemons/wait.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

/** As a request does it. */
function change(patch: SettingsPatch): Promise<void> {
  return plane.run(async (tx) => {
    const before = await getSettings(tx, ['deploy_freeze']);
    await changeSettings(tx, patch);
    await followSettings(tx, plane.context, patch, before);
  });
}

/** A revision that was built while applies were frozen. */
async function frozen(): Promise<{ readonly moduleId: string; readonly waiting: string }> {
  const { moduleId } = await applied(guarded, scattered(4));
  await change({ deploy_freeze: true });
  guarded.answer('/list', scattered(5));
  const { result } = await plane.ended(await plane.refresh(moduleId));
  const apply = await plane.ended({ id: String(result!.apply_job_id) });
  expect(apply.error).toMatchObject({ code: 'deploy_frozen' });
  return { moduleId, waiting: String(result!.revision_id) };
}

test('what the freeze stopped is applied when it is over', async () => {
  const { waiting } = await frozen();
  expect(await guarded.runs()).not.toBe(waiting);
  await change({ deploy_freeze: false });
  await waitFor(async () => (await guarded.runs()) === waiting, { what: 'the revision that waited' });
});

test('it waits for an operator where revisions are not applied by themselves', async () => {
  const { waiting } = await frozen();
  await change({ auto_apply: false, deploy_freeze: null });
  await plane.idle();
  expect(await guarded.runs()).not.toBe(waiting);
  await plane.succeeded(await plane.apply());
  expect(await guarded.runs()).toBe(waiting);
});

test('an older revision that was applied before stays', async () => {
  const { moduleId } = await applied(guarded, scattered(4));
  const older = (await guarded.runs())!;
  guarded.answer('/list', scattered(5));
  await guarded.refresh(moduleId);
  await plane.succeeded(await plane.apply(older));
  await change({ deploy_freeze: true });
  await change({ deploy_freeze: false });
  await plane.idle();
  expect(await guarded.runs()).toBe(older);
});
