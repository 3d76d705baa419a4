import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { DatabaseAddress } from '../../../src/store/database/database-address.ts';
import { migrate, readMigrations, type Migration } from '../../../src/store/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
let empty: DatabaseAddress & { readonly database: string };
const made: string[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  for (const name of made) await database.admin(`DROP DATABASE ${name} WITH (FORCE)`);
  await database.close();
});
beforeEach(async () => {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await database.admin(`CREATE DATABASE ${name} OWNER prefixcast`);
  made.push(name);
  empty = { ...(database.address as { host: string; port: number }), user: 'prefixcast', database: name };
});

function madeUp(number: number, sql: string): Migration {
  return { number, name: `${String(number).padStart(4, '0')}_madeUp.sql`, sha256: `hash of ${sql}`, sql };
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(empty);
  await client.connect();
  try {
    // Of several statements each has a result.
    return [await client.query<Record<string, unknown>>(sql)].flat().at(-1)!.rows;
  } finally {
    await client.end();
  }
}

test('migrations come numbered from 1 without gaps', () => {
  const migrations = readMigrations();
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
});

test('each lands once, however many processes start at once', async () => {
  const landed = await Promise.all([1, 2, 3, 4].map(() => migrate(empty)));
  expect(landed.flat()).toEqual(readMigrations().map(({ name }) => name));
  expect(await migrate(empty)).toEqual([]);
});

test('a later release adds to what has landed', async () => {
  const first = madeUp(1, 'CREATE TABLE one (id int)');
  const second = madeUp(2, 'CREATE TABLE two (id int)');
  expect(await migrate(empty, [first])).toEqual([first.name]);
  expect(await migrate(empty, [first, second])).toEqual([second.name]);
  expect(await query('SELECT * FROM prefixcast.two')).toEqual([]);
});

test('quotas that are raised are raised for tenants that are there, but for those with a number of their own', async () => {
  const migrations = readMigrations();
  await migrate(empty, migrations.slice(0, 13));
  await query("INSERT INTO prefixcast.tenant (id, name, slug) VALUES (gen_random_uuid(), 'old', 'old')");
  const set =
    "SET ROLE prefixcast_system; UPDATE prefixcast.tenant_quota SET maximum = 7 WHERE resource = 'peers'";
  await query(set);
  await migrate(empty, migrations);
  const all = 'SET ROLE prefixcast_system; SELECT resource, maximum FROM prefixcast.tenant_quota';
  const quotas = new Map((await query(all)).map(({ resource, maximum }) => [resource, Number(maximum)]));
  expect(quotas).toEqual(
    new Map([
      ...([
        ['modules', 1_000],
        ['entries', 2_000_000],
        ['communities', 10_000],
        ['jobs_queued', 10_000],
      ] as const),
      ...([
        ['speakers', 5_000],
        ['api_keys', 5_000],
        ['peers', 7],
      ] as const),
    ]),
  );
});

test('one that fails leaves nothing of itself, keeps those before, and may be mended', async () => {
  const first = madeUp(1, 'CREATE TABLE one (id int)');
  const broken = madeUp(2, 'CREATE TABLE two (id int); SELECT 1/0');
  await expect(migrate(empty, [first, broken])).rejects.toThrow('division by zero');
  expect(await query("SELECT to_regclass('prefixcast.two') AS two")).toEqual([{ two: null }]);
  const mended = madeUp(2, 'CREATE TABLE two (id int)');
  expect(await migrate(empty, [first, mended])).toEqual([mended.name]);
});

test('one that was edited after it landed is refused', async () => {
  await migrate(empty, [madeUp(1, 'CREATE TABLE one (id int)')]);
  await expect(migrate(empty, [madeUp(1, 'CREATE TABLE other (id int)')])).rejects.toThrow('only go forward');
});

test('a database newer than the program is refused', async () => {
  const [first, second] = [madeUp(1, 'SELECT 1'), madeUp(2, 'SELECT 2')];
  await migrate(empty, [first, second]);
  await expect(migrate(empty, [first])).rejects.toThrow('newer than this program');
});

test('a user without the rights is told which', async () => {
  const user = `poor_${randomBytes(4).toString('hex')}`;
  await database.admin(`CREATE ROLE ${user} LOGIN`);
  await database.admin(`ALTER DATABASE ${empty.database} OWNER TO ${user}`);
  await expect(migrate({ ...empty, user })).rejects.toThrow('GRANT prefixcast_tenant, prefixcast_system');
  await database.admin(`ALTER DATABASE ${empty.database} OWNER TO prefixcast`);
  await database.admin(`DROP OWNED BY ${user}`);
  await database.admin(`DROP ROLE ${user}`).catch(() => undefined);
});
