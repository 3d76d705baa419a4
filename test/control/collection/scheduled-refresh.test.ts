/** Refreshes that nobody asked for: of modules with an interval. */
import { beforeEach, expect, test } from 'vitest';
import { getModule } from '../../../src/store/modules/modules.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { useLists } from '../lists-scene.ts';

const lists = useLists();
const { addSource, byClock } = lists;
beforeEach(() => lists.plane.deleteModules());

const addModule = (name: string): Promise<string> => lists.addModule({ name, type: 'CDN_SOURCES' });

test('a refresh by the clock makes a revision of what has changed alone; one that somebody asks for always does', async () => {
  const module = await addModule('hourly');
  await addSource(module, '/hourly');
  await addSource(module, '/beside');
  lists.plane.answers.set('/beside', serves('21.0.1.0/24'));
  const serve = (...lines: string[]) => lists.plane.answers.set('/hourly', serves(lines.join('\n')));
  serve('21.0.0.0/24');
  const first = await byClock(module);
  expect(first).toMatchObject({ revision_created: true, content_changed: true });
  const { last_refreshed_at: before } = (await lists.plane.run((tx) => getModule(tx, module))).resource;
  const again = await byClock(module);
  expect(again).toMatchObject({
    ...{ revision_created: false, content_changed: false, revision_id: first.revision_id, status: 'ok' },
  });
  const { last_refreshed_at: after } = (await lists.plane.run((tx) => getModule(tx, module))).resource;
  expect(Date.parse(after!)).toBeGreaterThan(Date.parse(before!));
  const asked = await lists.plane.succeeded(await lists.plane.refresh(module));
  expect(asked).toMatchObject({ revision_created: true, content_changed: false });
  expect(asked.number).toBe(Number(first.number) + 1);
  serve('21.0.0.0/24', '22.0.0.0/24');
  const changed = await byClock(module);
  expect(changed).toMatchObject({ revision_created: true, content_changed: true });
  // Back to an earlier state, it is another revision of the content that is there already.
  serve('21.0.0.0/24');
  const back = await byClock(module);
  expect(back).toMatchObject({ revision_created: true, content_changed: true });
  const hashOf = async (id: unknown) => (await lists.plane.revision(String(id))).content_hash;
  expect(await hashOf(back.revision_id)).toBe(await hashOf(first.revision_id));
});

test('a refresh by the clock says in a revision that an entry is too old, once', async () => {
  const module = await addModule('ageing');
  const id = await addSource(module, '/ageing');
  await addSource(module, '/fresh');
  lists.plane.answers.set('/fresh', serves('24.0.0.0/24'));
  lists.plane.answers.set('/ageing', serves('23.0.0.0/24'));
  const first = await byClock(module);
  lists.plane.answers.set('/ageing', (_, response) => void response.writeHead(500).end());
  await lists.plane.database.admin(
    "UPDATE cdn_source SET last_refreshed_at = now() - interval '200 hours' WHERE id = $1",
    [id],
  );
  const old = await byClock(module);
  expect(old).toMatchObject({ revision_created: true, content_changed: false, status: 'partial' });
  const { warnings } = await lists.plane.revision(String(old.revision_id));
  expect(warnings).toMatchObject([{ code: 'source_stale', entry_id: id }]);
  await lists.plane.database.admin(
    "UPDATE cdn_source SET last_refreshed_at = now() - interval '300 hours' WHERE id = $1",
    [id],
  );
  expect(await byClock(module)).toMatchObject({ revision_created: false, revision_id: old.revision_id });
  lists.plane.answers.set('/ageing', serves('23.0.0.0/24'));
  const good = await byClock(module);
  expect(good).toMatchObject({ revision_created: true, content_changed: false });
  const { content_hash: hash, warnings: none } = await lists.plane.revision(String(good.revision_id));
  expect(none).toEqual([]);
  expect(hash).toBe((await lists.plane.revision(String(first.revision_id))).content_hash);
});
