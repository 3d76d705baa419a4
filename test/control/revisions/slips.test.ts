import { beforeAll, expect, test } from 'vitest';
import { changeModule } from '../../../src/control/modules.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

test.each([
  [
    'disabled',
    (id: string) => plane.run((tx) => changeModule(tx, id, { enabled: false }, null)),
    'Most of it came from the module list.',
  ],
  [
    'deleted',
    (id: string) => plane.run((tx) => deleteModule(tx, id, null)),
    'Most of it came from a module that was deleted.',
  ],
])('a module that is %s by a slip is named by the revision that waits for it', async (_what, slip, words) => {
  const { moduleId } = await applied(guarded, scattered(200));
  await slip(moduleId);
  const other = await guarded.addRange('other', '46.0.0.0/24');
  const { state, findings } = await guarded.refresh(other);
  expect(state).toBe('held');
  expect(findings).toMatchObject([{ code: 'large_withdrawal', module_id: moduleId }]);
  expect(findings[0]!.detail).toContain(words);
});
