import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { CLOSED_POLICY, OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
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
        ['sessions', 1_000],
        ['firewall_clients', 1_000],
        ['firewall_rules', 1_000],
        ['feeds', 1_000],
        ['webhooks', 100],
        ['doh_profiles', 1_000],
        ['enrollment_tokens', 5_000],
      ] as const),
    ]),
  );
});

test('names that differ in case only stay; the oldest has its name for itself, the others until they are renamed', async () => {
  const migrations = readMigrations();
  await migrate(
    empty,
    migrations.filter(({ number }) => number < 19),
  );
  const tenant = "'0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77'";
  const asSystem = (statement: string) =>
    query(`SET search_path = prefixcast; SET ROLE prefixcast_system; ${statement}`);
  await asSystem(`INSERT INTO tenant (id, name, slug) VALUES (${tenant}, 'old', 'old')`);
  const insert = (id: number, name: string): Promise<unknown> =>
    asSystem(
      `INSERT INTO module (tenant_id, id, name, type)
         VALUES (${tenant}, '00000000-0000-0000-0000-00000000000${id}', '${name}', 'IP_RANGES')`,
    );
  await insert(2, 'EDGE');
  await insert(1, 'Edge');
  await insert(3, ' edge');
  await insert(4, 'core');
  await migrate(empty, migrations);
  const names = 'SELECT name, name_key FROM module ORDER BY id';
  expect(await asSystem(names)).toEqual([
    { name: 'Edge', name_key: 'EDGE' },
    { name: 'EDGE', name_key: null },
    { name: ' edge', name_key: null },
    { name: 'core', name_key: 'CORE' },
  ]);
  await expect(insert(5, 'eDGE')).rejects.toThrow('module_name_without_case_key');
  await expect(insert(5, 'EDGE')).rejects.toThrow('module_name_key');
  // What changes without its name stays as it is.
  await asSystem("UPDATE module SET name = name, enabled = false WHERE name = 'EDGE'");
  await asSystem("UPDATE module SET name = 'rim' WHERE name = 'EDGE'");
  await expect(insert(5, 'RIM')).rejects.toThrow('module_name_without_case_key');
});

test('one that fails leaves nothing of itself, keeps those before, and may be fixed', async () => {
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

test('a user without the rights is informed which are missing', async () => {
  const user = `poor_${randomBytes(4).toString('hex')}`;
  await database.admin(`CREATE ROLE ${user} LOGIN`);
  await database.admin(`ALTER DATABASE ${empty.database} OWNER TO ${user}`);
  await expect(migrate({ ...empty, user })).rejects.toThrow('GRANT prefixcast_tenant, prefixcast_system');
  await database.admin(`ALTER DATABASE ${empty.database} OWNER TO prefixcast`);
  await database.admin(`DROP OWNED BY ${user}`);
  await database.admin(`DROP ROLE ${user}`).catch(() => undefined);
});

test('tenants that are there keep what they announce and whom they talk to, and the first one its router', async () => {
  const migrations = readMigrations();
  const before = migrations.filter(({ number }) => number < 18);
  await migrate(empty, before);
  const id = (n: number): string => `'01900000-0000-7000-8000-00000000000${n}'`;
  await query(`SET ROLE prefixcast_system;
    INSERT INTO prefixcast.tenant (id, name, slug) VALUES (${id(1)}, 'Home', 'default'), (${id(2)}, 'Acme', 'acme');
    INSERT INTO prefixcast.speaker (tenant_id, id, name, local_asn, mode)
      VALUES (${id(1)}, ${id(5)}, 's', 64512, 'local'), (${id(2)}, ${id(6)}, 'n', 64512, 'agent');
    INSERT INTO prefixcast.peer (tenant_id, id, name, address, remote_asn, enabled, created_at)
      VALUES (${id(1)}, ${id(3)}, 'a', '192.0.2.1', 64500, true, '2026-01-02'),
             (${id(2)}, ${id(3)}, 'a', '192.0.2.1', 64500, true, '2026-01-01'),
             (${id(1)}, ${id(4)}, 'b', '192.0.2.2', 64500, false, '2026-01-01'),
             (${id(2)}, ${id(4)}, 'b', '192.0.2.3', 64500, true, '2026-01-01');
    INSERT INTO prefixcast.peer_speaker (tenant_id, peer_id, speaker_id) VALUES (${id(2)}, ${id(4)}, ${id(6)})`);
  await migrate(empty, migrations);
  const system = 'SET ROLE prefixcast_system;';
  const claims = 'SELECT tenant_id, address, port FROM prefixcast.peer_endpoint';
  expect(await query(`${system} ${claims}`)).toEqual([
    { tenant_id: id(2).replaceAll("'", ''), address: '192.0.2.1', port: 179 },
  ]);
  const policies = await query(`${system} SELECT slug, policy FROM prefixcast.tenant ORDER BY slug`);
  expect(policies).toEqual([
    { slug: 'acme', policy: { ...OPEN_POLICY, may_loosen_guards: false } },
    { slug: 'default', policy: OPEN_POLICY },
  ]);
  await query(`${system} INSERT INTO prefixcast.tenant (id, name, slug) VALUES (${id(7)}, 'New', 'new')`);
  const [made] = await query(`${system} SELECT policy FROM prefixcast.tenant WHERE slug = 'new'`);
  expect(made).toEqual({ policy: CLOSED_POLICY });
});
