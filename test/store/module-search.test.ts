/** What `q` finds of five thousand modules is what there is, by an index where it is rare. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillTenant, idOf } from '../../bench/growth/fill.ts';
import type { Module, ModuleQuery } from '../../src/api/lists/modules.ts';
import { asSystem } from '../../src/store/database/database.ts';
import { listModules } from '../../src/store/modules/modules.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

const SCALE = { entries: 1_000, jobs: 1_000, auditRecords: 1_000, modules: 5_000, tenants: 1 };

let database: TestDatabase;
let tenantId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  tenantId = await database.createTenant();
  const client = new pg.Client({ ...database.address, user: 'postgres' });
  await client.connect();
  await fillTenant(client, tenantId, SCALE);
  const described = { 700: '100% of a customer', 4_321: 'Nobody knows', 4_700: '100% of another' };
  for (const [number, text] of Object.entries(described))
    await client.query('UPDATE prefixcast.module SET description = $1 WHERE tenant_id = $2 AND id = $3', [
      ...[text, tenantId, idOf('module', Number(number))],
    ]);
  await client.query(
    `UPDATE prefixcast.module SET enabled = name !~ '7$', purpose = CASE WHEN name ~ '43' THEN 'exclude' ELSE 'announce' END
      WHERE tenant_id = $1`,
    [tenantId],
  );
  await client.query('VACUUM (ANALYZE) prefixcast.module');
  await client.end();
});
afterAll(() => database.close());

test.each([
  ['module 4999', {}],
  ['ODULE 33', {}],
  ['99', { sort: '-created_at' as const }],
  ['module', { type: 'DOMAINS' as const }],
  ['le 4', { type: ['GEOFEED' as const, 'IP_RANGES' as const], enabled: true }],
  ['module', { enabled: false }],
  ['4', { purpose: 'exclude' as const }],
  ['nobody knows', {}],
  ['nowhere', {}],
  ['100% of', {}],
])('as many modules are found of %s with %o as there are, page by page', async (q, filter) => {
  const all: Module[] = [];
  const pages = async (query: ModuleQuery, into: Module[]): Promise<void> => {
    let cursor: string | null = null;
    do {
      const more: { cursor?: string } = cursor === null ? {} : { cursor };
      const page = await database.db.inTenant(tenantId, (tx) =>
        listModules(tx, { ...query, ...more, limit: 400 }),
      );
      into.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor !== null);
  };
  await pages(filter, all);
  const found: Module[] = [];
  await pages({ ...filter, q }, found);
  const says = (text: string | null): boolean => text?.toLowerCase().includes(q.toLowerCase()) === true;
  const wanted = all.filter(({ name, description }) => says(name) || says(description));
  expect(found.map(({ name }) => name)).toEqual(wanted.map(({ name }) => name));
});

test('modules that say something rare are found by trigrams', async () => {
  const plan = await database.db.inTenant(tenantId, (tx) =>
    asSystem(tx, async () => {
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
        EXPLAIN SELECT id FROM module WHERE tenant_id = ${sql.lit(tenantId)}
           AND (name ILIKE '%nowhere%' OR description ILIKE '%nowhere%')`.execute(tx.sql);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    }),
  );
  expect(plan).toContain('module_search');
  const other = await database.createTenant();
  expect((await database.db.inTenant(other, (tx) => listModules(tx, { q: 'module' }))).items).toEqual([]);
});
