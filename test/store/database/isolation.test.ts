import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteTenant } from '../../../src/store/tenants/tenants.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

interface TableFacts {
  readonly name: string;
  readonly enabled: boolean;
  readonly forced: boolean;
  readonly has_tenant: boolean;
  readonly policies: string[];
}

async function tables(): Promise<TableFacts[]> {
  const rows = await database.admin<TableFacts & { policies: string[] }>(`
    SELECT c.relname AS name, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
           EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id') AS has_tenant,
           ARRAY(SELECT p.polname::text FROM pg_policy p WHERE p.polrelid = c.oid ORDER BY 1) AS policies
      FROM pg_class c WHERE c.relnamespace = 'prefixcast'::regnamespace AND c.relkind = 'r' AND c.relname <> 'migration'
     ORDER BY 1`);
  return rows;
}

test('every table has row level security, for its owner too, and a policy for each role', async () => {
  const all = await tables();
  expect(all.length).toBeGreaterThan(15);
  for (const table of all) {
    expect(table, table.name).toMatchObject({
      enabled: true,
      forced: true,
      policies: ['every_tenant', 'own_tenant'],
    });
    expect(table.has_tenant || table.name === 'tenant', table.name).toBe(true);
  }
});

test('the roles cannot log in, own nothing, and are above no policy', async () => {
  const roles = await database.admin(`
    SELECT rolcanlogin, rolsuper, rolbypassrls,
           (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owned
      FROM pg_roles r WHERE rolname IN ('prefixcast_tenant', 'prefixcast_system')`);
  expect(roles).toEqual(
    [0, 1].map(() => ({ rolcanlogin: false, rolsuper: false, rolbypassrls: false, owned: 0 })),
  );
});

test('tenant_id is the first column of every key and index', async () => {
  const others = await database.admin<{ name: string }>(`
    SELECT i.indexrelid::regclass::text AS name FROM pg_index i
      JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'prefixcast'::regnamespace
      JOIN pg_attribute t ON t.attrelid = c.oid AND t.attname = 'tenant_id'
     WHERE i.indkey[0] <> t.attnum ORDER BY 1`);
  // Whose key or router it is, is what these are asked.
  expect(others.map(({ name }) => name.replace('prefixcast.', ''))).toEqual([
    'api_key_previous_secret_hash_key',
    'api_key_secret_hash_key',
    'browser_session_secret_hash_key',
    'enrollment_token_secret_hash_key',
    'feed_token_hash_key',
    'peer_endpoint_address_key',
  ]);
});

test('every reference between tables of a tenant carries the tenant', async () => {
  const loose = await database.admin(`
    SELECT k.conname FROM pg_constraint k
      JOIN pg_class c ON c.oid = k.conrelid AND c.relnamespace = 'prefixcast'::regnamespace
     WHERE k.contype = 'f' AND k.confrelid <> 'prefixcast.tenant'::regclass
       AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = k.conrelid AND a.attname = 'tenant_id'
                          AND a.attnum = ANY(k.conkey))`);
  expect(loose).toEqual([]);
});

