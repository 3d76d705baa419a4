/** What somebody searches for is found by indexes where it is rare, by going through the rows where it is not, and page by page. */
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf, MODULE_OF } from '../../bench/growth/fill.ts';
import { listAuditRecords } from '../../src/store/audit/audit.ts';
import { asSystem, type TenantTx } from '../../src/store/database/database.ts';
import { listIpRangeEntries } from '../../src/store/entries/ip-range-entries.ts';
import type { TestDatabase } from '../database.ts';
import { createFilledDatabase } from './filled-tenant.ts';

let database: TestDatabase;
let tenantId: string;
beforeAll(async () => {
  ({ database, tenantId } = await createFilledDatabase());
});
afterAll(() => database.close());

const ranges = idOf('module', MODULE_OF.ip_range_entry.number);

/** What search_entries asks for what is rare. */
const searchPlan = (tx: TenantTx): Promise<string> =>
  asSystem(tx, async () => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      EXPLAIN SELECT id FROM ip_range_entry
       WHERE tenant_id = ${sql.lit(tenantId)} AND module_id = ${sql.lit(ranges)}
         AND ((cidr::text) ILIKE '%nowhere%' OR note ILIKE '%nowhere%')`.execute(tx.sql);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });

describe('entries:', () => {
  test('ranges that say something rare are found by trigrams, and so are none', async () => {
    const list = (q: string) =>
      database.db.inTenant(tenantId, (tx) => listIpRangeEntries(tx, ranges, { q, limit: 2 }));
    const { items } = await list('R 1999');
    expect(items.map(({ note }) => note)).toEqual(['customer 1999', 'customer 19990']);
    expect((await list('nowhere')).items).toEqual([]);
    expect((await list('9.56.128')).items.map(({ cidr }) => cidr)).toEqual([]);
    expect((await list('8.1.56.128')).items.map(({ cidr }) => cidr)).toEqual(['8.1.56.128/32']);
    expect(await database.db.inTenant(tenantId, searchPlan)).toContain('ip_range_entry_search');
  });

  test('what is rare of a text is looked up, and not what nearly every row says', async () => {
    const part = async (text: string, texts: readonly string[]): Promise<string | null> => {
      const [row] = await database.admin<{ part: string | null }>(
        'SELECT prefixcast.rare_part($1, $2::text[]) AS part',
        [`%${text}%`, texts],
      );
      return row!.part;
    };
    const customers = Array.from(
      { length: 200 },
      (_, number) => `198.51.100.${number}/32 customer ${number}`,
    );
    expect(await part('Customer 999993', customers)).toBe('999993');
    expect(await part('host77a.example', ['host1.example'])).toBe('st77a');
    expect(await part('customer', customers)).toBeNull();
    expect(await part('100\\%', customers)).toBeNull();
    expect(await part('nowhere', customers)).toBe('nowhere');
    expect(await part(`customer ${'9'.repeat(200)}`, customers)).toMatch(/^9{20,}$/);

    const blocks = (text: string): Promise<number> =>
      database.db.inTenant(tenantId, async (tx) => {
        const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>`
          EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
          SELECT search_entries('ip_range_entry', ${sql.lit(ranges)}, ${sql.lit(`%${text}%`)}, NULL, NULL, ${sql.lit(ranges)}, 5)`.execute(
          tx.sql,
        );
        return rows[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
      });
    await blocks('nowhere');
    const [rare, whole] = [await blocks('19993'), await blocks('customer 19993')];
    expect(whole).toBeLessThanOrEqual(rare + 10);
  });

  test('what is searched for is found without indexes too, and they can be made later', async () => {
    const list = (q: string) =>
      database.db.inTenant(tenantId, (tx) => listIpRangeEntries(tx, ranges, { q, limit: 1 }));
    await database.admin('DROP INDEX ip_range_entry_search');
    expect((await list('R 19999')).items).toMatchObject([{ note: 'customer 19999' }]);
    const owner = new pg.Client(database.address);
    await owner.connect();
    await owner.query('SELECT prefixcast.make_search_indexes()');
    await owner.end();
    expect(await database.db.inTenant(tenantId, searchPlan)).toContain('ip_range_entry_search');
  });

  test('every page of what is found is there once, with filters', async () => {
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await database.db.inTenant(tenantId, (tx) =>
        listIpRangeEntries(tx, ranges, {
          q: '000',
          enabled: false,
          limit: 3,
          ...(cursor === null ? {} : { cursor }),
        }),
      );
      found.push(...page.items.map(({ note }) => note!));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(found).toEqual(Array.from({ length: 20 }, (_, number) => `customer ${number + 1}000`));
  });

  test.each([
    '1',
    '77',
    '123',
    '1999',
    'customer 1999',
    'mer 777',
    '8.1.5',
    '12.34',
    'customer nowhere',
    'nowhere',
  ])('as many are found of %s as there are, page by page', async (q) => {
    const wanted = await database.db.inTenant(tenantId, async (tx) => {
      const { rows } = await sql<{ note: string }>`
        SELECT note FROM ip_range_entry WHERE tenant_id = ${tenantId} AND module_id = ${ranges}
           AND (cidr::text LIKE ${`%${q}%`} OR note LIKE ${`%${q}%`}) ORDER BY id LIMIT 120`.execute(tx.sql);
      return rows.map(({ note }) => note);
    });
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const more: { cursor?: string } = cursor === null ? {} : { cursor };
      const page = await database.db.inTenant(tenantId, (tx) =>
        listIpRangeEntries(tx, ranges, { q, limit: 40, ...more }),
      );
      found.push(...page.items.map(({ note }) => note!));
      cursor = page.next_cursor;
    } while (cursor !== null && found.length < 120);
    expect(found).toEqual(wanted);
  });

  test('nobody finds what another tenant has', async () => {
    const other = await database.createTenant();
    const search = (mine: string) =>
      database.db.inTenant(mine, async (tx) => {
        const { rows } = await sql<{ ids: string[] }>`
          SELECT search_entries('ip_range_entry', ${ranges}, '%customer 1999%', NULL, NULL, '00000000-0000-0000-0000-000000000000', 5) AS ids`.execute(
          tx.sql,
        );
        return rows[0]!.ids;
      });
    expect(await search(tenantId)).toHaveLength(5);
    expect(await search(other)).toEqual([]);
  });
});

describe('audit records:', () => {
  test('what is frequent, but not among the rows that come first, is found by going through them', async () => {
    await database.admin(
      `INSERT INTO audit_record (tenant_id, id, at, actor, action, severity, resource_type)
       SELECT $1, gen_random_uuid(), now() + n * interval '1 second', 'key:robot', 'module.change', 'info', 'module' FROM generate_series(1, 1000) n`,
      [tenantId],
    );
    const blocks = (): Promise<number> =>
      database.db.inTenant(tenantId, async (tx) => {
        const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>`
          EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
          SELECT search_audit_records('%person%', '{}', NULL, NULL, true, 21)`.execute(tx.sql);
        return rows[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
      });
    await blocks();
    const read = await blocks();
    await database.admin(`DELETE FROM audit_record WHERE actor = 'key:robot'`);
    // The thousand rows that do not say it, their index, and the page: all that say it would be some four hundred blocks.
    expect(read).toBeLessThan(250);
  });

  test('audit records that name a range around a prefix are found by an index, and no tenant finds those of another', async () => {
    const of = ['198.51.100.0/24', '198.51.100.7/32', '198.51.100.8/32'];
    await database.admin(
      `INSERT INTO audit_record (tenant_id, id, at, actor, action, severity, resource_type, resource_name, changes_before, changes_after)
       SELECT $1, gen_random_uuid(), now() + n * interval '1 second', 'key:ops', 'ip_range_entry.change', 'info',
              CASE n WHEN 3 THEN 'module' ELSE 'ip_range_entry' END, CASE n WHEN 1 THEN ($2::text[])[1] ELSE 'elsewhere' END,
              CASE n WHEN 2 THEN jsonb_build_object('cidr', ($2::text[])[2]) END,
              CASE n WHEN 3 THEN jsonb_build_object('deleted_entries', ($2::text[])[2:3]) WHEN 4 THEN '{"deleted_entries": 7}' END
         FROM generate_series(1, 4) n`,
      [tenantId, of],
    );
    const list = async (of: string, query: Parameters<typeof listAuditRecords>[1]) =>
      (await database.db.inTenant(of, (tx) => listAuditRecords(tx, { limit: 5, ...query }))).items.map(
        ({ resource: { type, name } }) => `${type} ${name}`,
      );
    const all = ['module elsewhere', 'ip_range_entry elsewhere', 'ip_range_entry 198.51.100.0/24'];
    expect(await list(tenantId, { prefix: '198.51.100.7/32' })).toEqual(all);
    expect(await list(tenantId, { prefix: '198.51.100.7/32', sort: 'at' })).toEqual(all.toReversed());
    expect(await list(tenantId, { prefix: '198.51.100.8/32' })).toEqual([all[0], all[2]]);
    expect(await list(tenantId, { prefix: '198.51.100.8/32', q: '100.0/' })).toEqual([all[2]]);
    expect(await list(tenantId, { prefix: '198.51.100.0/24', resource_type: 'module' })).toEqual([]);
    expect(await list(await database.createTenant(), { prefix: '198.51.100.7/32' })).toEqual([]);
    const read = await database.db.inTenant(tenantId, async (tx) => {
      const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>`
        EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
        SELECT audit_records_naming('{203.0.113.0/24,0.0.0.0/0}', '{}', NULL, NULL, true, 5)`.execute(tx.sql);
      return rows[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
    });
    // All records are some four hundred blocks.
    expect(read).toBeLessThan(200);
    await database.admin(`DELETE FROM audit_record WHERE actor = 'key:ops'`);
  });

  test('audit records that say something rare are found by trigrams, in the order of the page', async () => {
    const list = (query: Parameters<typeof listAuditRecords>[1]) =>
      database.db.inTenant(tenantId, (tx) => listAuditRecords(tx, query));
    const names = async (query: Parameters<typeof listAuditRecords>[1]) =>
      (await list(query)).items.map(({ resource }) => resource.name);
    expect(await names({ q: 'ULE 4999', limit: 3 })).toEqual(['module 4999', 'module 4999', 'module 4999']);
    for (const sort of ['at', '-at'] as const) {
      const all = await list({ q: 'module 499', sort, limit: 100 });
      const times = all.items.map(({ at }) => at);
      expect(times).toHaveLength(44);
      expect(times).toEqual(sort === 'at' ? times.toSorted() : times.toSorted().reverse());
      const paged: unknown[] = [];
      for (let cursor: string | undefined; paged.length < 44;) {
        const page = await list({
          q: 'module 499',
          sort,
          limit: 7,
          ...(cursor === undefined ? {} : { cursor }),
        });
        paged.push(...page.items);
        cursor = page.next_cursor ?? undefined;
      }
      expect(paged).toEqual(all.items);
    }
    const filtered = await list({ q: 'module 499', action: 'peer.change', severity: 'info', limit: 100 });
    expect(filtered.items.length).toBeGreaterThan(3);
    for (const { action, severity, resource } of filtered.items)
      expect([action, severity, resource.name]).toEqual([
        'peer.change',
        'info',
        expect.stringMatching(/^module 499/),
      ]);
    expect(await names({ q: 'nowhere' })).toEqual([]);
    const plan = await database.db.inTenant(tenantId, (tx) =>
      asSystem(tx, async () => {
        const { rows } = await sql<{ 'QUERY PLAN': string }>`
          EXPLAIN SELECT id FROM audit_record WHERE tenant_id = ${sql.lit(tenantId)}
             AND audit_text(actor, action, resource_name, changes_after) ILIKE '%nowhere%'`.execute(tx.sql);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      }),
    );
    expect(plan).toContain('audit_record_search');
    const other = await database.createTenant();
    expect((await database.db.inTenant(other, (tx) => listAuditRecords(tx, { q: 'module' }))).items).toEqual(
      [],
    );
  });
});
