import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeCdnSource, createCdnSources } from '../../../src/control/entries/cdn-sources.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { listRevisionPrefixes } from '../../../src/control/differences/revision-prefixes.ts';
import { rollbackRevision } from '../../../src/control/rollout/rollback-revision.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { type Plane, startPlane } from '../plane.ts';

let plane: Plane;
const ids = new Map<string, string>();

beforeAll(async () => {
  plane = await startPlane();
  const add = async (
    name: string,
    type: 'CDN_SOURCES' | 'IP_RANGES',
    families?: ['ipv4'],
  ): Promise<string> => {
    const body = { name, type, ...(families === undefined ? {} : { families }) };
    const { resource } = await plane.run((tx) => createModule(tx, body));
    ids.set(name, resource.id);
    return resource.id;
  };
  const url = `${plane.lists.origin}/list`;
  const list = await add('list', 'CDN_SOURCES', ['ipv4']);
  await plane.run((tx) => createCdnSources(tx, plane.context, list, [{ name: 'list', url }], String));
  const ranges = await add('ranges', 'IP_RANGES');
  const cidrs = ['45.0.1.0/24', '46.0.0.0/24', '2600:80::/32'];
  await plane.run((tx) =>
    createIpRangeEntries(
      tx,
      ranges,
      cidrs.map((cidr) => ({ cidr })),
      String,
    ),
  );
  await add('later', 'IP_RANGES');
});
afterAll(() => plane?.close());

const refresh = async (name: string): Promise<string> =>
  String((await plane.succeeded(await plane.refresh(ids.get(name)!))).revision_id);
const prefixesOf = async (revision: string, name: string): Promise<string[]> => {
  const query = { module_id: ids.get(name)! };
  const { items } = await plane.run((tx) => listRevisionPrefixes(tx, revision, query));
  return items.map(({ prefix }) => prefix);
};

test('a module has the prefixes that hold what it contributed, as it was when the revision was built', async () => {
  plane.answers.set('/list', serves('45.0.0.0/24\n47.0.0.0/24\n2600:81::/32\n'));
  await refresh('ranges');
  const revision = await refresh('list');
  // One prefix of two modules belongs to both; what the module's families leave out, to nobody.
  expect(await prefixesOf(revision, 'list')).toEqual(['45.0.0.0/23', '47.0.0.0/24']);
  expect(await prefixesOf(revision, 'ranges')).toEqual(['45.0.0.0/23', '46.0.0.0/24', '2600:80::/32']);

  plane.answers.set('/list', serves('48.0.0.0/24\n'));
  const next = await refresh('list');
  expect(await prefixesOf(next, 'list')).toEqual(['48.0.0.0/24']);
  expect(await prefixesOf(revision, 'list')).toEqual(['45.0.0.0/23', '47.0.0.0/24']);
  const back = await plane.run((tx) => rollbackRevision(tx, plane.context, revision));
  expect(await prefixesOf(back.resource.id, 'list')).toEqual(['45.0.0.0/23', '47.0.0.0/24']);
});

test('what an entry contributed that was switched off since is not the prefix of its module, though another list has it', async () => {
  const id = ids.get('list')!;
  plane.answers.set('/list', serves('48.0.0.0/24\n'));
  plane.answers.set('/other', serves('46.0.0.0/24\n'));
  const other = { name: 'other', url: `${plane.lists.origin}/other` };
  const [made] = await plane.run((tx) => createCdnSources(tx, plane.context, id, [other], String));
  const both = await refresh('list');
  expect(await prefixesOf(both, 'list')).toEqual(['46.0.0.0/24', '48.0.0.0/24']);
  const { resource } = made!;
  await plane.run((tx) => changeCdnSource(tx, plane.context, id, resource.id, { enabled: false }, null));
  const without = await refresh('ranges');
  expect(await prefixesOf(without, 'list')).toEqual(['48.0.0.0/24']);
  expect(await prefixesOf(without, 'ranges')).toContain('46.0.0.0/24');
});

test('pages of any length have every prefix once, in order, through both families', async () => {
  const revision = await refresh('ranges');
  const pagesOf = async (limit: number): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = { limit, ...(cursor === '' ? {} : { cursor }) };
      const page: Awaited<ReturnType<typeof listRevisionPrefixes>> = await plane.run((tx) =>
        listRevisionPrefixes(tx, revision, query),
      );
      found.push(...page.items.map(({ prefix }) => prefix));
      cursor = page.next_cursor;
    }
    return found;
  };
  const whole = await pagesOf(100);
  expect(whole).toContain('2600:80::/32');
  for (const limit of [1, 2, 3]) expect(await pagesOf(limit), `pages of ${limit}`).toEqual(whole);
});

test('a module that the revision was not built from is reported', async () => {
  const revision = await refresh('ranges');
  await expect(prefixesOf(revision, 'later')).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: '?module_id' }],
  });
});