/** A row of every table, for one tenant; each statement may use $1, the tenant, and ids that are the same in every tenant. */
const ID = "'01900000-0000-7000-8000-00000000000";
const HASH = "decode(repeat('ab', 32), 'hex')";
const ROWS: Readonly<Record<string, string>> = {
  api_key: `(tenant_id, id, name, role, prefix, secret_hash) VALUES ($1::uuid, ${ID}1', 'k', 'viewer', 'pc_v_', sha256(($1::uuid)::text::bytea))`,
  browser_session: `(tenant_id, id, api_key_id, secret_hash, key_secret_hash) VALUES ($1::uuid, ${ID}1', ${ID}1', sha256(($1::uuid)::text::bytea), ${HASH})`,
  setting: `(tenant_id, key, value) VALUES ($1, 'auto_apply', 'true')`,
  settings_version: '(tenant_id, version) VALUES ($1, 1)',
  community: `(tenant_id, id, community, title) VALUES ($1, ${ID}2', '65000:1', 'c')`,
  maintenance_policy: `(tenant_id, id, name, kind, parameters) VALUES ($1, ${ID}9', 'x', 'job_prune', '{}')`,
  module: `(tenant_id, id, name, type) VALUES ($1, ${ID}3', 'm', 'CDN_SOURCES')`,
  tenant_entry_count: `(tenant_id, entries) VALUES ($1, 1)`,
  module_entry_count: `(tenant_id, module_id, entries) VALUES ($1, ${ID}3', 1)`,
  cdn_source: `(tenant_id, id, module_id, name, url) VALUES ($1, ${ID}4', ${ID}3', 's', 'https://example.net/')`,
  as_entry: `(tenant_id, id, module_id, asn) VALUES ($1, ${ID}c', ${ID}3', 3333)`,
  doh_profile: `(tenant_id, id, name, url) VALUES ($1, ${ID}e', 'd', 'https://dns.example/')`,
  domain_entry: `(tenant_id, id, module_id, domain) VALUES ($1, ${ID}f', ${ID}3', 'www.example.com')`,
  ip_range_entry: `(tenant_id, id, module_id, cidr) VALUES ($1, ${ID}5', ${ID}3', '8.8.8.0/24')`,
  geofeed_entry: `(tenant_id, id, module_id, name, url, countries) VALUES ($1, ${ID}0', ${ID}3', 'f', 'https://example.net/', '{DE}')`,
  content_block: `(tenant_id, hash, bytes) VALUES ($1, ${HASH}, '')`,
  content: `(tenant_id, content_hash, manifest, block_hashes, prefix_count_ipv4, prefix_count_ipv6) VALUES ($1, ${HASH}, '', '{}', 0, 0)`,
  snapshot: `(tenant_id, module_id, content_hash) VALUES ($1, ${ID}3', ${HASH})`,
  revision: `(tenant_id, id, number, state, trigger, content_hash) VALUES ($1, ${ID}6', 1, 'ready', '{}', ${HASH})`,
  entry_list: `(tenant_id, hash, entries) VALUES ($1, ${HASH}, '')`,
  module_policy: `(tenant_id, hash, groups) VALUES ($1, ${HASH}, '[]')`,
  revision_input: `(tenant_id, revision_id, module_id, families, purpose, content_hash, entries_hash) VALUES ($1, ${ID}6', ${ID}3', '{ipv4}', 'announce', ${HASH}, ${HASH})`,
  revision_step: `(tenant_id, revision_id, previous_id, switched) VALUES ($1, ${ID}6', ${ID}6', '{}')`,
  step_piece: `(tenant_id, revision_id, place, number, family, first_address, last_address, bytes) VALUES ($1, ${ID}6', 0, 1, 'ipv4', '', '', '')`,
  due_step: '(tenant_id) VALUES ($1)',
  accepted_snapshot: `(tenant_id, module_id, content_hash) VALUES ($1, ${ID}3', ${HASH})`,
  held_snapshot: `(tenant_id, module_id, content_hash, findings) VALUES ($1, ${ID}3', ${HASH}, '[]')`,
  entry_before_hold: `(tenant_id, module_id, entry_id, version, content_hash) VALUES ($1, ${ID}3', ${ID}4', 1, ${HASH})`,
  released_snapshot: `(tenant_id, module_id, content_hash, codes, reason, released_by) VALUES ($1, ${ID}3', ${HASH}, '{}', 'r', 'cli')`,
  held_withdrawal: `(tenant_id, module_id, name, hash, state_hash, findings) VALUES ($1, ${ID}3', 'm', ${HASH}, ${HASH}, '[]')`,
  released_withdrawal: `(tenant_id, module_id, state_hash, reason, released_by) VALUES ($1, ${ID}3', ${HASH}, 'r', 'cli')`,
  rolled_back_snapshot: `(tenant_id, module_id, content_hash) VALUES ($1, ${ID}3', ${HASH})`,
  job: `(tenant_id, id, type, input) VALUES ($1, ${ID}7', 'apply', '{}')`,
  ended_job_count: `(tenant_id, state, jobs) VALUES ($1, 'succeeded', 1)`,
  speaker: `(tenant_id, id, name, local_asn) VALUES ($1, ${ID}8', 's', 64512)`,
  speaker_lease: `(tenant_id, speaker_id, holder, expires_at) VALUES ($1, ${ID}8', ${ID}9', now())`,
  speaker_apply: `(tenant_id, id, speaker_id, revision_id, job_id) VALUES ($1, ${ID}a', ${ID}8', ${ID}6', ${ID}7')`,
  enrollment_token: `(tenant_id, id, speaker_id, prefix, secret_hash, expires_at) VALUES ($1::uuid, ${ID}1', ${ID}8', 'pc_e_', sha256(($1::uuid)::text::bytea), now())`,
  firewall_client: `(tenant_id, id, name, hostname) VALUES ($1, ${ID}1', 'c', 'h')`,
  firewall_rule: `(tenant_id, id, name, action, direction) VALUES ($1, ${ID}1', 'r', 'block', 'in')`,
  feed: `(tenant_id, id, name, families, format, when_too_many, token_prefix, token_hash) VALUES ($1::uuid, ${ID}1', 'f', '{ipv4}', 'text', 'fail', 'pc_l_', sha256(($1::uuid)::text::bytea))`,
  webhook: `(tenant_id, id, name, url, events, format, secret_prefix, secret_sealed) VALUES ($1, ${ID}1', 'w', 'https://example.net/', '{job}', 'json', 'pc_h_', '')`,
  webhook_turn: `(tenant_id, webhook_id, position) VALUES ($1, ${ID}1', 0)`,
  webhook_delivery: `(tenant_id, webhook_id, id, event, data, state) VALUES ($1, ${ID}1', ${ID}2', 'job', '{}', 'pending')`,
  signing_key: `(tenant_id, key_id, public_key, not_before) VALUES ($1, 'k', ${HASH}, now())`,
  speaker_bundle: `(tenant_id, speaker_id, sequence, issue, fingerprint, revision_id, keys_hash, expires_at, length, sha256, sealed) VALUES ($1, ${ID}8', 1, 1, '', ${ID}6', '', now(), 0, '', '')`,
  peer: `(tenant_id, id, name, address, remote_asn) VALUES ($1, ${ID}b', 'p', '192.0.2.1', 64500)`,
  peer_speaker: `(tenant_id, peer_id, speaker_id) VALUES ($1, ${ID}b', ${ID}8')`,
  peer_endpoint: `(tenant_id, address, port) VALUES ($1::uuid, ($1::uuid)::text, 179)`,
  peer_community: `(tenant_id, peer_id, community_id) VALUES ($1, ${ID}b', ${ID}2')`,
  speaker_session: `(tenant_id, speaker_id, peer_id, state, since, routes_exported, routes_received, updates_sent) VALUES ($1, ${ID}8', ${ID}b', 'idle', now(), 0, 0, 0)`,
  reverted_peer: `(tenant_id, speaker_id, peer_id, error, retry) VALUES ($1, ${ID}8', ${ID}b', 'e', false)`,
  limited_peer: `(tenant_id, speaker_id, peer_id, families) VALUES ($1, ${ID}8', ${ID}b', '[]')`,
  audit_record: `(tenant_id, id, actor, action, severity, resource_type) VALUES ($1, ${ID}d', 'cli', 'module.create', 'info', 'module')`,
  audit_outbox: `(tenant_id, record_id) VALUES ($1, ${ID}d')`,
  audit_delivery: `(tenant_id, lease_expires_at) VALUES ($1, now())`,
  event: `(tenant_id, kind, data) VALUES ($1, 'job', '{}')`,
  past_expiry: `(tenant_id, entry_id) VALUES ($1, ${ID}1')`,
  removed_batch: `(tenant_id, id, module_id, removed_at, transaction) VALUES ($1, ${ID}1', ${ID}3', now(), 1)`,
  removed_chunk: `(tenant_id, batch_id, kind, entries, entry_count, names) VALUES ($1, ${ID}1', 'as_entry', '[]', 0, '{}')`,
  pending_change: `(tenant_id, needs_collect, needs_build, edits) VALUES ($1, true, true, 1)`,
  range_edit: `(tenant_id, module_id) VALUES ($1, gen_random_uuid())`,
  range_step: `(tenant_id, module_id, stamp, before) VALUES ($1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid())`,
  event_counter: `(tenant_id) VALUES ($1)`,
  duty: `(tenant_id, name, done_at) VALUES ($1, 'd', now())`,
  tenant_quota: `(tenant_id, resource, maximum) VALUES ($1, 'modules of none', 1)`,
  idempotency_key: `(tenant_id, api_key_id, key, request_hash, claim) VALUES ($1, ${ID}1', 'k', ${HASH}, ${ID}9')`,
};

