/** The description of the API as it is served: to caches, in codings, and with the address that others reach the service under. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeApi } from '../../../src/http/description/openapi.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import { startService, type TestService } from '../service.ts';

const PUBLIC_URL = 'https://routes.example.net';

let service: TestService;
beforeAll(async () => {
  service = await startService({ publicUrl: PUBLIC_URL });
});
afterAll(() => service.close());

/** Undici's `request` leaves the coding as it came. */
async function get(headers: Record<string, string> = {}) {
  const answer = await request(`${service.url}/v1/openapi.json`, { headers });
  return { ...answer, bytes: Buffer.from(await answer.body.arrayBuffer()) };
}

test('is the one of this version, names `APP_PUBLIC_URL` as its server, and needs no key', async () => {
  const { statusCode, bytes } = await get();
  expect(statusCode).toBe(200);
  const version = (await service.call('GET', '/v1/version', { key: null })).body;
  const described = describeApi(ROUTES, version as never, PUBLIC_URL);
  expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(JSON.stringify(described)));
  expect(described.servers).toEqual([{ url: PUBLIC_URL }]);
});

test.each([
  ['gzip', gunzipSync],
  ['zstd', zstdDecompressSync],
] as const)('is sent in %s, and not again to who has it', async (coding, unpack) => {
  const plain = await get();
  const coded = await get({ 'accept-encoding': coding });
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(coded.headers['content-encoding']).toBe(coding);
  expect(unpack(coded.bytes).equals(plain.bytes)).toBe(true);
  expect(coded.bytes.length).toBeLessThan(plain.bytes.length / 4);
  expect(coded.headers.etag).not.toBe(plain.headers.etag);
  for (const [{ headers }, more] of [
    [plain, {}],
    [coded, { 'accept-encoding': coding }],
  ] as const) {
    const known = { 'if-none-match': String(headers.etag), ...more };
    const { statusCode, bytes } = await get(known);
    expect({ statusCode, bytes: bytes.length }).toEqual({ statusCode: 304, bytes: 0 });
  }
  // What has another coding is another thing to a cache.
  expect((await get({ 'if-none-match': String(coded.headers.etag) })).statusCode).toBe(200);
});

test('is sent in a coding that the client takes, of several', async () => {
  const { headers, bytes } = await get({ 'accept-encoding': 'br, gzip;q=0.5' });
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync }[String(headers['content-encoding'])];
  expect(unpack?.(bytes).equals((await get()).bytes)).toBe(true);
});
