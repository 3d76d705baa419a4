/** How the console is served, whatever is in it: files of a build are answered from a folder that stands for one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveConsole } from '../../src/http/console/console.ts';

const PAGE = '<!doctype html><title>Prefixcast</title>';
const SCRIPT = 'export const answer = 42;'.repeat(40);
let folder: string;
let server: FastifyInstance;

function serve(from: string): FastifyInstance {
  const made = Fastify({ routerOptions: { ignoreTrailingSlash: false } });
  serveConsole(made, (_request, reply) => reply.code(404).send({ code: 'not_found' }), from);
  return made;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'prefixcast-console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), PAGE);
  writeFileSync(join(folder, 'built-from'), 'digest');
  writeFileSync(join(folder, 'assets/main-abc.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/main-abc.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(SCRIPT));
  server = serve(folder);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => server.inject({ url, headers });

describe('the page', () => {
  test.each(['/console/', '/console/revisions/42', '/console/compare/1...2?q=a.b', '/console/index.html'])(
    '%s is answered with it, and asked for each time',
    async (url) => {
      const { statusCode, body, headers } = await get(url);
      expect({ statusCode, body }).toEqual({ statusCode: 200, body: PAGE });
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
      });
    },
  );

  test('runs no text as code, and stands in no frame', async () => {
    const policy = String((await get('/console/')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'; require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|https?:|blob:/);
  });

  test('a browser is sent there, and nobody else', async () => {
    const browser = await get('/', { accept: 'text/html,application/xhtml+xml;q=0.9' });
    expect({ status: browser.statusCode, to: browser.headers.location }).toEqual({
      ...{ status: 302, to: '/console/' },
    });
    expect((await get('/', { accept: '*/*' })).statusCode).toBe(404);
    expect((await get('/console')).headers.location).toBe('/console/');
  });
});

describe('files with a digest in their name', () => {
  const URL = '/console/assets/main-abc.js';

  test('are kept permanently, and sent as they were compressed', async () => {
    const plain = await get(URL);
    expect(plain.body).toBe(SCRIPT);
    expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const brotli = await get(URL, { 'accept-encoding': 'gzip, deflate, br' });
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept-Encoding' });
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(SCRIPT);
    const zipped = await get(URL, { 'accept-encoding': 'gzip, br;q=0' });
    expect(zipped.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(zipped.rawPayload).toString()).toBe(SCRIPT);
  });

  test('are not sent again', async () => {
    const { etag } = (await get(URL, { 'accept-encoding': 'br' })).headers;
    const again = await get(URL, { 'accept-encoding': 'br', 'if-none-match': String(etag) });
    expect({ status: again.statusCode, body: again.body }).toEqual({ status: 304, body: '' });
  });

  test('of another build are not there, and nothing above the folder is', async () => {
    for (const path of ['assets/old-xyz.js', 'assets/..%2f..%2fpackage.json'])
      expect((await get(`/console/${path}`)).statusCode, path).toBe(404);
    for (const path of ['built-from', '..%2fpackage.json'])
      expect((await get(`/console/${path}`)).body, path).toBe(PAGE);
  });
});

test('a checkout without it says how to build it, and serves it once it is there', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'prefixcast-console-'));
  const early = serve(empty);
  const before = await early.inject({ url: '/console/' });
  expect(before.statusCode).toBe(503);
  expect(before.body).toContain('scripts/setup');
  writeFileSync(join(empty, 'index.html'), PAGE);
  expect((await early.inject({ url: '/console/' })).body).toBe(PAGE);
  await early.close();
  rmSync(empty, { recursive: true });
});