/** What the tenant's role may not change at all. */
const APPEND_ONLY = new Set(['audit_record', 'audit_outbox', 'audit_delivery']);

test('a tenant takes nothing back from its audit log', async () => {
  const mine = await database.createTenant();
  for (const name of APPEND_ONLY) {
    await database.admin(`INSERT INTO ${name} ${ROWS[name]}`, [mine]);
    for (const statement of [
      sql`DELETE FROM ${sql.table(name)}`,
      sql`UPDATE ${sql.table(name)} SET tenant_id = tenant_id`,
      sql`TRUNCATE ${sql.table(name)}`,
    ])
      await expect(
        database.db.inTenant(mine, (tx) => statement.execute(tx.sql)),
        name,
      ).rejects.toMatchObject({ code: '42501' });
  }
});

test('a tenant neither sees nor touches a row of another, in any table', async () => {
  const names = (await tables()).map(({ name }) => name).filter((name) => name !== 'tenant');
  expect(Object.keys(ROWS).sort()).toEqual(names);
  const [mine, theirs] = [await database.createTenant(), await database.createTenant()];
  for (const tenant of [mine, theirs])
    for (const [name, row] of Object.entries(ROWS))
      await database.admin(`INSERT INTO ${name} ${row}`, [tenant]);

  for (const name of [...names, 'tenant']) {
    const column = name === 'tenant' ? 'id' : 'tenant_id';
    const counts = await database.db.inTenant(mine, async (tx) => {
      const table = sql.table(name);
      const key = sql.ref(column);
      const seen = await sql<{ tenant: string }>`SELECT ${key} AS tenant FROM ${table}`.execute(tx.sql);
      const lock = APPEND_ONLY.has(name) ? sql`` : sql`FOR UPDATE`;
      const locked = await sql`SELECT FROM ${table} WHERE ${key} = ${theirs} ${lock}`.execute(tx.sql);
      return { seen: seen.rows.map((row) => row.tenant), locked: locked.rows.length };
    });
    expect({ ...counts, seen: [...new Set(counts.seen)] }, name).toEqual({ seen: [mine], locked: 0 });
  }
  for (const name of names.filter((each) => !APPEND_ONLY.has(each) && each !== 'tenant_quota')) {
    const touched = await database.db.inTenant(mine, (tx) =>
      sql`DELETE FROM ${sql.table(name)} WHERE tenant_id = ${theirs}`.execute(tx.sql),
    );
    expect(touched.numAffectedRows, name).toBe(0n);
    const moved = database.db.inTenant(mine, (tx) =>
      sql`UPDATE ${sql.table(name)} SET tenant_id = ${theirs}`.execute(tx.sql),
    );
    await expect(moved, name).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|23503|23505)$/) as string,
    });
  }
});

