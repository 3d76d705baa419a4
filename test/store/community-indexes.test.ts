/** Who uses a community is found by an index, which has no entry without a community of its own. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ENTRY_TYPES } from '../../src/api/entries/entry-kinds.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

const MANY = 5_000;

let database: TestDatabase;
let tenantId: string;
let communityId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  tenantId = await database.createTenant();
  communityId = uuidv7();
  const moduleId = uuidv7();
  await database.db.inTenant(tenantId, async (tx) => {
    const ids = { tenant_id: tenantId, id: communityId };
    await tx.sql
      .insertInto('community')
      .values({ ...ids, community: '64500:1', title: 'Own' })
      .execute();
    const module = { tenant_id: tenantId, id: moduleId, name: 'list', type: 'IP_RANGES' } as const;
    await tx.sql.insertInto('module').values(module).execute();
    const range = sql`set_masklen('10.0.0.0'::inet + n, 32)::cidr`;
    const own = sql`CASE WHEN n = 1 THEN ARRAY[${communityId}::uuid] ELSE '{}' END`;
    await sql`INSERT INTO ip_range_entry (tenant_id, id, module_id, cidr, community_ids)
              SELECT ${tenantId}, gen_random_uuid(), ${moduleId}, ${range}, ${own} FROM generate_series(1, ${MANY}::int) n`.execute(
      tx.sql,
    );
  });
  await database.admin('ANALYZE ip_range_entry');
});
afterAll(() => database.close());

test('an entry without one is written into no index of communities', async () => {
  for (const kind of ENTRY_TYPES) {
    const indexes = await database.admin<{ indexdef: string }>(
      'SELECT indexdef FROM pg_indexes WHERE indexname = $1',
      [`${kind}_community`],
    );
    expect(indexes, kind).toMatchObject([
      { indexdef: expect.stringContaining('WHERE (community_id IS NOT NULL)') as unknown },
    ]);
  }
  // One entry has one: a page of its own, and the first page of the index.
  const [size] = await database.admin<{ pages: number }>(
    "SELECT (pg_relation_size('ip_range_entry_community') / 8192)::int AS pages",
  );
  expect(size).toEqual({ pages: 2 });
});

test('those of a community are found there, whatever values the plan was made for', async () => {
  const lines = await database.db.inTenant(tenantId, async (tx) => {
    // As a foreign key asks: one plan for all values.
    await sql`SET LOCAL plan_cache_mode = force_generic_plan`.execute(tx.sql);
    await sql`PREPARE users AS SELECT 1 FROM ip_range_entry WHERE tenant_id = $1::uuid AND community_id = $2::uuid`.execute(
      tx.sql,
    );
    const asked = sql.raw(`EXPLAIN (ANALYZE, COSTS OFF) EXECUTE users ('${tenantId}', '${communityId}')`);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`${asked}`.execute(tx.sql);
    await sql`DEALLOCATE users`.execute(tx.sql);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(lines).toContain('ip_range_entry_community');
  expect(lines).toMatch(/rows=1(\.00)? loops=1/);
  expect(lines).not.toContain('Rows Removed by Filter');
});
