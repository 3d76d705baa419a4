/** What `npm run build` makes, run from a package of its own as a user would: the same service, from a few files. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stampOf } from '../../../scripts/current.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { addCdnModule, type Casting, refresh, serve, startCasting } from '../casting.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** More than are handled on the event loop, so that threads read the list, build the tables and merge what lookups ask. */
const LINES = 60_000;

describe.skipIf(requireDaemon('bird') === null)('the published package', () => {
  let directory: string;
  let dist: string;
  let casting: Casting;
  let bird: Bird;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'prefixcast-published-'));
    dist = join(directory, 'dist');
    for (const script of ['bundle-service.ts', 'bundle-commands.ts'])
      execFileSync(process.execPath, [join(ROOT, 'scripts', script), dist]);
    copyFileSync(join(ROOT, 'package.json'), join(directory, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    const env = {
      APP_ASN_SOURCE: 'table',
      APP_ASN_SOURCE_URL: `file://${join(ROOT, 'demo/lists/networks.tsv')}`,
    };
    casting = await startCasting(env, join(dist, 'prefixcast.cjs'));
    bird = await casting.addBird();
  });

  afterAll(async () => {
    await casting?.close();
    await bird?.stop();
    if (directory !== undefined) rmSync(directory, { recursive: true });
  });

  test('is what `npm start` starts', () => {
    const { path, text } = stampOf(dist);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('has a file for every thread that the service starts', () => {
    const threads = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).flatMap((file) => {
      const text = file.endsWith('.ts') ? readFileSync(join(ROOT, 'src', file), 'utf8') : '';
      const names = text.matchAll(/new URL\(`(\S+)\$\{extname\(import\.meta\.url\)\}`/g);
      return Array.from(names, ([, name]) => join(dirname(file), `${name}.cjs`));
    });
    expect(threads.length).toBeGreaterThan(5);
    expect(threads.filter((path) => !existsSync(join(dist, path)))).toEqual([]);
  });

  test('brings a list that threads work on to a router', async () => {
    // Every second /24, so that nothing merges.
    const prefixes = Array.from(
      { length: LINES },
      (_, i) => `${11 + (i >> 15)}.${(i >> 7) & 255}.${(2 * i) & 255}.0/24`,
    );
    casting.sources.set('/list.txt', serve(prefixes.join('\n')));
    const { moduleId } = await addCdnModule(casting, '64500:100', { path: '/list.txt' });
    await refresh(casting, moduleId);
    await expect.poll(() => bird.routeCount()).toBe(LINES);
    const { service } = casting;
    const found = await service.get<{ matches: unknown[] }>('/v1/lookup?q=11.0.2.1');
    expect(found.matches.length).toBeGreaterThan(0);
  });

  test('imports a long CSV file, and resolves AS numbers by a table', async () => {
    const { service } = casting;
    const ranges = await service.post<{ id: string }>('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    const rows = Array.from({ length: 5_000 }, (_, i) => `20.0.${i >> 8}.${i & 255}/32`);
    const answer = await fetch(`${service.url}/v1/modules/${ranges.id}/entries.csv?mode=append`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'text/csv' },
      body: `cidr\n${rows.join('\n')}\n`,
    });
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ created: 5_000 })]);
    const networks = await service.post<{ id: string }>('/v1/modules', { name: 'as', type: 'AS_PREFIXES' });
    const asn = Number(readFileSync(join(ROOT, 'demo/lists/networks.tsv'), 'utf8').split('\t')[2]);
    await service.post(`/v1/modules/${networks.id}/as-entries`, { asn });
    expect(await refresh(casting, networks.id)).toMatchObject({ status: 'ok' });
  });
});