test('a deleted tenant leaves no row behind, and every row of others', async () => {
  const [gone, stays] = [await database.createTenant(), await database.createTenant()];
  for (const tenant of [gone, stays])
    for (const [name, row] of Object.entries(ROWS))
      await database.admin(`INSERT INTO ${name} ${row}`, [tenant]);
  const count = async (tenant: string): Promise<[string, number][]> => {
    const counts: [string, number][] = [];
    for (const name of Object.keys(ROWS)) {
      const rows = await database.admin(`SELECT 1 FROM ${name} WHERE tenant_id = $1`, [tenant]);
      counts.push([name, rows.length]);
    }
    return counts;
  };
  const before = await count(stays);
  await database.db.inSystem((tx) => deleteTenant(tx, gone));
  expect((await count(gone)).filter(([, rows]) => rows > 0)).toEqual([]);
  expect(await count(stays)).toEqual(before);
  expect(before.every(([, rows]) => rows > 0)).toBe(true);
});

test('a tenant that has just imported more entries than one statement deletes is deleted', async () => {
  const [gone, stays] = [await database.createTenant(), await database.createTenant()];
  const fill = async (tenant: string, count: number): Promise<void> => {
    const module = randomUUID();
    await database.admin("INSERT INTO module (tenant_id, id, name, type) VALUES ($1, $2, 'm', 'IP_RANGES')", [
      tenant,
      module,
    ]);
    await database.admin(
      `INSERT INTO ip_range_entry (tenant_id, id, module_id, cidr)
       SELECT $1, gen_random_uuid(), $2, set_masklen('45.0.0.0'::cidr + n, 32) FROM generate_series(1, $3::int) n`,
      [tenant, module, count],
    );
  };
  // PostgreSQL knows of the entries of the other tenant only, and expects none of this one.
  await fill(stays, 3_000);
  await database.admin('ANALYZE ip_range_entry');
  await fill(gone, 100_001);
  await database.db.inSystem((tx) => deleteTenant(tx, gone));
  expect(await database.admin('SELECT FROM ip_range_entry WHERE tenant_id = $1', [gone])).toEqual([]);
  expect(await database.admin('SELECT FROM ip_range_entry WHERE tenant_id = $1', [stays])).toHaveLength(
    3_000,
  );
});

