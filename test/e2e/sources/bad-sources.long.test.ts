import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { addCdnModule, type Casting, refresh, refreshInVain, serve, startCasting } from '../casting.ts';

const lacks = requireDaemon('bird') === null;
const GOOD = ['45.0.0.0/24', '45.0.2.0/24', '2600:80::/32'];

/** What a source may do to us, and the code by which the refusal is reported. */
const FAULTS: readonly (readonly [string, string, (response: ServerResponse) => void])[] = [
  ['answers 500', 'source_http_status', (response) => response.writeHead(500).end('down for maintenance')],
  ['answers an HTML page with 200', 'source_unparseable', (response) => html(response)],
  [
    'answers nothing',
    'source_empty',
    (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(),
  ],
  ['answers 100 MB', 'source_too_large', (response) => flood(response)],
  ['answers a gzip bomb', 'source_too_large', (response) => bomb(response)],
  ['breaks off in the middle', 'source_unreachable', (response) => breakOff(response)],
  [
    'redirects to the inside',
    'source_refused_address',
    (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end(),
  ],
];

/** Whatever a source does, the peer keeps the last good routes, and the source says what is wrong with it. */
describe.skipIf(lacks)('a source that', () => {
  let casting: Casting;
  let bird: Bird;
  let moduleId: string;
  let sourceId: string;
  const drips: NodeJS.Timeout[] = [];

  beforeAll(async () => {
    casting = await startCasting();
    casting.sources.set('/list', serve(GOOD.join('\n')));
    bird = await casting.addBird();
    ({ moduleId, sourceId } = await addCdnModule(casting, '64500:1', { path: '/list' }));
    await refresh(casting, moduleId);
    await bird.waitRoutes(GOOD.length);
  });
  afterAll(async () => {
    for (const drip of drips) clearInterval(drip);
    await casting?.close();
  });

  const goesBad = async (answer: (response: ServerResponse) => void, code: string): Promise<void> => {
    const received = bird.updates().length;
    const path = `/v1/modules/${moduleId}/cdn-sources/${sourceId}`;
    const before = await casting.service.get<{ last_refreshed_at: string }>(path);
    casting.sources.set('/list', (_request, response) => answer(response));
    expect(await refreshInVain(casting, moduleId)).toMatchObject({
      status: 'failed',
      entries: [{ id: sourceId, status: 'stale' }],
    });
    expect(await casting.service.get(path)).toMatchObject({
      status: 'stale',
      last_error: expect.stringContaining(code) as unknown,
      last_refreshed_at: before.last_refreshed_at,
      prefix_count: { ipv4: 2, ipv6: 1 },
    });
    expect(await casting.service.get(`/v1/modules/${moduleId}`)).toMatchObject({
      last_refresh: { status: 'failed' },
    });
    expect((await bird.routes()).map((route) => route.prefix).sort()).toEqual([...GOOD].sort());
    expect(bird.updates().length).toBe(received);
  };

  test.each(FAULTS)('%s leaves the last good routes at the peer (%s)', async (_what, code, answer) => {
    await goesBad(answer, code);
  });

  test('drips a byte a second leaves the last good routes at the peer (source_timeout)', async () => {
    await goesBad((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      drips.push(setInterval(() => response.write('4'), 1_000));
    }, 'source_timeout');
  });

  test('recovers is fresh again with the next refresh', async () => {
    casting.sources.set('/list', serve([...GOOD, '45.0.4.0/24'].join('\n')));
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'ok', content_changed: true });
    await bird.waitRoutes(GOOD.length + 1);
    const source = await casting.service.get(`/v1/modules/${moduleId}/cdn-sources/${sourceId}`);
    expect(source).toMatchObject({ status: 'ok', last_error: null });
  });
});

function html(response: ServerResponse): void {
  response
    .writeHead(200, { 'content-type': 'text/html' })
    .end('<!doctype html><title>Sign in</title><p>10.0.0.0/8');
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain' });
  const line = Buffer.from('45.0.0.0/24\n'.repeat(87_381)); // about 1 MiB
  let left = 100;
  const pour = (): void => {
    while (left-- > 0) if (!response.write(line)) return void response.once('drain', pour);
    response.end();
  };
  pour();
}

function bomb(response: ServerResponse): void {
  response
    .writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' })
    .end(gzipSync(Buffer.alloc(200_000_000, '#')));
}

function breakOff(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '1000' }).write('45.0.0.0/24\n');
  setTimeout(() => response.socket?.resetAndDestroy(), 50);
}
