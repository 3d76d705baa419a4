/** A source that is deleted leaves at once, by a revision of the edit. What the next refresh by the clock collects says the same without it. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { requestRefresh } from '../../../src/control/collection/refresh-module.ts';
import { SCHEDULER } from '../../../src/control/editors.ts';
import { createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { requestBuild } from '../../../src/control/revisions/coalesced-build.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
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

async function addModule(): Promise<string> {
  const body = { name: 'list', type: 'CDN_SOURCES', community_id: community } as const;
  return (await plane.run((tx) => createModule(tx, body))).resource.id;
}

async function addSource(moduleId: string, path: string): Promise<string> {
  const body = { name: path, url: plane.lists.origin + path };
  const [made] = await plane.run((tx) => createCdnSources(tx, plane.context, moduleId, [body], () => ''));
  return made!.resource.id;
}

const answer = (path: string, ...prefixes: string[]) => plane.answers.set(path, serves(prefixes.join('\n')));
const remove = (id: string) =>
  plane.run((tx) => tx.sql.deleteFrom('cdn_source').where('id', '=', id).execute());

async function byClock(moduleId: string) {
  const { queue } = plane.context;
  return plane.succeeded(await plane.run((tx) => requestRefresh(tx, queue, moduleId, SCHEDULER)));
}

async function followEdit() {
  const { queue } = plane.context;
  return plane.succeeded(await plane.run((tx) => requestBuild(tx, queue, 'edit', SCHEDULER)));
}

test('no revision says so once more', async () => {
  const module = await addModule();
  await addSource(module, '/stays');
  const gone = await addSource(module, '/goes');
  answer('/stays', '21.0.0.0/24', '21.0.2.0/24');
  answer('/goes', '21.0.1.0/24', '21.0.2.0/24');
  await byClock(module);
  await remove(gone);
  const edited = await followEdit();
  expect(edited).toMatchObject({ revision_created: true, content_changed: true });
  for (let times = 0; times < 2; times++)
    expect(await byClock(module)).toMatchObject({
      ...{ revision_created: false, content_changed: false, revision_id: edited.revision_id },
    });
  const asked = await plane.succeeded(await plane.refresh(module));
  expect(asked).toMatchObject({ revision_created: true, content_changed: false });
});

test('nor of a source that had nothing', async () => {
  const module = await addModule();
  await addSource(module, '/stays');
  answer('/stays', '21.0.0.0/24');
  const first = await byClock(module);
  const gone = await addSource(module, '/empty');
  plane.answers.set('/empty', (_, response) => void response.writeHead(500).end());
  const failed = await byClock(module);
  await remove(gone);
  await followEdit();
  const { number } = await plane.revision(String((await byClock(module)).revision_id));
  expect([first.number, failed.number]).toContain(number);
});

test('one that comes from another source of the list is said', async () => {
  const module = await addModule();
  await addSource(module, '/one');
  await addSource(module, '/other');
  answer('/one', '21.0.0.0/24', '21.0.2.0/24');
  answer('/other', '21.0.0.0/24');
  const first = await byClock(module);
  answer('/one', '21.0.2.0/24');
  const moved = await byClock(module);
  expect(moved).toMatchObject({ revision_created: true, content_changed: false });
  expect(moved.number).toBe(Number(first.number) + 1);
});

test('a rollback takes back what the list has by then', async () => {
  const module = await addModule();
  await addSource(module, '/stays');
  answer('/stays', '21.0.0.0/24');
  const good = await byClock(module);
  const gone = await addSource(module, '/goes');
  answer('/goes', '21.0.1.0/24');
  answer('/stays', '21.0.0.0/24', '22.0.0.0/24');
  await byClock(module);
  await remove(gone);
  const edited = await followEdit();
  expect(await byClock(module)).toMatchObject({ revision_id: edited.revision_id });
  await plane.run((tx) => rollbackRevision(tx, plane.context, String(good.revision_id)));
  const codes = async () =>
    (await plane.run((tx) => getModule(tx, module))).resource.held?.findings.map(({ code }) => code);
  expect(await codes()).toEqual(['rolled_back']);
  const next = await plane.succeeded(await plane.refresh(module));
  expect(Object.keys(await plane.routes(String(next.revision_id)))).toEqual(['21.0.0.0/24']);
  expect(await codes()).toEqual(['rolled_back']);
});
