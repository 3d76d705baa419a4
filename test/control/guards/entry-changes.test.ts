/** A source that is small beside another one of its module is held for what it loses by itself all the same. */
import { expect, test } from 'vitest';
import { diffHeldModule } from '../../../src/control/revisions/held-diff.ts';
import { scattered, useGuarded } from './guarded.ts';

const guarded = useGuarded();
const reason = 'the provider left that network';

const LARGE = scattered(2_000);
const SMALL = scattered(181, 3_000);
const HANDFUL = scattered(12, 4_000);

/** Three sources in one module, applied. */
async function hyper(): Promise<{ moduleId: string; small: string; handful: string }> {
  const moduleId = await guarded.addModule('hyper');
  await guarded.addSource(moduleId, '/aws');
  const small = await guarded.addSource(moduleId, '/do');
  const handful = await guarded.addSource(moduleId, '/few');
  guarded.answer('/aws', LARGE);
  guarded.answer('/do', SMALL);
  guarded.answer('/few', HANDFUL);
  await guarded.set({ guard_max_withdraw_percent: 100 });
  await guarded.refresh(moduleId);
  expect(await guarded.routes()).toEqual(all());
  return { moduleId, small, handful };
}

function all(...lists: readonly (readonly string[])[]): string[] {
  return [LARGE, ...(lists.length > 0 ? lists : [SMALL, HANDFUL])].flat().sort();
}

test('a source that is cut to one line keeps its routes, and the finding names it', async () => {
  const { moduleId, small } = await hyper();
  guarded.answer('/do', SMALL.slice(0, 1));
  const revision = await guarded.refresh(moduleId);
  expect(revision).toMatchObject({ state: 'ready', quarantined: [{ module_id: moduleId }] });
  const { held } = await guarded.module(moduleId);
  expect(held!.findings).toMatchObject([
    { code: 'max_change_exceeded', module_id: moduleId, entry_id: small, measured: 99.45, limit: 30 },
  ]);
  expect(await guarded.source(moduleId, small)).toMatchObject({ held: true });
  expect(await guarded.routes()).toEqual(all());
  // It is free again when the list is whole again.
  guarded.answer('/do', SMALL);
  expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual(all());
});

test('its release withdraws what the difference shows, and the next refresh has nothing against it', async () => {
  const { moduleId } = await hyper();
  guarded.answer('/do', SMALL.slice(0, 1));
  await guarded.refresh(moduleId);
  const diff = await guarded.plane.run((tx) => diffHeldModule(tx, moduleId, { limit: 1 }));
  expect(diff.summary).toMatchObject({ announced: 0, withdrawn: 180 });
  await guarded.release(moduleId, { override: ['max_change_exceeded'], reason });
  expect(await guarded.routes()).toEqual(all(SMALL.slice(0, 1), HANDFUL));
  expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
});

test('a source of a few lines is held when most of them vanish, and not for an ordinary change', async () => {
  const { moduleId, handful } = await hyper();
  guarded.answer('/few', HANDFUL.slice(0, 3));
  expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual(all(SMALL, HANDFUL.slice(0, 3)));
  guarded.answer('/few', HANDFUL);
  await guarded.refresh(moduleId);
  guarded.answer('/few', HANDFUL.slice(0, 1));
  await guarded.refresh(moduleId);
  expect((await guarded.module(moduleId)).held!.findings).toMatchObject([{ entry_id: handful }]);
  expect(await guarded.routes()).toEqual(all());
});

test('what an operator edits of a source is no change by itself', async () => {
  const { moduleId, small } = await hyper();
  guarded.answer('/other', SMALL.slice(0, 1));
  await guarded.editSource(moduleId, small, { url: `${guarded.plane.lists.origin}/other` });
  expect(await guarded.refresh(moduleId)).toMatchObject({ state: 'ready', quarantined: [] });
  expect(await guarded.routes()).toEqual(all(SMALL.slice(0, 1), HANDFUL));
});

test('a source that was off while the module was held is measured when it is on again', async () => {
  const { moduleId, small, handful } = await hyper();
  guarded.answer('/do', SMALL.slice(0, 1));
  await guarded.refresh(moduleId);
  await guarded.enableSource(moduleId, small, false);
  await guarded.refresh(moduleId);
  await guarded.enableSource(moduleId, small, true);
  await guarded.refresh(moduleId);
  expect((await guarded.module(moduleId)).held!.findings).toMatchObject([{ entry_id: small }]);
  expect(await guarded.source(moduleId, handful)).toMatchObject({ held: false });
});
