/** Refreshes that nobody asked for: of modules with an interval. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { requestRefresh } from '../../../src/control/collection/refresh-module.ts';
import { SCHEDULER } from '../../../src/control/editors.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
let community: string;
beforeAll(async () => {
  plane = await startPlane();
  community = await plane.addCommunity('64500:1');
});
afterAll(() => plane?.close());
beforeEach(() => plane.deleteModules());

async function addModule(name: string): Promise<string> {
  const body = { name, type: 'CDN_SOURCES', community_id: community } as const;
  return (await plane.run((tx) => createModule(tx, body))).resource.id;
}

async function addSource(moduleId: string, path: string): Promise<string> {
  const body = { name: path, url: plane.lists.origin + path };
  const [made] = await plane.run((tx) => createCdnSources(tx, plane.context, moduleId, [body], () => ''));
  return made!.resource.id;
}

async function byClock(moduleId: string) {
  const { queue } = plane.context;
  return plane.succeeded(await plane.run((tx) => requestRefresh(tx, queue, moduleId, SCHEDULER)));
}

test('a refresh by the clock makes a revision of what has changed alone; one that somebody asks for always does', async () => {
  const module = await addModule('hourly');
  await addSource(module, '/hourly');
  await addSource(module, '/beside');
  plane.answers.set('/beside', serves('21.0.1.0/24'));
  const serve = (...lines: string[]) => plane.answers.set('/hourly', serves(lines.join('\n')));
  serve('21.0.0.0/24');
  const first = await byClock(module);
  expect(first).toMatchObject({ revision_created: true, content_changed: true });
  const { last_refreshed_at: before } = (await plane.run((tx) => getModule(tx, module))).resource;
  const again = await byClock(module);
  expect(again).toMatchObject({
    ...{ revision_created: false, content_changed: false, revision_id: first.revision_id, status: 'ok' },
  });
  const { last_refreshed_at: after } = (await plane.run((tx) => getModule(tx, module))).resource;
  expect(Date.parse(after!)).toBeGreaterThan(Date.parse(before!));
  const asked = await plane.succeeded(await plane.refresh(module));
  expect(asked).toMatchObject({ revision_created: true, content_changed: false });
  expect(asked.number).toBe(Number(first.number) + 1);
  serve('21.0.0.0/24', '22.0.0.0/24');
  const changed = await byClock(module);
  expect(changed).toMatchObject({ revision_created: true, content_changed: true });
  // Back to an earlier state, it is another revision of the content that is there already.
  serve('21.0.0.0/24');
  const back = await byClock(module);
  expect(back).toMatchObject({ revision_created: true, content_changed: true });
  const hashOf = async (id: unknown) => (await plane.revision(String(id))).content_hash;
  expect(await hashOf(back.revision_id)).toBe(await hashOf(first.revision_id));
});

test('a refresh by the clock says in a revision that an entry is too old, once', async () => {
  const module = await addModule('ageing');
  const id = await addSource(module, '/ageing');
  await addSource(module, '/fresh');
  plane.answers.set('/fresh', serves('24.0.0.0/24'));
  plane.answers.set('/ageing', serves('23.0.0.0/24'));
  const first = await byClock(module);
  plane.answers.set('/ageing', (_, response) => void response.writeHead(500).end());
  await plane.database.admin(
    "UPDATE cdn_source SET last_refreshed_at = now() - interval '200 hours' WHERE id = $1",
    [id],
  );
  const old = await byClock(module);
  expect(old).toMatchObject({ revision_created: true, content_changed: false, status: 'partial' });
  const { warnings } = await plane.revision(String(old.revision_id));
  expect(warnings).toMatchObject([{ code: 'source_stale', entry_id: id }]);
  await plane.database.admin(
    "UPDATE cdn_source SET last_refreshed_at = now() - interval '300 hours' WHERE id = $1",
    [id],
  );
  expect(await byClock(module)).toMatchObject({ revision_created: false, revision_id: old.revision_id });
  plane.answers.set('/ageing', serves('23.0.0.0/24'));
  const good = await byClock(module);
  expect(good).toMatchObject({ revision_created: true, content_changed: false });
  const { content_hash: hash, warnings: none } = await plane.revision(String(good.revision_id));
  expect(none).toEqual([]);
  expect(hash).toBe((await plane.revision(String(first.revision_id))).content_hash);
});
