/** What a rollback took back of sources stays back, in whichever way it is read again. */
import { beforeAll, expect, test } from 'vitest';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import type { Plane } from '../plane.ts';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const GOOD = scattered(100);
/** More than before, as a source may grow. */
const BAD = scattered(110);
const OTHER = ['46.0.0.0/24'];

async function rollBack(id: string): Promise<void> {
  const { resource } = await plane.run((tx) => rollbackRevision(tx, plane.context, id));
  await plane.succeeded({ id: resource.apply_job_id! });
}

const heldFor = async (moduleId: string): Promise<string[] | undefined> =>
  (await guarded.module(moduleId)).held?.findings.map(({ code }) => code);

test('a source that fails for once after the rollback does not bring it back with its next answer', async () => {
  const { moduleId } = await applied(guarded, GOOD);
  await guarded.addSource(moduleId, '/other');
  guarded.answer('/other', OTHER);
  const good = (await guarded.refresh(moduleId)).id;
  guarded.answer('/list', BAD);
  await guarded.refresh(moduleId);
  await rollBack(good);
  expect(await heldFor(moduleId)).toEqual(['rolled_back']);

  plane.answers.delete('/list');
  await guarded.refresh(moduleId);
  expect(await guarded.routes()).toEqual([...GOOD, ...OTHER].sort());
  guarded.answer('/list', BAD);
  await guarded.refresh(moduleId);
  expect(await heldFor(moduleId)).toEqual(['rolled_back']);
  expect(await guarded.routes()).toEqual([...GOOD, ...OTHER].sort());

  // Something new is announced as usual, and what was taken back may come again after it.
  guarded.answer('/list', [...GOOD, '47.0.0.0/24']);
  await guarded.refresh(moduleId);
  expect(await heldFor(moduleId)).toBeUndefined();
  expect(await guarded.routes()).toEqual([...GOOD, ...OTHER, '47.0.0.0/24'].sort());
});

test('a module that the old revision did not have stays away, whatever its sources say, until it is released', async () => {
  await applied(guarded, GOOD);
  const good = (await guarded.runs())!;
  const late = await guarded.addModule('late');
  await guarded.addSource(late, '/late');
  guarded.answer('/late', OTHER);
  await guarded.refresh(late);
  await rollBack(good);
  guarded.answer('/late', scattered(500, 1_000));
  await guarded.refresh(late);
  expect(await heldFor(late)).toEqual(['rolled_back']);
  expect(await guarded.routes()).toEqual([...GOOD].sort());
  const { held } = await guarded.module(late);
  await guarded.release(late, { override: ['rolled_back'], reason: 'meant', snapshot: held!.snapshot });
  expect(await guarded.routes()).toEqual([...GOOD, ...scattered(500, 1_000)].sort());
});

test('an exclusion that the old revision did not have goes on', async () => {
  await applied(guarded, GOOD);
  const good = (await guarded.runs())!;
  const out = await guarded.addModule('out', { purpose: 'exclude', community_id: null });
  await guarded.addSource(out, '/out');
  guarded.answer('/out', [GOOD[0]!]);
  await guarded.refresh(out);
  await rollBack(good);
  await guarded.refresh(out);
  expect(await heldFor(out)).toBeUndefined();
  expect(await guarded.routes()).toEqual(GOOD.slice(1).sort());
});

test('a rollback forward again frees the module at once', async () => {
  const { moduleId } = await applied(guarded, GOOD);
  const good = (await guarded.runs())!;
  guarded.answer('/list', BAD);
  const bad = (await guarded.refresh(moduleId)).id;
  await rollBack(good);
  expect(await heldFor(moduleId)).toEqual(['rolled_back']);
  await rollBack(bad);
  expect(await heldFor(moduleId)).toBeUndefined();
  expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual([...BAD].sort());
});
