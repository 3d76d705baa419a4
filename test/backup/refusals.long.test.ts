/** What a restore refuses, and that whatever happens, a database is as it was or as the backup has it. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSecretBox } from '../../src/store/secrets.ts';
import { expectGolden } from '../cli/golden-files.ts';
import { typist, type Typed } from '../cli/desk/typing.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { waitFor } from '../daemons/wait.ts';
import { testProgram } from '../program.ts';

const WIDE = 100_000;

let source: TestDatabase;
let target: TestDatabase;
let directory: string;
let file: string;
const from = (...words: string[]): Promise<Typed> => typist(envOf(source, 'source'))(...words);
const into = (...words: string[]): Promise<Typed> => typist(envOf(target, 'target'))(...words);

function envOf({ address }: TestDatabase, name: string): Record<string, string> {
  const { host, port, database } = address as { host: string; port: number; database: string };
  const url = `postgresql://prefixcast@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
  return { DATABASE_URL: url, APP_DATA_DIR: join(directory, name) };
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'prefixcast-refusals-'));
  file = join(directory, 'backup.tar');
  [source, target] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const [{ id: tenant }] = (await ask<{ id: string }>(
    source,
    "INSERT INTO tenant (id, name, slug, policy) VALUES (gen_random_uuid(), 'odd', 'odd', '{}') RETURNING id",
  )) as [{ id: string }];
  // What a text format has to get right, and enough of it for several parts.
  await ask(source, `INSERT INTO setting (tenant_id, key, value) VALUES ($1, 'odd', $2)`, [
    tenant,
    JSON.stringify('tab\there, line\nthere, \\N, \\., "quotes" and ünïcödé \u{1F600}'),
  ]);
  await ask(
    source,
    `INSERT INTO setting (tenant_id, key, value)
     SELECT $1, 'wide' || n, to_jsonb(repeat(md5(n::text), 4)) FROM generate_series(1, $2::integer) n`,
    [tenant, WIDE],
  );
  loadSecretBox(join(directory, 'source'), null);
});
afterAll(async () => {
  await Promise.all([source?.close(), target?.close()]);
  rmSync(directory, { recursive: true, force: true });
});

/** Asks as the superuser, and leaves no connection: whoever is connected stops a restore. */
async function ask<T extends pg.QueryResultRow>(
  { address }: TestDatabase,
  sql: string,
  values: readonly unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client({ ...address, user: 'postgres', options: '-c search_path=prefixcast' });
  await client.connect();
  try {
    return (await client.query<T>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}

/** Of everything beside rows: how the schema is guarded. */
function guards(of: TestDatabase): Promise<unknown> {
  return ask(
    of,
    `SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'prefixcast'::regnamespace
    UNION ALL SELECT tgrelid::regclass || '.' || tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT relname, relrowsecurity::text || relforcerowsecurity FROM pg_class WHERE relnamespace = 'prefixcast'::regnamespace AND relkind = 'r'
    UNION ALL SELECT 'service', prefixcast.service_id()::text
    ORDER BY 1, 2`,
  );
}

const settings = async (of: TestDatabase): Promise<number> =>
  Number((await ask<{ count: string }>(of, 'SELECT count(*) FROM setting'))[0]!.count);

test('a backup has every row, and belongs to its owner alone', async () => {
  const said = await from('backup', file);
  expect(said, said.err).toMatchObject({ code: 0 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const verified = await from('verify', file);
  expect(verified, verified.err).toMatchObject({ code: 0 });
  const again = await from('backup', file);
  expect(again).toMatchObject({ code: 74, err: expect.stringContaining('exists already') as string });
  const words = ['backup', file];
  await expectGolden(
    'backup',
    [
      [words, said],
      [words, again],
    ],
    directory,
  );
  await expectGolden('verify', [[['verify', file], verified]], directory);
});

test('a damaged backup, a newer one and none leave the database alone', async () => {
  const bytes = readFileSync(file);
  const path = join(directory, 'damaged.tar');
  const refusal = async (text: Buffer): Promise<Typed> => {
    writeFileSync(path, text);
    return into('restore', path, '--replace');
  };
  const flipped = Buffer.from(bytes);
  flipped[Math.floor(bytes.length * 0.9)]! ^= 1;
  expect(await refusal(flipped)).toMatchObject({
    code: 65,
    err: expect.stringMatching(/damaged (at|behind) tables\//) as string,
  });
  expect(await refusal(bytes.subarray(0, bytes.length >> 1))).toMatchObject({ code: 65 });
  // As long as before, so that the header of the member still fits.
  const newer = Buffer.from(bytes.toString('latin1').replace('"number": 1,', '"number": 9,'), 'latin1');
  expect(await refusal(newer)).toMatchObject({
    code: 65,
    err: expect.stringContaining('Restore it with release') as string,
  });
  expect(await settings(target)).toBe(0);
  expect((await into('restore', join(directory, 'nothing'), '--replace')).code).toBe(66);
});

test('a backup that finds no room leaves nothing', async () => {
  const path = join(directory, 'large.tar');
  const line = `ulimit -f 64; exec '${process.execPath}' '${testProgram()}' backup '${path}'`;
  const child = spawn('/bin/sh', ['-c', line], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...envOf(source, 'source') },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said += part));
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect({ code, said }).toMatchObject({
    code: 74,
    said: expect.stringContaining("can't be written") as string,
  });
  expect(readdirSync(directory).filter((name) => name.startsWith('large'))).toEqual([]);
});

test('a backup and a restore that are killed are begun again', async () => {
  const killed = join(directory, 'killed.tar');
  await killWhen(['backup', killed], envOf(source, 'source'), 'COPY % TO STDOUT', source);
  expect(existsSync(killed)).toBe(false);
  expect(await from('backup', killed)).toMatchObject({ code: 0 });
  expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([]);

  await ask(
    target,
    "INSERT INTO tenant (id, name, slug, policy) VALUES (gen_random_uuid(), 'old', 'old', '{}')",
  );
  await killWhen(['restore', killed, '--replace'], envOf(target, 'target'), 'COPY % FROM STDIN', target);
  expect(await ask(target, 'SELECT slug FROM tenant')).toEqual([{ slug: 'old' }]);

  const refused = await into('restore', killed);
  expect(refused).toMatchObject({
    code: 8,
    err: expect.stringContaining('holds data already') as string,
  });
  const restored = await into('restore', killed, '--replace');
  expect(restored, restored.err).toMatchObject({ code: 0 });
  await expectGolden(
    'restore',
    [
      [['restore', killed], refused],
      [['restore', killed, '--replace'], restored],
    ],
    directory,
  );
  expect(await settings(target)).toBe(await settings(source));
  expect(await guards(target)).toEqual(await guards(source));
  const odd = "SELECT value FROM setting WHERE key = 'odd'";
  expect(await ask(target, odd)).toEqual(await ask(source, odd));
});

/** Starts the command, and kills it once the server is at a statement like that. */
async function killWhen(
  words: readonly string[],
  env: Record<string, string>,
  statement: string,
  database: TestDatabase,
): Promise<void> {
  const child = spawn(process.execPath, [testProgram(), ...words], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // By the other database: whoever is connected to this one stops a restore.
  const { database: name } = database.address as { database: string };
  const watcher = database === source ? target : source;
  const isAt = async (): Promise<boolean> =>
    (
      await ask(
        watcher,
        `SELECT FROM pg_stat_activity
          WHERE datname = $1 AND application_name = 'prefixcast-archive' AND query LIKE $2 AND query LIKE '%setting%'`,
        [name, statement],
      )
    ).length > 0;
  await waitFor(isAt, { what: `the server to be at ${statement}`, everyMs: 5 });
  child.kill('SIGKILL');
  expect(await ended).toBeNull();
}

describe('keys', () => {
  const sealed = (): string => join(directory, 'sealed.tar');
  const passphrase = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, `${text}\n`);
    return path;
  };

  test('that are sealed need the passphrase', async () => {
    const right = passphrase('right', 'correct horse');
    const said = await from('backup', sealed(), '--passphrase-file', right);
    expect(said.err).toContain('are sealed');
    expect(
      readFileSync(sealed()).includes(readFileSync(join(directory, 'source/secret-key'), 'utf8').trim()),
    ).toBe(false);
    expect((await from('verify', sealed())).err).toContain('--passphrase-file');
    const wrong = await from('verify', sealed(), '--passphrase-file', passphrase('wrong', 'battery'));
    expect(wrong).toMatchObject({ code: 65, err: expect.stringContaining('does not open') as string });
    expect(await from('verify', sealed(), '--passphrase-file', right)).toMatchObject({ code: 0 });
  });

  test('of another service are not taken away in silence', async () => {
    const path = join(directory, 'target/secret-key');
    const fresh = '11'.repeat(32);
    writeFileSync(path, `${fresh}\n`);
    await ask(target, 'TRUNCATE tenant CASCADE');
    expect((await into('restore', file)).err).toContain('is another key than the one of this backup');
    const replaced = await into('restore', file, '--replace');
    expect(replaced, replaced.err).toMatchObject({ code: 0 });
    expect(readFileSync(path, 'utf8')).toBe(readFileSync(join(directory, 'source/secret-key'), 'utf8'));
    const aside = readdirSync(join(directory, 'target')).find((name) =>
      name.startsWith('secret-key.before-'),
    );
    expect(readFileSync(join(directory, 'target', aside!), 'utf8').trim()).toBe(fresh);
  });

  test('that are kept elsewhere have to be there', async () => {
    const bare = join(directory, 'bare.tar');
    expect((await from('backup', bare, '--no-keys')).err).toContain('holds no keys');
    const elsewhere = { ...envOf(target, 'elsewhere') };
    expect((await typist(elsewhere)('restore', bare, '--replace')).err).toContain('Set APP_SECRET_KEY');
    const wrong = { ...elsewhere, APP_SECRET_KEY: '22'.repeat(32) };
    expect((await typist(wrong)('restore', bare, '--replace')).err).toContain(
      'APP_SECRET_KEY is another key',
    );
    const key = readFileSync(join(directory, 'source/secret-key'), 'utf8').trim();
    const right = await typist({ ...elsewhere, APP_SECRET_KEY: key })('restore', bare, '--replace');
    expect(right, right.err).toMatchObject({ code: 0 });
  });
});

test('a database that others use is left alone', async () => {
  await target.admin('SELECT 1');
  const said = await into('restore', file, '--replace');
  expect(said).toMatchObject({
    code: 8,
    err: expect.stringContaining('Stop every process of the service') as string,
  });
});
