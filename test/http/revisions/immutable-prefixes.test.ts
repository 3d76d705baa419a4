import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRevision } from '../fixtures.ts';
import { startService, type TestService } from '../service.ts';

const ORIGIN = 'https://console.example.net';
/** Long enough to be worth compressing. */
const MANY = Array.from({ length: 200 }, (_, n) => `9.1.${n}.0/24`);

let service: TestService;
/** The second has one prefix less, and one more. */
let revisions: string[];
beforeAll(async () => {
  service = await startService({ corsOrigins: [ORIGIN] });
  const { id } = await service.make('/v1/communities', { community: '65000:100', title: 'x' });
  revisions = [];
  for (const prefixes of [MANY, [...MANY.slice(1), '9.2.0.0/24']])
    revisions.push(await makeRevision(service, service.tenant, id, prefixes));
});
afterAll(() => service.close());

/** Undici's `request` leaves the coding as it came. */
async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await request(service.url + path, {
    headers: { authorization: `Bearer ${service.tenant.keys.viewer}`, ...headers },
  });
  return { ...answer, bytes: Buffer.from(await answer.body.arrayBuffer()) };
}

const varyOf = (headers: Record<string, unknown>): string[] => String(headers.vary).split(', ').sort();

describe('prefixes of a revision', () => {
  test.each(['id', '1'])('never change under its %s, and are kept', async (name) => {
    const path = `/v1/revisions/${name === 'id' ? revisions[0] : name}/prefixes`;
    const { headers } = await get(path);
    expect(headers['cache-control']).toBe('private, max-age=31536000, immutable');
    const again = await get(path, { 'if-none-match': String(headers.etag) });
    expect([again.statusCode, again.bytes.length]).toEqual([304, 0]);
    expect(again.headers).toMatchObject({ etag: headers.etag, 'cache-control': headers['cache-control'] });
  });

  test('under a name that moves, caches ask each time', async () => {
    const { headers } = await get('/v1/revisions/latest/prefixes');
    expect(headers['cache-control']).toBe('private, no-cache');
    const since = await get(`/v1/revisions/1/prefixes?since_revision=latest`);
    expect(since.headers['cache-control']).toBe('private, no-cache');
  });

  test('have an entity tag for each page, filter and media type', async () => {
    const path = '/v1/revisions/1/prefixes';
    const tags = await Promise.all(
      [
        get(path),
        get(`${path}?limit=10`),
        get(`${path}?family=ipv6`),
        get(path, { accept: 'text/csv' }),
        get(path, { accept: 'text/plain' }),
        get(path, { 'accept-encoding': 'gzip' }),
        get('/v1/revisions/2/prefixes'),
      ].map(async (answer) => (await answer).headers.etag),
    );
    expect(new Set(tags).size).toBe(7);
    expect((await get(`/v1/revisions/${revisions[0]}/prefixes`)).headers.etag).toBe(tags[0]);
  });

  test.each([
    ['gzip', gunzipSync, 'application/json'],
    ['zstd', zstdDecompressSync, 'application/json'],
    ['gzip', gunzipSync, 'text/plain'],
    ['zstd', zstdDecompressSync, 'text/csv'],
  ] as const)('are sent in %s', async (coding, unpack, accept) => {
    const plain = await get('/v1/revisions/1/prefixes', { accept });
    const coded = await get('/v1/revisions/1/prefixes', { accept, 'accept-encoding': coding });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(coded.headers).toMatchObject({
      'content-encoding': coding,
      'content-type': plain.headers['content-type'],
    });
    expect(unpack(coded.bytes).equals(plain.bytes)).toBe(true);
    expect(coded.bytes.length).toBeLessThan(plain.bytes.length);
    const again = await get('/v1/revisions/1/prefixes', {
      ...{ accept, 'accept-encoding': coding, 'if-none-match': String(coded.headers.etag) },
    });
    expect(again.statusCode).toBe(304);
  });

  test('say what they depend on, and `Vary` never loses `Origin`', async () => {
    const wanted = ['Accept', 'Accept-Encoding', 'Authorization', 'Cookie', 'Origin', 'X-Session-Tenant'];
    for (const origin of [undefined, ORIGIN, 'https://evil.example'])
      expect(
        varyOf((await get('/v1/revisions/1/prefixes', origin === undefined ? {} : { origin })).headers),
      ).toEqual(wanted);
    expect(varyOf((await get('/v1/openapi.json')).headers)).toEqual(['Accept-Encoding', 'Origin']);
  });
});

describe('since_revision', () => {
  const path = '/v1/revisions/2/prefixes?since_revision=1';

  test('lists what differs, in pages', async () => {
    const { body } = await service.call('GET', path);
    const items = body.items as { prefix: string; change: string; communities: { community: string }[] }[];
    expect(items.map(({ prefix, change }) => `${change} ${prefix}`)).toEqual([
      'withdrawn 9.1.0.0/24',
      'announced 9.2.0.0/24',
    ]);
    expect(items.map(({ communities }) => communities[0]!.community)).toEqual(['65000:100', '65000:100']);
    const first = await service.call('GET', `${path}&limit=1`);
    const second = await service.call('GET', `${path}&limit=1&cursor=${String(first.body.next_cursor)}`);
    expect([...(first.body.items as object[]), ...(second.body.items as object[])]).toEqual(items);
  });

  test('is a text of + and -, or CSV', async () => {
    const text = await get(path, { accept: 'text/plain' });
    expect(text.bytes.toString()).toBe('-9.1.0.0/24\n+9.2.0.0/24\n');
    const csv = await get(path, { accept: 'text/csv' });
    expect(csv.bytes.toString().split('\r\n')).toEqual([
      'change,prefix,communities',
      'withdrawn,9.1.0.0/24,65000:100',
      'announced,9.2.0.0/24,65000:100',
      '',
    ]);
  });

  test('is empty between a revision and itself', async () => {
    const { body } = await service.call('GET', '/v1/revisions/2/prefixes?since_revision=latest');
    expect(body).toEqual({ items: [], next_cursor: null, has_more: false });
  });

  test.each([
    ['&family=ipv4', '?family', /leave this filter out/],
    ['9', '?since_revision', /No revision has the number 19/],
  ])('is refused with %s', async (more, pointer, detail) => {
    const { status, body } = await service.call('GET', path + more);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
    const [fault] = body.errors as { pointer: string; detail: string }[];
    expect(fault!.pointer).toBe(pointer);
    expect(fault!.detail).toMatch(detail);
  });
});

test('feeds say that they depend on the origin too, in memory or not', async () => {
  const made = await service.make('/v1/feeds', { name: 'list', format: 'text' });
  await service.make('/v1/speakers', { name: 'one', local_asn: 64512 });
  await service.database.admin('UPDATE speaker SET applied_revision_id = $1, applied_at = now()', [
    revisions[0],
  ]);
  const path = `/feeds/list?token=${String(made.token)}`;
  for (let n = 0; n < 3; n++) {
    const { statusCode, headers } = await get(path);
    expect([statusCode, varyOf(headers)]).toEqual([200, ['Accept-Encoding', 'Origin']]);
    const asked = await get(path, { origin: ORIGIN });
    expect(asked.headers['access-control-allow-origin']).toBe(ORIGIN);
    expect(varyOf(asked.headers)).toContain('Origin');
  }
});
