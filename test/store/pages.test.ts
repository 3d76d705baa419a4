/** A page reads what it shows, however much there is: the rows that plans go through are counted, planned as the service has them planned. */
import { sql, type KyselyPlugin } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { idOf, MODULE_OF } from '../../bench/growth/fill.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { listAuditRecords } from '../../src/store/audit/audit.ts';
import { listAsEntries } from '../../src/store/entries/as-entries.ts';
import { listIpRangeEntries } from '../../src/store/entries/ip-range-entries.ts';
import { listSources } from '../../src/store/entries/sources.ts';
import { listJobs } from '../../src/store/jobs/jobs.ts';
import { isPlannedEachTime } from '../../src/store/database/session.ts';
import { countPending } from '../../src/store/modules/pending-changes.ts';
import { getModule, listModules } from '../../src/store/modules/modules.ts';
import { listStoppedJobs } from '../../src/store/rollout/stopped-applies.ts';
import type { TestDatabase } from '../database.ts';
import { createFilledDatabase } from './filled-tenant.ts';

const PAGE = 20;
/** The page, one row to see whether there are more, and what each of its rows says of others. */
const ROWS_AT_MOST = 250;

let database: TestDatabase;
let tenantId: string;
beforeAll(async () => {
  ({ database, tenantId } = await createFilledDatabase());
});
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
