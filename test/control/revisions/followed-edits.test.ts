/** Every edit of what is announced leads to a revision by itself: one for all that come together. */
import { expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { ModulePatch } from '../../../src/api/lists/modules.ts';
import { changeCdnSource } from '../../../src/control/entries/cdn-sources.ts';
import { importEntries } from '../../../src/control/entries/import-entries.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { changeCommunity } from '../../../src/control/tenants/communities.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { deleteIpRangeEntry } from '../../../src/store/entries/ip-range-entries.ts';
import { deleteModule } from '../../../src/store/modules/modules.ts';
import { countPending } from '../../../src/store/modules/pending-changes.ts';
import { isThorough } from '../../fuzz.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { useFollowedEdits } from './followed-edits.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';

const { lists, jobs, settled, during, changeRange } = useFollowedEdits();
const { addModule, addRanges, addSource, change } = lists;

test('a range that is added, disabled, enabled, given another community, deleted', async () => {
  const module = await addModule({ name: 'ranges' });
  const added = await during(() => addRanges(module, '11.0.0.1/32', '12.0.0.0/24'));
  expect(added.routes).toEqual({ '11.0.0.1/32': ['64500:1'], '12.0.0.0/24': ['64500:1'] });
  expect(added.revisions).toMatchObject([{ trigger: { kind: 'edit', actor: 'auto:scheduler' } }]);
  const [id] = await addRanges(module, '13.0.0.0/24');
  await settled();
  expect((await during(() => changeRange(module, id!, { enabled: false }))).routes).not.toHaveProperty(
    '13.0.0.0/24',
  );
  expect(
    (await during(() => changeRange(module, id!, { enabled: true, community_id: lists.blue }))).routes,
  ).toMatchObject({
    '13.0.0.0/24': ['64500:2'],
  });
  const removed = await during(() => lists.plane.run((tx) => deleteIpRangeEntry(tx, module, id!, null)));
  expect(removed).toMatchObject({ routes: added.routes, refreshes: 0 });
  expect(removed.revisions).toHaveLength(1);
});

test('whose edits they are, the revision says: of one, of several, and of nobody', async () => {
  const { database, tenantId } = lists.plane;
  const module = await addModule({ name: 'signed' });
  const add = (cidr: string, actor: string) =>
    database.db.inTenant(
      tenantId,
      (tx) => createIpRangeEntries(tx, module, [{ cidr }], () => ''),
      undefined,
      actor,
    );
  const asked = async (job: Job['type']) => (await jobs(job))[0]!.requested_by;
  const one = await during(() => add('11.0.0.0/24', "key:maria's \\ night"));
  expect(one.revisions).toMatchObject([{ trigger: { kind: 'edit', actor: "key:maria's \\ night" } }]);
  expect(await asked('module_refresh')).toBe("key:maria's \\ night");
  const several = await during(async () => {
    for (const [at, name] of ['b', 'a', 'c', 'a'].entries()) await add(`12.0.${at * 2}.0/24`, `key:${name}`);
  });
  expect(several.revisions).toHaveLength(1);
  expect(several.revisions).toMatchObject([{ trigger: { actor: 'key:a and 2 more' } }]);
  const nobody = await during(() => addRanges(module, '13.0.0.0/24'));
  expect(nobody.revisions).toMatchObject([{ trigger: { actor: 'auto:scheduler' } }]);
});

test('a module that is disabled, enabled, given another community, other families, another purpose, deleted', async () => {
  const module = await addModule({ name: 'whole' });
  const other = await addModule({ name: 'other', community_id: lists.blue });
  await addRanges(module, '11.0.0.0/24', '2600:11::/32');
  await addRanges(other, '11.0.0.0/23');
  const all = await settled();
  expect(Object.keys(all)).toHaveLength(3);
  const routesAfter = async (patch: ModulePatch) => (await during(() => change(module, patch))).routes;
  expect(await routesAfter({ enabled: false })).toEqual({ '11.0.0.0/23': ['64500:2'] });
  expect(await routesAfter({ enabled: true })).toEqual(all);
  expect(await routesAfter({ community_id: lists.blue })).toEqual({
    '11.0.0.0/23': ['64500:2'],
    '2600:11::/32': ['64500:2'],
  });
  expect(await routesAfter({ families: ['ipv4'] })).toEqual({ '11.0.0.0/23': ['64500:2'] });
  expect(await routesAfter({ purpose: 'exclude' })).toEqual({ '11.0.1.0/24': ['64500:2'] });
  expect((await during(() => lists.plane.run((tx) => deleteModule(tx, module, null)))).routes).toEqual({
    '11.0.0.0/23': ['64500:2'],
  });
});

test('the value of a community, and the default community', async () => {
  const module = await addModule({ name: 'labelled', community_id: null });
  await addRanges(module, '11.0.0.0/24');
  expect(await settled()).toEqual({ '11.0.0.0/24': [] });
  const green = await lists.plane.addCommunity('64500:3');
  const settings = await during(() =>
    lists.plane.run((tx) => changeSettings(tx, { default_community_id: green })),
  );
  expect(settings.routes).toEqual({ '11.0.0.0/24': ['64500:3'] });
  const renamed = await during(() =>
    lists.plane.run((tx) => changeCommunity(tx, lists.plane.context, green, { community: '64500:33' }, null)),
  );
  expect(renamed.routes).toEqual({ '11.0.0.0/24': ['64500:33'] });
});

test('another community that has the value of the one before, and all routes are as they were', async () => {
  const { plane } = lists;
  const [former, other] = [await plane.addCommunity('64500:41'), await plane.addCommunity('64500:42')];
  const module = await addModule({ name: 'renamed', community_id: former });
  await addRanges(module, '11.0.0.0/24');
  const before = await settled();
  const { revisions, routes } = await during(() =>
    plane.run(async (tx) => {
      for (const [id, community] of [
        [former, '64500:43'],
        [other, '64500:41'],
      ] as const)
        await changeCommunity(tx, plane.context, id, { community }, null);
      await changeModule(tx, module, { community_id: other }, null);
    }),
  );
  expect(routes).toEqual(before);
  expect(revisions).toMatchObject([{ communities: [{ community_id: other, community: '64500:41' }] }]);
});

test('a source that is added, pointed elsewhere, disabled and enabled is collected by itself', async () => {
  lists.plane.answers.set('/one', serves('11.0.0.0/24'));
  lists.plane.answers.set('/two', serves('12.0.0.0/24'));
  const module = await addModule({ name: 'sources', type: 'CDN_SOURCES' });
  let id = '';
  const added = await during(async () => (id = await addSource(module, '/one')));
  expect(added).toMatchObject({ routes: { '11.0.0.0/24': ['64500:1'] }, refreshes: 1 });
  const edit = (patch: object) => () =>
    lists.plane.run((tx) => changeCdnSource(tx, lists.plane.context, module, id, patch, null));
  expect((await during(edit({ url: `${lists.plane.lists.origin}/two` }))).routes).toEqual({
    '12.0.0.0/24': ['64500:1'],
  });
  expect((await during(edit({ enabled: false }))).routes).toEqual({});
  expect((await during(edit({ enabled: true }))).routes).toEqual({ '12.0.0.0/24': ['64500:1'] });
});

test('many at once are one revision; an import is one as well', async () => {
  const [one, two] = [
    await addModule({ name: 'one' }),
    await addModule({ name: 'two', community_id: lists.blue }),
  ];
  const both = await during(() =>
    Promise.all([
      addRanges(one, '11.0.0.0/24'),
      addRanges(two, '12.0.0.0/24'),
      addRanges(one, '13.0.0.0/24'),
    ]),
  );
  expect(Object.keys(both.routes)).toHaveLength(3);
  expect(both.revisions).toHaveLength(1);
  const imported = isThorough ? 20_000 : 2_000;
  const lines = Array.from(
    { length: imported },
    (_, i) => `${20 + (i >> 15)}.${(i >> 7) & 255}.${(i & 127) * 2}.0/24`,
  );
  const csv = Buffer.from(`cidr\n${lines.join('\n')}\n`);
  const after = await during(() =>
    lists.plane.run(async (tx) => {
      await importEntries(tx, one, csv, { mode: 'append', dryRun: false });
      expect((await countPending(tx)).count).toBe(imported);
    }),
  );
  expect(after.revisions).toMatchObject([{ prefix_count: { ipv4: imported + 3 } }]);
});
