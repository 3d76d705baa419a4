import { afterAll, beforeAll, expect, test } from 'vitest';
import { importEntries } from '../../../src/control/entries/import-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { listCdnSources } from '../../../src/store/entries/cdn-sources.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { startPlane, type Plane } from '../plane.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.close());

const upload = (moduleId: string, lines: readonly string[], mode: 'append' | 'replace' = 'replace') =>
  plane.run(async (tx) => {
    const file = Buffer.from(`${lines.join('\n')}\n`);
    return (await importEntries(tx, moduleId, file, { mode, dryRun: false })).answer;
  });
const newModule = async (name: string, type: 'CDN_SOURCES' | 'IP_RANGES'): Promise<string> =>
  (await plane.run((tx) => createModule(tx, { name, type }))).resource.id;
const routesAfter = async (moduleId: string): Promise<string[]> => {
  const { revision_id: id } = await plane.succeeded(await plane.refresh(moduleId));
  return Object.keys(await plane.routes(String(id)));
};

test('an entry that a file replaces keeps its last good prefixes when its source fails', async () => {
  const module = await newModule('lists', 'CDN_SOURCES');
  const line = (name: string): string => `${name},${plane.lists.origin}/${name},text`;
  plane.answers.set('/a', serves('45.0.0.0/24\n'));
  plane.answers.set('/b', serves('45.0.2.0/24\n'));
  await upload(module, ['name,url,format', line('a'), line('b')]);
  expect(await routesAfter(module)).toEqual(['45.0.0.0/24', '45.0.2.0/24']);

  plane.answers.set('/a', (_, response) => response.writeHead(503).end());
  plane.answers.set('/c', serves('45.0.4.0/24\n'));
  const counts = await upload(module, ['name,url,format', line('a'), line('c')]);
  expect(counts).toMatchObject({ created: 1, updated: 0, unchanged: 1, deleted: 1 });
  expect(await routesAfter(module)).toEqual(['45.0.0.0/24', '45.0.4.0/24']);
  const { items } = await plane.run((tx) => listCdnSources(tx, module, {}));
  expect(items.map(({ name, status }) => [name, status])).toEqual([
    ['a', 'stale'],
    ['c', 'ok'],
  ]);
});

test('what a file disables, enables or leaves out counts at once', async () => {
  const module = await newModule('counted', 'CDN_SOURCES');
  const line = (name: string, enabled = true): string =>
    `${name},${plane.lists.origin}/${name},text,${enabled}`;
  const count = async (): Promise<unknown> =>
    (await plane.run((tx) => getModule(tx, module))).resource.prefix_count;
  const head = 'name,url,format,enabled';
  plane.answers.set('/x', serves('45.1.0.0/24\n45.1.2.0/24\n'));
  plane.answers.set('/y', serves('45.1.2.0/24\n2a00:1450::/32\n'));
  await upload(module, [head, line('x'), line('y')]);
  await routesAfter(module);
  expect(await count()).toEqual({ ipv4: 2, ipv6: 1 });
  await upload(module, [head, line('y', false)], 'append');
  expect(await count()).toEqual({ ipv4: 2, ipv6: 0 });
  await upload(module, [head, line('x', false), line('y')], 'append');
  expect(await count()).toEqual({ ipv4: 1, ipv6: 1 });
  await upload(module, [head, line('x')]);
  expect(await count()).toEqual({ ipv4: 2, ipv6: 0 });
  const nothing = { mode: 'replace', dryRun: true } as const;
  await plane.run((tx) => importEntries(tx, module, Buffer.from(`${head}\n${line('x', false)}\n`), nothing));
  expect(await count()).toEqual({ ipv4: 2, ipv6: 0 });
});

test('what is imported while a refresh runs is not lost', async () => {
  const module = await newModule('ranges', 'IP_RANGES');
  await upload(module, ['cidr', '46.0.0.0/24']);
  const job = await plane.refresh(module);
  await upload(module, ['cidr', '46.0.2.0/24'], 'append');
  await plane.succeeded(job);
  const routes = await routesAfter(module);
  expect(routes).toContain('46.0.0.0/24');
  expect(routes).toContain('46.0.2.0/24');
});

test('special-purpose ranges are taken where the tenant allows them', async () => {
  const module = await newModule('inner', 'IP_RANGES');
  const lines = ['cidr', '10.0.0.0/8'];
  await expect(upload(module, lines)).rejects.toMatchObject({
    code: 'validation_failed',
    errors: [{ pointer: 'line 2' }],
  });
  await plane.run((tx) => changeSettings(tx, { guard_bogons: 'allow' }));
  expect(await upload(module, lines)).toMatchObject({ created: 1 });
});

test('what edits take out of a large list counts with the revision that follows: they do not read the list', async () => {
  const module = await newModule('large', 'IP_RANGES');
  const count = async (): Promise<unknown> =>
    (await plane.run((tx) => getModule(tx, module))).resource.prefix_count;
  const build = async (): Promise<unknown> =>
    plane.succeeded(
      await plane.run((tx) =>
        plane.context.queue.enqueue(tx, {
          ...{ type: 'revision_build', input: {}, resource: null, requestedBy: 'key:test', parentId: null },
        }),
      ),
    );
  const lines = Array.from({ length: 20_001 }, (_, n) => `46.${n >> 8}.${n & 255}.0/24`);
  await upload(module, ['cidr', ...lines]);
  await plane.succeeded(await plane.refresh(module));
  expect(await count()).toEqual({ ipv4: 20_001, ipv6: 0 });
  expect(await upload(module, ['cidr', ...lines.slice(1)])).toMatchObject({ deleted: 1 });
  expect(await count()).toEqual({ ipv4: 20_001, ipv6: 0 });
  await build();
  expect(await count()).toEqual({ ipv4: 20_000, ipv6: 0 });
  // And what is held still counts: half of the list is more than an edit may take away.
  expect(await upload(module, ['cidr', ...lines.slice(15_000)])).toMatchObject({ deleted: 14_999 });
  await build();
  expect(await count()).toEqual({ ipv4: 5_001, ipv6: 0 });
  await plane.succeeded(await plane.refresh(module));
  expect(await count()).toEqual({ ipv4: 5_001, ipv6: 0 });
});

test('what edits take out of a list of which all is read counts at once, however much that is', async () => {
  const module = await newModule('middling', 'IP_RANGES');
  const lines = Array.from({ length: 15_000 }, (_, n) => `47.${n >> 8}.${n & 255}.0/24`);
  await upload(module, ['cidr', ...lines]);
  await plane.succeeded(await plane.refresh(module));
  expect(await upload(module, ['cidr', ...lines.slice(12_000)])).toMatchObject({ deleted: 12_000 });
  const { resource } = await plane.run((tx) => getModule(tx, module));
  expect(resource.prefix_count).toEqual({ ipv4: 3_000, ipv6: 0 });
});
