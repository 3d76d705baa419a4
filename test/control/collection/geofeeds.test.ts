/** Geofeeds from the feed to the revision. */
import { beforeAll, expect, test } from 'vitest';
import type {
  GeofeedEntry,
  GeofeedEntryCreate,
  GeofeedEntryPatch,
} from '../../../src/api/entries/geofeed-entries.ts';
import { changeGeofeedEntry, createGeofeedEntries } from '../../../src/control/entries/geofeed-entries.ts';
import { getGeofeedEntry } from '../../../src/store/entries/geofeed-entries.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const FEED =
  '# prefix,country,region,city,postal\n45.0.0.0/23,DE,DE-BE,Berlin,\n45.0.1.0/24,FR,,,\n46.0.0.0/24,US,US-CA,,\n46.0.1.0/24,US,US-NY,,\n2600::/32,DE,,,\n';

async function addFeed(moduleId: string, more: Partial<GeofeedEntryCreate> = {}): Promise<string> {
  const body = { name: 'feed', url: `${plane.lists.origin}/feed`, countries: ['DE'], ...more };
  const [made] = await plane.run((tx) => createGeofeedEntries(tx, plane.context, moduleId, [body], () => ''));
  return made!.resource.id;
}
const change = (moduleId: string, id: string, patch: GeofeedEntryPatch): Promise<unknown> =>
  plane.run((tx) => changeGeofeedEntry(tx, plane.context, moduleId, id, patch, null));
const entry = async (moduleId: string, id: string): Promise<GeofeedEntry> =>
  (await plane.run((tx) => getGeofeedEntry(tx, moduleId, id))).resource;
const routesOf = async (moduleId: string): Promise<string[]> =>
  Object.keys(await plane.routes((await guarded.refresh(moduleId)).id)).sort();

test('what is in the countries becomes routes; headers are sent, and the feed is asked whether it changed', async () => {
  const module = await guarded.addModule('feeds', { type: 'GEOFEED' });
  const asked: unknown[] = [];
  plane.answers.set('/feed', (request, response) => {
    asked.push([request.headers['x-token'], request.headers['if-none-match']]);
    if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else response.writeHead(200, { 'content-type': 'text/csv', etag: '"1"' }).end(FEED);
  });
  const id = await addFeed(module, { headers: { 'X-Token': 'hunter2' } });
  expect(await routesOf(module)).toEqual(['2600::/32', '45.0.0.0/24']);
  expect(await entry(module, id)).toMatchObject({
    ...{ status: 'ok', last_error: null, etag: '"1"', prefix_count: { ipv4: 1, ipv6: 1 } },
  });
  expect(await routesOf(module)).toEqual(['2600::/32', '45.0.0.0/24']);
  await change(module, id, { countries: ['US'], regions: ['US-CA'] });
  expect(await routesOf(module)).toEqual(['46.0.0.0/24']);
  expect(asked).toEqual([
    ['hunter2', undefined],
    ['hunter2', '"1"'],
    ['hunter2', undefined],
  ]);
});

test('one that fails, or has nothing of the countries any more, keeps its last good prefixes and says why', async () => {
  const module = await guarded.addModule('feeds', { type: 'GEOFEED' });
  plane.answers.set('/feed', serves(FEED, 'text/csv'));
  const id = await addFeed(module);
  await guarded.refresh(module);
  plane.answers.set('/feed', (_request, response) => response.writeHead(503).end());
  await plane.ended(await plane.refresh(module));
  expect(await entry(module, id)).toMatchObject({
    status: 'stale',
    last_error: expect.stringMatching(/^source_http_status: /) as string,
    prefix_count: { ipv4: 1, ipv6: 1 },
  });
  plane.answers.set('/feed', serves('45.0.0.0/23,FR\n45.0.1.0/24,x\n', 'text/csv'));
  await plane.ended(await plane.refresh(module));
  expect(await entry(module, id)).toMatchObject({
    status: 'stale',
    last_error: expect.stringMatching(
      /^empty_result: the last good prefixes stay. source_empty: .* Most are in FR: .* line 2: "x" is not a country/,
    ) as string,
  });
  plane.answers.set('/feed', serves('45.0.0.0/23,Germany\n', 'text/csv'));
  await plane.ended(await plane.refresh(module));
  expect((await entry(module, id)).last_error).toMatch(
    /^source_unparseable: .*line 1: "Germany" is not a country/,
  );
});

test('what was read for other countries does not count when they are changed meanwhile', async () => {
  const module = await guarded.addModule('feeds', { type: 'GEOFEED' });
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  let isAsked = false;
  plane.answers.set('/feed', (_request, response) => {
    isAsked = true;
    void opened.then(() => response.writeHead(200, { 'content-type': 'text/csv' }).end(FEED));
  });
  const id = await addFeed(module);
  const job = await plane.refresh(module);
  await waitFor(() => isAsked, { what: 'the refresh to ask' });
  await change(module, id, { countries: ['FR'] });
  open();
  await plane.ended(job);
  expect(await entry(module, id)).toMatchObject({ status: 'pending', prefix_count: { ipv4: 0, ipv6: 0 } });
  expect(await routesOf(module)).toEqual(['45.0.1.0/24']);
});

test('edits lead to revisions by themselves, those of other entries to none', async () => {
  const module = await guarded.addModule('feeds', { type: 'GEOFEED' });
  plane.answers.set('/feed', serves(FEED, 'text/csv'));
  const id = await addFeed(module);
  await guarded.refresh(module);
  const pending = async () => (await guarded.module(module)).pending_changes.count;
  expect(await pending()).toBe(0);
  await change(module, id, { name: 'renamed' });
  expect(await pending()).toBe(0);
  await change(module, id, { regions: ['DE-BE'] });
  expect(await pending()).toBe(1);
  expect(await routesOf(module)).toEqual(['45.0.0.0/24']);
});
