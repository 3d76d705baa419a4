/** What is held stays held when somebody switches the source off and on: what it had when it was accepted is what its next answer is measured from. */
import { beforeAll, describe, expect, test } from 'vitest';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { listRevisionInputs } from '../../../src/store/revisions/revision-history.ts';
import { pruneRevisions } from '../../../src/store/revisions/revision-prune.ts';
import type { Plane } from '../plane.ts';
import { applied, scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const GOOD = scattered(200);
const OTHERS = scattered(50, 3_000);
const POISON = scattered(900, 300);
const reason = 'the provider has moved';
const sorted = (...lists: string[][]) => lists.flat().sort();

/** A module of two sources, of which the first lies and is held for it. */
async function held() {
  guarded.answer('/others', OTHERS);
  const { moduleId, sourceId } = await applied(guarded, GOOD);
  const otherId = await guarded.addSource(moduleId, '/others');
  const range = await guarded.addRange('range', '46.0.0.0/24');
  await guarded.refresh(range);
  await guarded.refresh(moduleId);
  await guarded.set({ guard_max_withdraw_percent: 100 });
  guarded.answer('/list', POISON);
  expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  return { moduleId, sourceId, otherId, range };
}

/** What is held stays as it was accepted: while the source was off, that was nothing of it. */
async function expectHeld(moduleId: string, stays: string[] = []): Promise<void> {
  const { quarantined } = await guarded.refresh(moduleId);
  expect(quarantined).toMatchObject([{ module_id: moduleId, findings: [{ code: 'max_change_exceeded' }] }]);
  expect(await guarded.routes()).toEqual(sorted(stays, OTHERS, ['46.0.0.0/24']));
}

describe('a source that lies', () => {
  test('is held again after it was off and on', async () => {
    const { moduleId, sourceId, range } = await held();
    await guarded.enableSource(moduleId, sourceId, false);
    expect(await guarded.refresh(range)).toMatchObject({ quarantined: [] });
    expect(await guarded.routes()).toEqual(sorted(OTHERS, ['46.0.0.0/24']));
    await guarded.enableSource(moduleId, sourceId, true);
    await expectHeld(moduleId);
  });

  test('is held again when the module was refreshed, and revisions were pruned, in between', async () => {
    const { moduleId, sourceId } = await held();
    await guarded.enableSource(moduleId, sourceId, false);
    for (const _ of [1, 2]) expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [] });
    expect(await guarded.routes()).toEqual(sorted(OTHERS, ['46.0.0.0/24']));
    await plane.run((tx) => pruneRevisions(tx, 0));
    await guarded.enableSource(moduleId, sourceId, true);
    await expectHeld(moduleId);
  });

  test('is held again when its module was off and on', async () => {
    const { moduleId, range } = await held();
    await plane.run((tx) => changeModule(tx, moduleId, { enabled: false }, null));
    await guarded.refresh(range);
    expect(await guarded.routes()).toEqual(['46.0.0.0/24']);
    await plane.run((tx) => changeModule(tx, moduleId, { enabled: true }, null));
    await expectHeld(moduleId, GOOD);
  });

  test('is held no more once it says again what it said', async () => {
    const { moduleId, sourceId, range } = await held();
    await guarded.enableSource(moduleId, sourceId, false);
    await guarded.refresh(range);
    await guarded.enableSource(moduleId, sourceId, true);
    await expectHeld(moduleId);
    guarded.answer('/list', GOOD);
    expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
    expect(await guarded.routes()).toEqual(sorted(GOOD, OTHERS, ['46.0.0.0/24']));
  });

  test('is announced once somebody lets it through, then off and on as well', async () => {
    const { moduleId, sourceId, range } = await held();
    await guarded.enableSource(moduleId, sourceId, false);
    await guarded.refresh(range);
    await guarded.enableSource(moduleId, sourceId, true);
    await expectHeld(moduleId);
    await guarded.release(moduleId, { override: ['max_change_exceeded'], reason });
    for (const enabled of [false, true]) {
      await guarded.enableSource(moduleId, sourceId, enabled);
      expect(await guarded.refresh(enabled ? moduleId : range)).toMatchObject({ quarantined: [] });
      expect(await guarded.routes()).toEqual(sorted(enabled ? POISON : [], OTHERS, ['46.0.0.0/24']));
    }
  });
});

test('is held again when another source changed meanwhile', async () => {
  const { moduleId, sourceId } = await held();
  guarded.answer('/others', OTHERS.slice(1));
  await guarded.enableSource(moduleId, sourceId, false);
  for (const _ of [1, 2]) expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [] });
  await guarded.enableSource(moduleId, sourceId, true);
  expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.routes()).toEqual(sorted(OTHERS.slice(1), ['46.0.0.0/24']));
});

test('a source that lied to nobody is switched off and on whatever it says then', async () => {
  const { moduleId, sourceId } = await applied(guarded, GOOD);
  await guarded.set({ guard_max_withdraw_percent: 100 });
  await guarded.enableSource(moduleId, sourceId, false);
  await guarded.refresh(moduleId);
  guarded.answer('/list', POISON);
  await guarded.enableSource(moduleId, sourceId, true);
  expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual(sorted(POISON));
});

test('a source that is given another address while it is off is measured from nothing', async () => {
  const { moduleId, sourceId } = await held();
  const { url } = await guarded.source(moduleId, sourceId);
  await guarded.editSource(moduleId, sourceId, { enabled: false, url: `${url}?of=another` });
  guarded.answer('/list?of=another', POISON);
  await guarded.refresh(moduleId);
  await guarded.enableSource(moduleId, sourceId, true);
  expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual(sorted(POISON, OTHERS, ['46.0.0.0/24']));
});

test('what is edited beside a source that is off is remembered as it is now', async () => {
  const { moduleId, sourceId, otherId, range } = await held();
  await guarded.enableSource(moduleId, sourceId, false);
  await guarded.refresh(range);
  const { url } = await guarded.source(moduleId, otherId);
  await guarded.editSource(moduleId, otherId, { url: `${url}?of=another` });
  guarded.answer('/others?of=another', OTHERS);
  await guarded.refresh(moduleId);
  guarded.answer('/others?of=another', POISON);
  expect(await guarded.refresh(moduleId)).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  expect(await guarded.routes()).toEqual(sorted(OTHERS, ['46.0.0.0/24']));
});

test('a revision says of a held module which sources were off', async () => {
  const { moduleId, otherId, range } = await held();
  await guarded.enableSource(moduleId, otherId, false);
  const revision = await guarded.refresh(range);
  expect(revision).toMatchObject({ quarantined: [{ module_id: moduleId }] });
  const inputs = await plane.run((tx) => listRevisionInputs(tx, revision.id));
  expect(inputs.find(({ module_id: id }) => id === moduleId)?.left_out).toEqual([otherId]);
});
