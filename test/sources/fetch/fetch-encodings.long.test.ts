import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBytes, sendBytes } from '../../../src/concurrency/parcel.ts';
import { type FetchLimits, fetchSource } from '../../../src/sources/fetch/fetch.ts';
import { type ListServer, reaching, serves, startListServer } from '../lists/list-server.ts';
import { times } from '../../fuzz.ts';

let server: ListServer;
beforeEach(async () => {
  server = await startListServer();
});
afterEach(() => server.close());

async function get(limits: Partial<FetchLimits> = {}): Promise<Buffer> {
  const request = { url: server.origin, headers: {}, etag: null, lastModified: null };
  const answer = await fetchSource(request, { reach: reaching('127.0.0.1/32'), limits });
  if (answer.notModified) throw new Error('Nobody asked for that.');
  return Buffer.from(openBytes(sendBytes(answer.bytes).sent));
}

/** Every way of writing the same body. */
const CODINGS: readonly (readonly [string, (body: Uint8Array) => Uint8Array])[] = [
  ['identity', (body) => body],
  ['gzip', (body) => gzipSync(body)],
  ['x-gzip', (body) => gzipSync(body)],
  ['GZIP', (body) => gzipSync(body)],
  ['deflate', (body) => deflateSync(body)],
  ['br', (body) => brotliCompressSync(body)],
  ['zstd', (body) => zstdCompressSync(body)],
];

const PACKED = CODINGS.filter(([encoding]) => ['gzip', 'deflate', 'br', 'zstd'].includes(encoding));

/** Writes the body in pieces, each sent on its own. */
async function pour(response: ServerResponse, body: Uint8Array, cuts: readonly number[]): Promise<void> {
  const places = [0, ...cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b), body.length];
  for (const [i, to] of places.slice(1).entries()) {
    const piece = body.subarray(places[i], to);
    if (piece.length > 0) await new Promise((resolve) => response.write(piece, resolve));
  }
  response.end();
}

describe('a body', () => {
  it('is the same in every coding and however it is cut', async () => {
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 2000 }),
      fc.string().map((text) => Buffer.from(text)),
    );
    const cuts = fc.array(fc.nat(), { maxLength: 5 });
    const property = fc.asyncProperty(
      bodies,
      fc.constantFrom(...CODINGS),
      cuts,
      async (body, coding, places) => {
        const [encoding, encode] = coding;
        server.answer = (_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding });
          void pour(response, encode(body), places);
        };
        expect((await get()).equals(body)).toBe(true);
      },
    );
    await fc.assert(property, { numRuns: times(60, 20) });
  });

  it.each(['compress', 'gzip, br', 'gzip, gzip', 'aes128gcm'])('in %s is not read', async (encoding) => {
    server.answer = serves('45.0.0.0/24\n', 'text/plain', { 'content-encoding': encoding });
    await expect(get()).rejects.toMatchObject({
      code: 'source_unparseable',
      message: expect.stringContaining(`Content-Encoding "${encoding}"`) as string,
    });
  });

  it('in a coding nobody knows is not waited for', async () => {
    server.answer = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'compress' }).write('and never an end');
    await expect(get()).rejects.toMatchObject({ code: 'source_unparseable' });
    await server.deserted();
  });

  it.each(PACKED)('that is no %s although it says so is not read', async (encoding) => {
    server.answer = serves('45.0.0.0/24\n45.0.1.0/24\n', 'text/plain', { 'content-encoding': encoding });
    await expect(get()).rejects.toMatchObject({ code: 'source_unparseable' });
  });

  it.each(PACKED)('in %s that ends too early is not read', async (encoding, encode) => {
    const whole = encode(randomBytes(5000));
    server.answer = serves(whole.subarray(0, whole.length - 100), 'text/plain', {
      'content-encoding': encoding,
    });
    await expect(get()).rejects.toMatchObject({ code: 'source_unparseable' });
  });

  it('of several members of gzip is all of them', async () => {
    const members = ['45.0.0.0/24\n', '45.0.1.0/24\n'].map((part) => gzipSync(part));
    server.answer = serves(Buffer.concat(members), 'text/plain', { 'content-encoding': 'gzip' });
    expect((await get()).toString()).toBe('45.0.0.0/24\n45.0.1.0/24\n');
  });

  it.each([
    ['zstd', 'a second frame', zstdCompressSync('45.0.1.0/24\n')],
    ['br', 'a second stream', brotliCompressSync('45.0.1.0/24\n')],
    ['deflate', 'a second stream', deflateSync('45.0.1.0/24\n')],
    ['gzip', 'zeros', Buffer.alloc(20)],
  ])('in %s with %s behind its end is not read as if that were not there', async (encoding, _what, rest) => {
    const encode = PACKED.find(([name]) => name === encoding)![1];
    const first = encode(Buffer.from('45.0.0.0/24\n'));
    const body = Buffer.concat([first, rest]);
    const refused = {
      code: 'source_unparseable',
      message: expect.stringContaining('behind the end') as string,
    };
    server.answer = serves(body, 'text/plain', { 'content-encoding': encoding });
    await expect(get()).rejects.toMatchObject(refused);
    server.answer = (_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding });
      void pour(response, body, [first.length, first.length + 1]);
    };
    await expect(get()).rejects.toMatchObject(refused);
  });

  it('in zstd with a window larger than HTTP allows is not read', async () => {
    const body = zstdCompressSync(randomBytes(9 * 2 ** 20), { params: { [constants.ZSTD_c_windowLog]: 24 } });
    server.answer = serves(body, 'text/plain', { 'content-encoding': 'zstd' });
    await expect(get()).rejects.toMatchObject({ code: 'source_unparseable' });
  });
});

