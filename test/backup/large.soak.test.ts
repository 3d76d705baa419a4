/** A backup of a service with ten million prefixes (`FUZZ` counts them), while its lists are edited and read: of one moment, and whole. */
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { typist, type Typed } from '../cli/desk/typing.ts';
import { serve, startCasting, type Casting } from '../e2e/casting.ts';
import { SEED, times } from '../fuzz.ts';

const SOURCES = 10;
/** Of each; 1,000,000 in the soak. */
const PREFIXES = times(20_000);

let casting: Casting;
let directory: string;
let run: (...words: string[]) => Promise<Typed>;

const BITS = 27;
const MASK = 2 ** BITS - 1;

/** Another number of as many bits, and each one once: what only multiplies leaves steps between neighbours that compress to nothing. */
function mixed(number: number): number {
  let bits = number & MASK;
  for (const [shift, factor] of [
    [13, 134_775_813],
    [11, 69_069_069],
    [14, 1],
  ] as const)
    bits = Math.imul(bits ^ (bits >>> shift), factor) & MASK;
  return bits;
}

/** Addresses that hardly aggregate, each once, among the 2^27 behind 32.0.0.0. */
function listOf(source: number): string {
  const lines: string[] = [];
  for (let at = 0; at < PREFIXES; at++) {
    const bits = mixed(source * PREFIXES + at + (SEED & 0xffff));
    lines.push(`${32 + (bits >>> 24)}.${(bits >>> 16) & 255}.${(bits >>> 8) & 255}.${bits & 255}\n`);
  }
  return lines.join('');
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prefixcast-large-'));
  casting = await startCasting();
  const { service, sources, sourceUrl, dataDir } = casting;
  run = typist({ APP_DATA_DIR: dataDir, PREFIXCAST_URL: service.url, PREFIXCAST_KEY: service.key });
  // Routes would be many more than a peer takes; what a backup copies is the same.
  await service.call('PATCH', '/v1/settings', { auto_apply: false });
  const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'large', type: 'CDN_SOURCES' });
  for (let source = 0; source < SOURCES; source++) {
    sources.set(`/${source}`, serve(listOf(source)));
    await service.post(`/v1/modules/${id}/cdn-sources`, {
      name: `source ${source}`,
      url: `${sourceUrl}/${source}`,
    });
  }
  await service.post('/v1/modules', { name: 'edited', type: 'IP_RANGES' });
  const refreshed = await run('module', 'refresh', 'large', '--wait=built');
  // So many prefixes may be held; they are stored all the same.
  expect([0, 5], refreshed.err).toContain(refreshed.code);
  sources.clear();
});
afterAll(async () => {
  await casting?.close();
  await rm(directory, { recursive: true, force: true });
});

test('is whole, and of one moment', async () => {
  const { service } = casting;
  const { prefix_count: count } = JSON.parse((await run('module', 'get', 'large', '-o', 'json')).out) as {
    prefix_count: { ipv4: number };
  };
  expect(count.ipv4).toBe(SOURCES * PREFIXES);
  let isOver = false;
  let edits = 0;
  const under = (work: () => Promise<unknown>): Promise<void> =>
    (async () => {
      while (!isOver) await work();
    })();
  const load = [
    under(async () => {
      const cidr = `46.${edits++ % 200}.0.0/24`;
      const added = await run('entry', 'add', 'edited', cidr);
      expect([0, 5], added.err).toContain(added.code);
      expect((await run('entry', 'remove', 'edited', cidr, '--wait=built')).code).toBeLessThanOrEqual(5);
    }),
    under(() => service.get('/v1/revisions?limit=10')),
    under(() => service.call('GET', '/v1/lookup?q=33.1.2.3')),
  ];
  const file = join(directory, 'backup.tar');
  const backup = await run('backup', file);
  isOver = true;
  await Promise.all(load);
  expect(backup.code, backup.err).toBe(0);
  expect(edits).toBeGreaterThan(0);
  // Random addresses take two bytes and more.
  expect(statSync(file).size).toBeGreaterThan(SOURCES * PREFIXES);
  const verified = await run('verify', file);
  expect(verified, verified.err).toMatchObject({
    code: 0,
    out: expect.stringContaining('is whole') as string,
  });
});
