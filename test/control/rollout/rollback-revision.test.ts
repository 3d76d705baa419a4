import { afterAll, beforeAll, expect, test } from 'vitest';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { insertModule } from '../../../src/store/modules/modules.ts';
import { deleteIpRangeEntry, insertIpRangeEntries } from '../../../src/store/entries/ip-range-entries.ts';
import { releaseModule } from '../../../src/control/revisions/release-module.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane.close());

test('a speaker runs the old content again, and one whose wrong apply is still waiting never ends at it', async () => {
  const speaker = await plane.addSpeaker('edge');
  const { resource: module } = await plane.run((tx) =>
    insertModule(tx, { name: 'ranges', type: 'IP_RANGES' }),
  );
  const add = (cidr: string) => plane.run((tx) => insertIpRangeEntries(tx, module.id, [{ cidr }], () => ''));
  const holding = await plane.hold();
  await add('5.0.0.0/24');
  const good = await plane.succeeded(await plane.refresh(module.id));
  await holding.close();

  // Nobody holds the speaker now, so the apply of this revision waits.
  await add('6.0.0.0/24');
  const { result: bad } = await plane.ended(await plane.refresh(module.id));
  const made = await plane.run((tx) => rollbackRevision(tx, plane.context, String(good.revision_id)));
  expect(made.resource.parent_id).toBe(bad!.revision_id);
  await plane.hold();
  const job = await plane.ended({ id: made.resource.apply_job_id! });
  expect(job).toMatchObject({ state: 'succeeded' });
  await plane.ended({ id: String(bad!.apply_job_id) });
  expect((await plane.speaker(speaker.id)).applied_revision_id).toBe(made.resource.id);
  expect(Object.keys(await plane.routes(made.resource.id))).toEqual(['5.0.0.0/24']);
});

test('what a rollback took back stays back, whatever else is refreshed or edited, until it is corrected or released', async () => {
  const make = (name: string) => plane.run((tx) => insertModule(tx, { name, type: 'IP_RANGES' }));
  const [{ resource: slipped }, { resource: other }, { resource: late }] = [
    await make('slipped'),
    await make('other'),
    await make('late'),
  ];
  const add = (id: string, cidr: string) =>
    plane.run((tx) => insertIpRangeEntries(tx, id, [{ cidr }], () => ''));
  /** Refreshes the module, and tells what the revision of it has that the others of this file have not. */
  const refreshed = async (id: string): Promise<{ routes: string[]; quarantined: unknown }> => {
    const { revision_id: revision, quarantined } = await plane.succeeded(await plane.refresh(id));
    const routes = Object.keys(await plane.routes(String(revision))).filter((prefix) =>
      /^1[1-9]\./.test(prefix),
    );
    return { routes: routes.sort(), quarantined };
  };
  const heldCodes = async (id: string): Promise<string[] | undefined> =>
    (await plane.run((tx) => getModule(tx, id))).resource.held?.findings.map(({ code }) => code);

  await add(slipped.id, '11.0.0.0/24');
  await plane.succeeded(await plane.refresh(slipped.id));
  await add(other.id, '12.0.0.0/24');
  const good = await plane.succeeded(await plane.refresh(other.id));
  await add(slipped.id, '13.0.0.0/24');
  await plane.succeeded(await plane.refresh(slipped.id));
  await add(late.id, '14.0.0.0/24');
  expect((await refreshed(late.id)).routes).toEqual([
    '11.0.0.0/24',
    '12.0.0.0/24',
    '13.0.0.0/24',
    '14.0.0.0/24',
  ]);

  const back = await plane.run((tx) => rollbackRevision(tx, plane.context, String(good.revision_id)));
  expect(back.resource.quarantined.map(({ module_id }) => module_id).sort()).toEqual(
    [slipped.id, late.id].sort(),
  );
  expect([await heldCodes(slipped.id), await heldCodes(other.id), await heldCodes(late.id)]).toEqual([
    ['rolled_back'],
    undefined,
    ['rolled_back'],
  ]);

  // Nothing new, in the module itself or another, brings nothing back; an edit of another goes through.
  for (const { id } of [slipped, other])
    expect(await refreshed(id)).toEqual({
      routes: ['11.0.0.0/24', '12.0.0.0/24'],
      quarantined: expect.arrayContaining([slipped.id, late.id]) as unknown,
    });
  await add(other.id, '15.0.0.0/24');
  expect((await refreshed(other.id)).routes).toEqual(['11.0.0.0/24', '12.0.0.0/24', '15.0.0.0/24']);

  // Once more to the same revision: it is still so.
  await plane.run((tx) => rollbackRevision(tx, plane.context, String(good.revision_id)));
  expect((await refreshed(slipped.id)).routes).toEqual(['11.0.0.0/24', '12.0.0.0/24']);

  // The one is let through, the other corrected.
  const { resource } = await plane.run((tx) => getModule(tx, late.id));
  const request = { override: ['rolled_back' as const], reason: 'meant', snapshot: resource.held!.snapshot };
  await plane.succeeded(
    await plane.run((tx) => releaseModule(tx, { ...plane.context, role: 'operator' }, late.id, request)),
  );
  expect((await refreshed(late.id)).routes).toEqual(['11.0.0.0/24', '12.0.0.0/24', '14.0.0.0/24']);
  await add(slipped.id, '16.0.0.0/24');
  expect(await heldCodes(slipped.id)).toEqual(['rolled_back']);
  expect((await refreshed(slipped.id)).routes).toEqual([
    ...['11.0.0.0/24', '12.0.0.0/24', '13.0.0.0/24', '14.0.0.0/24', '16.0.0.0/24'],
  ]);
  expect(await heldCodes(slipped.id)).toBeUndefined();
});

test('a range that a rollback took back is corrected by removing it: what was added with it is announced at once', async () => {
  const make = (name: string) => plane.run((tx) => insertModule(tx, { name, type: 'IP_RANGES' }));
  const [{ resource: list }, { resource: other }] = [await make('corrected'), await make('beside')];
  const add = async (id: string, cidr: string): Promise<string> => {
    const [made] = await plane.run((tx) => insertIpRangeEntries(tx, id, [{ cidr }], () => ''));
    return made!.resource.id;
  };
  const routes = async (id: string): Promise<string[]> => {
    const { revision_id: revision } = await plane.succeeded(await plane.refresh(id));
    return Object.keys(await plane.routes(String(revision))).filter((prefix) => prefix.startsWith('2'));
  };
  await add(list.id, '21.0.0.0/24');
  const good = await plane.succeeded(await plane.refresh(list.id));
  const wrong = await add(list.id, '22.0.0.0/24');
  await add(list.id, '23.0.0.0/24');
  await plane.succeeded(await plane.refresh(list.id));
  await plane.run((tx) => rollbackRevision(tx, plane.context, String(good.revision_id)));
  await add(other.id, '24.0.0.0/24');
  expect(await routes(other.id)).toEqual(['21.0.0.0/24', '24.0.0.0/24']);

  await plane.run((tx) => deleteIpRangeEntry(tx, list.id, wrong, null));
  expect(await routes(other.id)).toEqual(['21.0.0.0/24', '23.0.0.0/24', '24.0.0.0/24']);
  expect((await plane.run((tx) => getModule(tx, list.id))).resource.held).toBeNull();
});
