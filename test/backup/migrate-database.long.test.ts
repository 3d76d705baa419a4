/** From the embedded database to one of DATABASE_URL, and back with what has changed since. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectGolden } from '../cli/golden-files.ts';
import { typist, type Typed } from '../cli/desk/typing.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { startCasting, type Casting } from '../e2e/casting.ts';

let casting: Casting;
let target: TestDatabase;
let DATABASE_URL: string;
let run: (...words: string[]) => Promise<Typed>;

beforeAll(async () => {
  [casting, target] = await Promise.all([startCasting(), createTestDatabase()]);
  const { host, port, database } = target.address as { host: string; port: number; database: string };
  DATABASE_URL = `postgresql://prefixcast@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  run = typist({ APP_DATA_DIR: casting.dataDir, DATABASE_URL });
});
afterAll(async () => {
  await casting?.close();
  await target?.close();
});

async function namesOf(path: string): Promise<string[]> {
  return (await casting.service.get<{ items: { name: string }[] }>(path)).items.map(({ name }) => name);
}

test('everything moves there, and back again', async () => {
  const peer = {
    name: 'locked',
    address: '192.0.2.9',
    remote_asn: 64499,
    password: 'very secret',
    enabled: false,
  };
  await casting.service.post('/v1/peers', peer);
  await casting.service.post('/v1/modules', { name: 'before', type: 'IP_RANGES' });
  expect(await run('migrate-database')).toMatchObject({
    code: 8,
    err: expect.stringContaining('Stop every process of the service first') as string,
  });

  await casting.service.stop();
  const moved = await run('migrate-database');
  expect(moved, moved.err).toMatchObject({
    code: 0,
    out: expect.stringContaining('compared row by row') as string,
  });
  expect(moved.err).toContain('migrate-database --back --replace');
  expect(await run('migrate-database')).toMatchObject({
    code: 8,
    err: expect.stringContaining('holds data already') as string,
  });

  await casting.restart({ DATABASE_URL });
  expect(await namesOf('/v1/peers')).toEqual(['locked']);
  await casting.service.post('/v1/modules', { name: 'after', type: 'IP_RANGES' });
  await casting.service.stop();

  const back = await run('migrate-database', '--back', '--replace');
  expect(back, back.err).toMatchObject({ code: 0 });
  await expectGolden(
    'migrate-database',
    [
      [['migrate-database'], moved],
      [['migrate-database', '--back', '--replace'], back],
    ],
    casting.dataDir,
  );
  await casting.restart();
  expect((await namesOf('/v1/modules')).sort()).toEqual(['after', 'before']);
  const examined = await typist({ APP_DATA_DIR: casting.dataDir })('doctor');
  expect(examined.out).toMatch(/key +it opens [1-9]\d* secrets/);
});

test('without DATABASE_URL it says what is missing', async () => {
  expect(await typist({ APP_DATA_DIR: casting.dataDir })('migrate-database')).toMatchObject({
    code: 78,
    err: expect.stringContaining('DATABASE_URL is not set') as string,
  });
});