test('a row written for another tenant is refused', async () => {
  const [mine, theirs] = [await database.createTenant(), await database.createTenant()];
  const write = database.db.inTenant(mine, (tx) =>
    tx.sql.insertInto('setting').values({ tenant_id: theirs, key: 'auto_apply', value: 'true' }).execute(),
  );
  await expect(write).rejects.toMatchObject({ code: '42501' });
});

test('a tenant cannot refer to what belongs to another', async () => {
  const [mine, theirs] = [await database.createTenant(), await database.createTenant()];
  const id = '01900000-0000-7000-8000-0000000000c1';
  await database.admin(
    "INSERT INTO community (tenant_id, id, community, title) VALUES ($1, $2, '1:1', 'c')",
    [theirs, id],
  );
  const write = database.db.inTenant(mine, (tx) =>
    tx.sql
      .insertInto('module')
      .values({ tenant_id: mine, id, name: 'm', type: 'DOMAINS', community_id: id })
      .execute(),
  );
  await expect(write).rejects.toMatchObject({ constraint: 'module_community_id_fkey' });
});

test('a tenant changes nothing of its own row but the counter, and reaches no table of the job queue', async () => {
  const mine = await database.createTenant();
  const rename = database.db.inTenant(mine, (tx) => sql`UPDATE tenant SET slug = 'x'`.execute(tx.sql));
  await expect(rename).rejects.toMatchObject({ code: '42501' });
  await database.admin('CREATE SCHEMA IF NOT EXISTS pgboss');
  await database.admin('CREATE TABLE IF NOT EXISTS pgboss.job (id int)');
  const peek = database.db.inTenant(mine, (tx) => sql`SELECT FROM pgboss.job`.execute(tx.sql));
  await expect(peek).rejects.toMatchObject({ code: '42501' });
});
