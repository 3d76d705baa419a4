import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASSETS, VENDORED, digest } from '../../scripts/vendor-redoc.ts';
import { REFERENCE_ASSETS } from '../../src/http/reference/reference.ts';
import { startService, type TestService } from './service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function get(path: string, headers: Record<string, string> = {}) {
  const answer = await request(service.url + path, { headers });
  return { ...answer, bytes: Buffer.from(await answer.body.arrayBuffer()) };
}

describe.each(REFERENCE_ASSETS)('$path', ({ path, file, mediaType }) => {
  const bytes = readFileSync(join(ASSETS, file));

  test('needs no key, and is the file as it stands', async () => {
    const answer = await get(path);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({ 'content-type': mediaType, 'cache-control': 'no-cache' });
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(digest(answer.bytes)).toBe(digest(bytes));
  });

  test('is compressed for who takes that', async () => {
    const answer = await get(path, { 'accept-encoding': 'br, gzip;q=0.8' });
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(digest(gunzipSync(answer.bytes))).toBe(digest(bytes));
    expect(
      (await get(path, { 'accept-encoding': 'gzip;q=0, *' })).headers['content-encoding'],
    ).toBeUndefined();
  });

  test('is not sent again while it is the same', async () => {
    const plain = String((await get(path)).headers.etag);
    const zipped = String((await get(path, { 'accept-encoding': 'gzip' })).headers.etag);
    expect(plain).not.toBe(zipped);
    expect((await get(path, { 'if-none-match': plain })).statusCode).toBe(304);
    expect((await get(path, { 'if-none-match': zipped })).statusCode).toBe(200);
    const again = await get(path, { 'if-none-match': zipped, 'accept-encoding': 'gzip' });
    expect({ status: again.statusCode, bytes: again.bytes.length }).toEqual({ status: 304, bytes: 0 });
  });

  test('takes no other method', async () => {
    const { status, headers } = await service.call('POST', path, { body: {} });
    expect({ status, allow: headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD, OPTIONS' });
  });
});

test('the page runs no text as code', async () => {
  const policy = String((await get('/docs')).headers['content-security-policy']);
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toMatch(/unsafe-eval|https?:/);
});

test('the page names its own files only', async () => {
  const html = (await get('/docs')).bytes.toString();
  const named = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, target]) => target!);
  const known = [...REFERENCE_ASSETS.map(({ path }) => path.slice(1)), 'v1/openapi.json', 'data:,'];
  expect(named.filter((target) => !known.includes(target))).toEqual([]);
  expect(named).toHaveLength(5);
});

test('/ leads to it', async () => {
  const { status, body, headers } = await service.call('GET', '/', { key: null });
  expect(status).toBe(404);
  expect(body.detail).toContain('GET /docs');
  expect(headers.get('link')).toContain('</docs>; rel="service-doc"');
});

test.each(Object.entries(VENDORED))('%s is what scripts/vendor-redoc.ts wrote', (file, sha256) => {
  expect(digest(readFileSync(join(ASSETS, file)))).toBe(sha256);
});
