/** Geofeeds over the wire: entries, files, the catalog, lookups and previews. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ListServer, serves, startListServer } from '../../sources/lists/list-server.ts';
import { collect } from '../collect.ts';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

let service: TestService;
let source: ListServer;
let module: string;
let path: string;
let made = 0;
beforeAll(async () => {
  service = await startService();
  source = await startListServer();
});
beforeEach(async () => {
  module = (await service.make('/v1/modules', { name: `feeds ${made++}`, type: 'GEOFEED' })).id;
  path = `/v1/modules/${module}/geofeed-entries`;
});
afterAll(async () => {
  await source.close();
  await service.close();
});

const FEED = { name: 'network', url: 'https://network.example/geofeed.csv', countries: ['DE'] };
const post = (body: unknown): Promise<Answered> => service.call('POST', path, { body });
const faultsOf = ({ status, body }: Answered) => ({ status, errors: body.errors });

describe('an entry', () => {
  test('has its codes in canonical form, and keeps its headers to itself', async () => {
    const answer = await post({
      ...FEED,
      countries: ['us', 'DE', 'uk', 'US'],
      regions: ['us-ny', 'us-CA'],
      headers: { Authorization: 'Bearer x' },
    });
    expect(answer.status, answer.text).toBe(201);
    expect(answer.body).toEqual({
      ...{ id: expect.any(String) as string, module_id: module, name: 'network', url: FEED.url },
      ...{ countries: ['DE', 'GB', 'US'], regions: ['US-CA', 'US-NY'], headers: { Authorization: null } },
      ...{
        enabled: true,
        community_id: null,
        community_ids: [],
        expires_at: null,
        status: 'pending',
        last_error: null,
        last_refreshed_at: null,
      },
      ...{ held: false, prefix_count: { ipv4: 0, ipv6: 0 }, etag: null },
      ...{ rejected_count: 0, rejected: [] },
      ...{ created_at: expect.any(String) as string, updated_at: expect.any(String) as string },
    });
    expect((await service.call('GET', `${path}/${String(answer.body.id)}`)).body).toEqual(answer.body);
    expect((await service.call('GET', `${path}?q=NETWORK.example`)).body.items).toEqual([answer.body]);
    expect((await service.call('GET', `/v1/modules/${module}`)).body).toMatchObject({ entry_count: 1 });
  });

  test.each([
    [{ countries: [] }, '/countries'],
    [{ countries: ['DE', 'Germany'] }, '/countries/1', 'its two letters of ISO 3166-1, such as DE.'],
    [{ countries: ['QQ'] }, '/countries/0', 'QQ is not a country of ISO 3166-1.'],
    [{ regions: ['Bayern'] }, '/regions/0', 'write its code of ISO 3166-2, such as US-CA.'],
    [{ regions: ['DE-BY', 'US-CA'] }, '/regions/1', 'Add US to them, or leave the region out.'],
    [{ url: 'ftp://network.example/' }, '/url'],
    [{ headers: { Host: 'x' } }, '/headers/Host'],
    [{ format: 'csv' }, '/format'],
  ])('with %j is refused at %s', async (wrong, pointer, detail = '') => {
    expect(faultsOf(await post({ items: [FEED, { ...FEED, name: 'other', ...wrong }] }))).toEqual({
      status: 422,
      errors: expect.arrayContaining([
        { pointer: `/items/1${pointer}`, detail: expect.stringContaining(detail) as string },
      ]) as unknown,
    });
    expect((await service.call('GET', path)).body.items).toEqual([]);
  });

  test('is changed, and then asked for what it says now', async () => {
    const { id } = (await post({ ...FEED, regions: ['DE-BY'] })).body as { id: string };
    await service.database.admin('UPDATE geofeed_entry SET etag = $1 WHERE id = $2', ['"1"', id]);
    const patch = (body: unknown): Promise<Answered> => service.call('PATCH', `${path}/${id}`, { body });
    expect((await patch({ name: 'renamed' })).body).toMatchObject({ name: 'renamed', etag: '"1"' });
    expect(faultsOf(await patch({ countries: ['us'] }))).toMatchObject({
      status: 422,
      errors: [{ pointer: '/regions/0' }],
    });
    expect((await patch({ countries: ['us'], regions: [] })).body).toMatchObject({
      countries: ['US'],
      regions: [],
      etag: null,
    });
  });

  test('has a name of its own in the module, without case', async () => {
    await post(FEED);
    expect(await post({ ...FEED, name: 'NETWORK' })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
  });

  test('belongs to modules of its type', async () => {
    const other = (await service.make('/v1/modules', { name: `other ${made++}`, type: 'CDN_SOURCES' })).id;
    const answer = await service.call('POST', `/v1/modules/${other}/geofeed-entries`, { body: FEED });
    expect(answer).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('geofeeds belong to modules of type GEOFEED') as string },
    });
  });

  test('names itself to who deletes its community', async () => {
    const { id } = await service.make('/v1/communities', { community: '65000:7', title: 'Feeds' });
    await post({ ...FEED, community_id: id });
    const answer = await service.call('DELETE', `/v1/communities/${id}`);
    expect(answer).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('the geofeed network') as string },
    });
  });
});

describe('as CSV', () => {
  const upload = (csv: string, query = ''): Promise<Answered> =>
    service.call('POST', `/v1/modules/${module}/entries.csv${query}`, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    });
  const download = async (): Promise<string> =>
    (await service.call('GET', `/v1/modules/${module}/entries.csv`)).text;

  test('entries come in and go out, and an import of an export changes nothing', async () => {
    const csv =
      'regions,name,url,countries\n"us-ny, US-CA",b,https://b.example/,us de\n,a,https://a.example/,DE\n';
    expect((await upload(csv)).body).toMatchObject({ created: 2 });
    const exported = await download();
    expect(exported).toBe(
      'name,url,countries,regions,enabled,community,expires_at\r\na,https://a.example/,DE,,true,,\r\nb,https://b.example/,DE US,US-CA US-NY,true,,\r\n',
    );
    expect((await upload(exported, '?mode=replace')).body).toMatchObject({ unchanged: 2, deleted: 0 });
    expect(
      (await upload('name,url,countries\nb,https://b.example/,US\n', '?mode=replace')).body,
    ).toMatchObject({
      updated: 1,
      deleted: 1,
    });
    expect(await download()).toContain('b,https://b.example/,US,US-CA US-NY,true,');
  });

  test('faults are reported by line, and nothing is written', async () => {
    const answer = await upload(
      'name,url,countries,regions\na,https://a.example/,DE,\nb,https://b.example/,QQ,\nc,https://c.example/,,\n',
    );
    expect(faultsOf(answer)).toEqual({
      status: 422,
      errors: [
        { pointer: 'line 3', detail: 'countries/0: QQ is not a country of ISO 3166-1.' },
        { pointer: 'line 4', detail: 'countries: must not be empty.' },
      ],
    });
    expect((await service.call('GET', path)).body.items).toEqual([]);
  });
});

test('is in the catalog with what is taken from it', async () => {
  const { id } = (await post({ ...FEED, regions: ['DE-BE'] })).body as { id: string };
  const { geofeed_entries: entries } = (await service.call('GET', '/v1/router-lists/catalog')).body;
  expect((entries as Body[]).filter((entry) => entry.id === id)).toEqual([
    {
      id,
      module_id: module,
      enabled: true,
      ...{ community_id: null, community_ids: [], expires_at: null },
      name: 'network',
      countries: ['DE'],
      regions: ['DE-BE'],
    },
  ]);
});

test('is what a lookup finds of an address that was taken from it', async () => {
  const { id } = (await post(FEED)).body as { id: string };
  await collect(service, module, { '45.0.0.0/24': [id] });
  const { matches } = (await service.call('GET', '/v1/lookup?q=45.0.0.1')).body;
  expect(matches).toMatchObject([
    {
      layer: 'snapshot',
      module: { id: module, type: 'GEOFEED' },
      entry: { id, type: 'geofeed_entry', value: FEED.url },
      prefix: '45.0.0.0/24',
      source: 'geofeed',
    },
  ]);
});

describe('on trial', () => {
  const preview = (feed: string, more: Body = {}): Promise<Answered> => {
    source.answer = serves(feed, 'text/csv');
    const body = { url: `${source.origin}/geofeed.csv`, countries: ['DE'], ...more };
    return service.call('POST', '/v1/geofeed-entries/preview', { body });
  };

  test('shows what is taken, and each line that can not be read', async () => {
    const answer = await preview(
      '# feed\r\n45.0.0.0/24,DE,DE-BE\r\n45.0.1.0/24,DE\r\n45.0.2.0/24,Germany\r\n45.0.1.128/25,FR\r\n',
    );
    expect(answer.body).toMatchObject({
      ...{ accepted_count: 3, collected: { ipv4: 2, ipv6: 0 }, prefixes: ['45.0.0.0/24', '45.0.1.0/25'] },
      rejected_count: 1,
      rejected: [
        { line: 4, text: '45.0.2.0/24,Germany', reason: expect.stringContaining('ISO 3166-1') as string },
      ],
    });
    expect(
      (await preview('45.0.0.0/24,DE,DE-BE\n45.0.1.0/24,DE\n', { regions: ['de-be'] })).body,
    ).toMatchObject({
      prefixes: ['45.0.0.0/24'],
    });
  });

  test('says by the code of a refresh why there is nothing', async () => {
    expect(await preview('45.0.0.0/24,FR\n')).toMatchObject({
      status: 422,
      body: { code: 'source_empty', detail: expect.stringContaining('Most are in FR') as string },
    });
    expect(await preview('', { countries: ['QQ'] })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed', errors: [{ pointer: '/countries/0' }] },
    });
  });
});
