/** The key beside the data of a service, as the doctor of its machine sees it. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../src/doctor/finding.ts';
import { freePort } from '../daemons/machine/ports.ts';
import { startCasting, type Casting } from '../e2e/casting.ts';
import { testProgram } from '../program.ts';

let casting: Casting;
let env: Record<string, string>;
const path = (): string => join(casting.dataDir, 'bootstrap-key');
let id: string;
let before: string | null;

beforeAll(async () => {
  const APP_BGP_LISTEN = `127.0.0.1:${await freePort()}`;
  casting = await startCasting({ APP_BGP_LISTEN });
  env = { APP_BGP_LISTEN, APP_DATA_DIR: casting.dataDir, APP_PORT: new URL(casting.service.url).port };
  before = existsSync(path()) ? readFileSync(path(), 'utf8') : null;
  const made = await casting.service.post<{ id: string; secret: string }>('/v1/api-keys', {
    ...{ name: 'beside the data', role: 'viewer' },
  });
  id = made.id;
  writeFileSync(path(), `${made.secret}\n`, { mode: 0o600 });
});
afterAll(async () => {
  if (before === null) rmSync(path());
  else writeFileSync(path(), before);
  await casting?.close();
});

/** What the check says of it, the most serious last. */
function findings(more: Record<string, string> = {}): readonly Finding[] {
  const words = [testProgram(), 'doctor', '--json'];
  const options = {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env, ...more },
  } as const;
  const { stdout, stderr } = spawnSync(process.execPath, words, options);
  expect(stdout, stderr).toMatch(/^\[/);
  return (JSON.parse(stdout) as Finding[]).filter(({ check }) => check === 'first key');
}

test('opens the service', () => {
  expect(findings()).toEqual([
    expect.objectContaining({ verdict: 'ok', found: `${path()} opens the service` }),
  ]);
});

test('is refused by a service that has other data', async () => {
  const other = await startCasting();
  try {
    expect(findings({ PREFIXCAST_URL: other.service.url }).at(-1)).toMatchObject({
      verdict: 'fault',
      found: expect.stringMatching(
        /^the service at \S+ refuses the key of this database: it has other data/,
      ) as string,
      remedy: expect.stringMatching(/APP_DATA_DIR.*APP_PORT/) as string,
    });
  } finally {
    await other.close();
  }
});

test.each([
  ['was given another secret', () => casting.service.post(`/v1/api-keys/${id}/rotate`, {})],
  ['was revoked', () => casting.service.call('DELETE', `/v1/api-keys/${id}`)],
])('%s', async (words, change) => {
  await change();
  expect(findings()).toMatchObject([
    {
      verdict: 'warning',
      found: expect.stringContaining(`opens nothing any more: the key ${words}`) as string,
      remedy: expect.stringContaining('login') as string,
    },
  ]);
});
