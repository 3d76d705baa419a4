/** A page reads what it shows, however much there is: the rows that plans go through are counted, planned as the service has them planned. */
import { sql, type KyselyPlugin } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf, fillTenant, MODULE_OF } from '../../bench/growth/fill.ts';
import { asSystem, type TenantTx } from '../../src/store/database/database.ts';
import { listAuditRecords } from '../../src/store/audit/audit.ts';
import { listAsEntries } from '../../src/store/entries/as-entries.ts';
import { listIpRangeEntries } from '../../src/store/entries/ip-range-entries.ts';
import { listSources } from '../../src/store/entries/sources.ts';
import { listJobs } from '../../src/store/jobs/jobs.ts';
import { isPlannedEachTime } from '../../src/store/database/session.ts';
import { countPending } from '../../src/store/modules/pending-changes.ts';
import { getModule, listModules } from '../../src/store/modules/modules.ts';
import { listStoppedJobs } from '../../src/store/rollout/stopped-applies.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

const SCALE = { entries: 20_000, jobs: 20_000, auditRecords: 20_000, modules: 5_000, tenants: 1 };
const PAGE = 20;
/** The page, one row to see whether there are more, and what each of its rows says of others. */
const ROWS_AT_MOST = 250;

let database: TestDatabase;
let tenantId: string;
beforeAll(async () => {
  database = await createTestDatabase();
  tenantId = await database.createTenant();
  const client = new pg.Client({ ...database.address, user: 'postgres' });
  await client.connect();
  await fillTenant(client, tenantId, SCALE);
  await client.end();
}, 120_000);
afterAll(() => database.close());

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

function rowsOf(plan: Plan): number {
  const own =
    plan['Actual Rows'] +
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0);
  return (
    own * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, part) => Math.max(sum, rowsOf(part)), 0)
  );
}