describe('a size limit', () => {
  it('lets a body of exactly that size through, and not one byte more', async () => {
    server.answer = serves(Buffer.alloc(100_000, '#'));
    expect(await get({ bodyBytes: 100_000 })).toHaveLength(100_000);
    await expect(get({ bodyBytes: 99_999 })).rejects.toMatchObject({ code: 'source_too_large' });
  });

  it('counts decoded bytes', async () => {
    const body = randomBytes(40_000).toString('hex');
    server.answer = serves(gzipSync(body), 'text/plain', { 'content-encoding': 'gzip' });
    expect(await get({ bodyBytes: 80_000 })).toHaveLength(80_000);
    await expect(get({ bodyBytes: 79_999 })).rejects.toMatchObject({ code: 'source_too_large' });
  });

  it('ends a body of 100 MB in the middle, with the limits as they are by default', async () => {
    const piece = Buffer.alloc(2 ** 20, '45.0.0.0/24\n');
    let sent = 0;
    server.answer = (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (sent < 100) {
          sent++;
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    };
    await expect(get()).rejects.toMatchObject({
      code: 'source_too_large',
      message: expect.stringContaining('larger than 64 MiB') as string,
    });
    await server.deserted();
    expect(sent).toBeLessThan(100);
  });

  it.each(PACKED)('stops a bomb of %s', async (encoding, encode) => {
    server.answer = serves(encode(Buffer.alloc(100 * 2 ** 20)), 'text/plain', {
      'content-encoding': encoding,
    });
    await expect(get()).rejects.toMatchObject({
      code: 'source_too_large',
      message: expect.stringContaining('250 times') as string,
    });
  });

  it('stops a stream that is long packed and empty unpacked', async () => {
    const member = gzipSync('');
    const endless = Buffer.concat(Array.from({ length: 10_000 }, () => member));
    server.answer = serves(endless, 'text/plain', { 'content-encoding': 'gzip' });
    await expect(get({ bodyBytes: 100_000 })).rejects.toMatchObject({ code: 'source_too_large' });
  });

  it('does not take a list that packs well for a bomb', async () => {
    const list = Array.from({ length: 200_000 }, (_, i) => `45.${i >> 16}.${(i >> 8) & 255}.${i & 255}/32\n`);
    const body = Buffer.from(list.join(''));
    for (const [encoding, encode] of PACKED) {
      server.answer = serves(encode(body), 'text/plain', { 'content-encoding': encoding });
      expect((await get()).equals(body)).toBe(true);
    }
  });
});
