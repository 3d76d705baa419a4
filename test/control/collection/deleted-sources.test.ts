/** A source that is deleted leaves at once, by a revision of the edit. What the next refresh by the clock collects says the same without it. */
import { beforeEach, expect, test } from 'vitest';
import { SCHEDULER } from '../../../src/control/actor.ts';
import { requestBuild } from '../../../src/control/revisions/coalesced-build.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { useLists } from '../lists-scene.ts';

const lists = useLists();
const { addSource, byClock } = lists;
beforeEach(() => lists.plane.deleteModules());

const addModule = (): Promise<string> => lists.addModule({ name: 'list', type: 'CDN_SOURCES' });
const answer = (path: string, ...prefixes: string[]) =>
  lists.plane.answers.set(path, serves(prefixes.join('\n')));
const remove = (id: string) =>
  lists.plane.run((tx) => tx.sql.deleteFrom('cdn_source').where('id', '=', id).execute());

async function followEdit() {
  const { queue } = lists.plane.context;
  return lists.plane.succeeded(
    await lists.plane.run((tx) => requestBuild(tx, queue, { cause: 'edit', actor: SCHEDULER })),
  );
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
  const asked = await lists.plane.succeeded(await lists.plane.refresh(module));
  expect(asked).toMatchObject({ revision_created: true, content_changed: false });
});

test('nor of a source that had nothing', async () => {
  const module = await addModule();
  await addSource(module, '/stays');
  answer('/stays', '21.0.0.0/24');
  const first = await byClock(module);
  const gone = await addSource(module, '/empty');
  lists.plane.answers.set('/empty', (_, response) => void response.writeHead(500).end());
  const failed = await byClock(module);
  await remove(gone);
  await followEdit();
  const { number } = await lists.plane.revision(String((await byClock(module)).revision_id));
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
  await lists.plane.run((tx) => rollbackRevision(tx, lists.plane.context, String(good.revision_id)));
  const codes = async () =>
    (await lists.plane.run((tx) => getModule(tx, module))).resource.held?.findings.map(({ code }) => code);
  expect(await codes()).toEqual(['rolled_back']);
  const next = await lists.plane.succeeded(await lists.plane.refresh(module));
  expect(Object.keys(await lists.plane.routes(String(next.revision_id)))).toEqual(['21.0.0.0/24']);
  expect(await codes()).toEqual(['rolled_back']);
});