/** How many rows all statements of the work go through. */
async function rowsRead(work: (tx: TenantTx) => Promise<unknown>): Promise<number> {
  return database.db.inTenant(tenantId, async (tx) => {
    const asked: { sql: string; parameters: readonly unknown[] }[] = [];
    const listening: KyselyPlugin = {
      transformQuery: ({ node, queryId }) => {
        asked.push(tx.sql.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: ({ result }) => Promise.resolve(result),
    };
    await work({ ...tx, sql: tx.sql.withPlugin(listening) });
    let rows = 0;
    for (const [index, { sql: text, parameters }] of asked.entries()) {
      const mode = isPlannedEachTime(text) ? 'force_custom_plan' : 'force_generic_plan';
      await sql.raw(`SET LOCAL plan_cache_mode = ${mode}`).execute(tx.sql);
      await sql.raw(`PREPARE asked_${index} AS ${text}`).execute(tx.sql);
      const given = parameters.map((value) =>
        value === null ? 'NULL' : pg.escapeLiteral(String(value as string)),
      );
      const list = given.length === 0 ? '' : `(${given.join()})`;
      const explained = await sql
        .raw<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE asked_${index}${list}`,
        )
        .execute(tx.sql);
      rows += rowsOf(explained.rows[0]!['QUERY PLAN'][0].Plan);
      await sql.raw(`DEALLOCATE asked_${index}`).execute(tx.sql);
    }
    return rows;
  });
}

const ranges = idOf('module', MODULE_OF.ip_range_entry.number);
const numbers = idOf('module', MODULE_OF.as_entry.number);

/** What search_entries asks for what is rare. */
const searchPlan = (tx: TenantTx): Promise<string> =>
  asSystem(tx, async () => {
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      EXPLAIN SELECT id FROM ip_range_entry
       WHERE tenant_id = ${sql.lit(tenantId)} AND module_id = ${sql.lit(ranges)}
         AND ((cidr::text) ILIKE '%nowhere%' OR note ILIKE '%nowhere%')`.execute(tx.sql);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });

const CASES: Readonly<Record<string, (tx: TenantTx) => Promise<unknown>>> = {
  'a module of many entries': (tx) => getModule(tx, ranges),
  modules: (tx) => listModules(tx, { limit: PAGE }),
  'modules of a rare type': (tx) => listModules(tx, { limit: PAGE, type: 'DOMAINS' }),
  'modules that are disabled': (tx) => listModules(tx, { limit: PAGE, enabled: false }),
  'modules that exclude': (tx) => listModules(tx, { limit: PAGE, purpose: 'exclude' }),
  ranges: (tx) => listIpRangeEntries(tx, ranges, { limit: PAGE }),
  'ranges that are disabled': (tx) => listIpRangeEntries(tx, ranges, { limit: PAGE, enabled: false }),
  'ranges by address': (tx) => listIpRangeEntries(tx, ranges, { limit: PAGE, sort: 'name' }),
  'AS numbers that failed': (tx) => listAsEntries(tx, numbers, { limit: PAGE, status: 'failed' }),
  'AS numbers that are good': (tx) => listAsEntries(tx, numbers, { limit: PAGE, status: 'ok' }),
  'sources, the longest unread first': (tx) => listSources(tx, { limit: PAGE }, 24),
  'sources, the latest read first': (tx) => listSources(tx, { limit: PAGE, sort: '-last_refreshed_at' }, 24),
  jobs: (tx) => listJobs(tx, { limit: PAGE }),
  'jobs, the oldest first': (tx) => listJobs(tx, { limit: PAGE, sort: 'created_at' }),
  'jobs of a type': (tx) => listJobs(tx, { limit: PAGE, type: 'apply' }),
  'jobs of a type that there is none of': (tx) =>
    listJobs(tx, { limit: PAGE, type: 'maintenance_policy_run' }),
  'jobs that failed': (tx) => listJobs(tx, { limit: PAGE, state: 'failed' }),
  'jobs of a type that failed': (tx) => listJobs(tx, { limit: PAGE, type: 'apply', state: 'failed' }),
  'jobs of two types that failed or wait': (tx) =>
    listJobs(tx, { limit: PAGE, type: ['apply', 'module_refresh'], state: ['failed', 'queued'] }),
  'AS numbers that failed or are stale, the newest first': (tx) =>
    listAsEntries(tx, numbers, { limit: PAGE, status: ['failed', 'stale'], sort: '-created_at' }),
  'modules of two types, the newest first': (tx) =>
    listModules(tx, { limit: PAGE, type: ['DOMAINS', 'GEOFEED'], sort: '-created_at' }),
  'audit records of two actions, the oldest first': (tx) =>
    listAuditRecords(tx, { limit: PAGE, action: ['peer.change', 'module.change'], sort: 'at' }),
  'jobs of a module': (tx) => listJobs(tx, { limit: PAGE, resource_id: idOf('module', 7) }),
  'applies that a freeze stopped, of which there are none': listStoppedJobs,
  'audit records': (tx) => listAuditRecords(tx, { limit: PAGE }),
  'audit records of an action': (tx) => listAuditRecords(tx, { limit: PAGE, action: 'peer.change' }),
  'audit records that say something that none says': (tx) =>
    listAuditRecords(tx, { limit: PAGE, q: 'nowhere' }),
  'audit records of a prefix that none names': (tx) =>
    listAuditRecords(tx, { limit: PAGE, prefix: '192.0.2.0/24' }),
  'audit records of somebody unknown': (tx) => listAuditRecords(tx, { limit: PAGE, actor: 'key:nobody' }),
};

describe('a page reads no more than it shows:', () => {
  test.each(Object.keys(CASES))('%s', async (name) => {
    expect(await rowsRead(CASES[name]!)).toBeLessThanOrEqual(ROWS_AT_MOST);
  });

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

  test('a change of an entry, and what is pending, reads its own module, and none of the others', async () => {
    const read = await database.db.inTenant(tenantId, async (tx) => {
      const id = idOf('ip_range_entry', 7);
      await sql`UPDATE ip_range_entry SET enabled = false WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(
        tx.sql,
      );
      // As each answer about the session of a person does.
      expect(await countPending(tx)).toMatchObject({ count: 1 });
      const { rows } = await sql<{ modules: number; pending: number }>`
        SELECT seq_tup_read::integer AS modules, (SELECT count(*) FROM pending_change)::integer AS pending
          FROM pg_stat_xact_user_tables WHERE relname = 'module'`.execute(tx.sql);
      await sql`UPDATE ip_range_entry SET enabled = true WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(
        tx.sql,
      );
      return rows[0];
    });
    expect(read).toEqual({ modules: 0, pending: 1 });
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

  test.each(['ranges', 'jobs', 'jobs of a type', 'audit records'])('%s, in the middle', async (name) => {
    const pages: Readonly<
      Record<string, (tx: TenantTx, cursor?: string) => Promise<{ next_cursor: string | null }>>
    > = {
      ranges: (tx, cursor) =>
        listIpRangeEntries(tx, ranges, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) }),
      jobs: (tx, cursor) => listJobs(tx, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) }),
      'jobs of a type': (tx, cursor) =>
        listJobs(tx, { limit: 1000, type: 'apply', ...(cursor === undefined ? {} : { cursor }) }),
      'audit records': (tx, cursor) =>
        listAuditRecords(tx, { limit: 1000, ...(cursor === undefined ? {} : { cursor }) }),
    };
    const page = pages[name]!;
    let cursor: string | undefined;
    for (let at = 0; at < 4; at++)
      cursor = (await database.db.inTenant(tenantId, (tx) => page(tx, cursor))).next_cursor!;
    expect(await rowsRead((tx) => page(tx, cursor))).toBeLessThanOrEqual(1000 * 3 + ROWS_AT_MOST);
  });
});
