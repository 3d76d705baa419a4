/** What triggers count is what is there, whoever writes at the same time, and nobody waits for another to be counted. */
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SystemTx, TenantTx } from '../../src/store/database/database.ts';
import { countJobsByState, insertJob } from '../../src/store/jobs/jobs.ts';
import { deleteModule, getModule } from '../../src/store/modules/modules.ts';
import { deleteTenant } from '../../src/store/tenants/tenants.ts';
import { updateQuotas } from '../../src/store/tenants/quotas.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { seededRandom } from '../oracle/arbitraries.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

const inTenant = <T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  database.db.inTenant(tenantId, work);

async function addModule(tenantId: string, name: string): Promise<string> {
  const id = uuidv7();
  await inTenant(tenantId, (tx) =>
    tx.sql.insertInto('module').values({ tenant_id: tenantId, id, name, type: 'IP_RANGES' }).execute(),
  );
  return id;
}

let next = 0;
const addRanges = (tx: TenantTx, moduleId: string, count: number) =>
  sql`INSERT INTO ip_range_entry (tenant_id, id, module_id, cidr)
      SELECT ${tx.tenantId}, gen_random_uuid(), ${moduleId}, set_masklen('10.0.0.0'::inet + ${(next += count) - count}::bigint + n, 32)::cidr
        FROM generate_series(0, ${count - 1}::int) n`.execute(tx.sql);
const removeRanges = (tx: TenantTx, moduleId: string, count: number) =>
  sql`DELETE FROM ip_range_entry WHERE tenant_id = ${tx.tenantId} AND id IN (
        SELECT id FROM ip_range_entry WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId} LIMIT ${count} FOR UPDATE SKIP LOCKED)`.execute(
    tx.sql,
  );

const shown = async (tenantId: string, moduleId: string): Promise<number> =>
  (await inTenant(tenantId, (tx) => getModule(tx, moduleId))).resource.entry_count;
const there = async (moduleId: string): Promise<number> =>
  (
    await database.admin<{ n: number }>(
      'SELECT count(*)::int AS n FROM ip_range_entry WHERE module_id = $1',
      [moduleId],
    )
  )[0]!.n;

describe('entries of modules', () => {
  test('are counted whatever eight writers add and remove in two modules, commit or take back', async () => {
    const tenantId = await database.createTenant();
    const modules = [await addModule(tenantId, 'a'), await addModule(tenantId, 'b')] as const;
    const random = seededRandom(30);
    const writer = async (): Promise<void> => {
      for (let round = 0; round < 12; round++) {
        const isKept = random() % 4 !== 0;
        // In either order of the modules: no two may wait for each other in turns.
        const order = random() % 2 === 0 ? modules : ([modules[1], modules[0]] as const);
        const work = inTenant(tenantId, async (tx) => {
          for (const id of order)
            await (random() % 3 === 0 ? removeRanges : addRanges)(tx, id, 1 + (random() % 50));
          if (!isKept) throw new Error('taken back');
        });
        if (isKept) await work;
        else await expect(work).rejects.toThrow('taken back');
      }
    };
    await Promise.all(Array.from({ length: 8 }, writer));
    for (const id of modules) {
      expect(await there(id)).toBeGreaterThan(0);
      expect(await shown(tenantId, id)).toBe(await there(id));
    }
  });

  test('go with their module, of which no count is left', async () => {
    const tenantId = await database.createTenant();
    const id = await addModule(tenantId, 'a');
    await inTenant(tenantId, (tx) => addRanges(tx, id, 30));
    expect(await shown(tenantId, id)).toBe(30);
    await inTenant(tenantId, (tx) => deleteModule(tx, id, null));
    expect(await database.admin('SELECT FROM module_entry_count WHERE module_id = $1', [id])).toEqual([]);
  });

  test('are not looked at to count them', async () => {
    const plan = await planOf(
      'SELECT sum(entries) FROM module_entry_count WHERE tenant_id = $1 AND module_id = $1',
    );
    expect(plan).not.toContain('ip_range_entry');
  });
});

describe('jobs', () => {
  const queue = (tx: TenantTx) =>
    insertJob(tx, { type: 'apply', input: {}, resource: null, requestedBy: 'cli', parentId: null });
  const counts = async () =>
    Object.fromEntries(
      (await database.db.inSystem((tx: SystemTx) => countJobsByState(tx))).map(({ state, count }) => [
        state,
        count,
      ]),
    );
  const counted = async () =>
    Object.fromEntries(
      (
        await database.admin<{ state: string; n: number }>(
          'SELECT state, count(*)::int AS n FROM job GROUP BY 1',
        )
      ).map(({ state, n }) => [state, n]),
    );

  test('are counted by state while they end, are taken up again and are pruned', async () => {
    const tenantId = await database.createTenant();
    const random = seededRandom(31);
    const worker = async (): Promise<void> => {
      for (let round = 0; round < 15; round++) {
        const { id } = await inTenant(tenantId, queue);
        for (const state of ['running', ['succeeded', 'failed', 'cancelled', 'queued'][random() % 4]!])
          await inTenant(tenantId, (tx) =>
            sql`UPDATE job SET state = ${state}, finished_at = CASE WHEN ${state} IN ('queued', 'running') THEN NULL ELSE now() END
                 WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx.sql),
          );
        if (random() % 3 === 0)
          await inTenant(tenantId, (tx) =>
            sql`DELETE FROM job WHERE tenant_id = ${tenantId} AND id = ${id}`.execute(tx.sql),
          );
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    expect(Object.keys(await counts()).length).toBeGreaterThan(3);
    expect(await counts()).toEqual(await counted());
    await database.db.inSystem((tx) => deleteTenant(tx, tenantId));
    expect(await counts()).toEqual(await counted());
  });

  test('are queued by one while another has not committed, far from the quota', async () => {
    const tenantId = await database.createTenant();
    await inTenant(tenantId, async (first) => {
      await queue(first);
      // Waits until the statement is given up if the first one is in its way.
      await inTenant(tenantId, async (second) => {
        await sql`SET LOCAL lock_timeout = '1s'`.execute(second.sql);
        await queue(second);
      });
    });
    expect(await database.admin('SELECT FROM job WHERE tenant_id = $1', [tenantId])).toHaveLength(2);
  });

  test('never exceed the quota, whoever comes near it at the same time', async () => {
    const tenantId = await database.createTenant();
    const [setting] = await database.admin<{ most: number }>(
      `SELECT current_setting('max_connections')::int * 2 AS most`,
    );
    const { most } = setting!;
    await database.db.inSystem((tx) => updateQuotas(tx, tenantId, { jobs_queued: most }));
    // All begin far from it, where none waits for another.
    const writer = async (): Promise<number> => {
      let refusals = 0;
      for (let round = 0; round < most / 4; round++)
        await inTenant(tenantId, queue).catch((error: unknown) => {
          expect(error).toMatchObject({ code: 'quota_exceeded' });
          refusals++;
        });
      return refusals;
    };
    const refusals = await Promise.all(Array.from({ length: 6 }, writer));
    const [queued] = await database.admin<{ n: number }>(
      'SELECT count(*)::int AS n FROM job WHERE tenant_id = $1',
      [tenantId],
    );
    expect(queued!.n).toBe(most);
    expect(refusals.reduce((sum, each) => sum + each)).toBe(6 * Math.ceil(most / 4) - most);
  });

  test('that one transaction queues count all against the quota', async () => {
    const tenantId = await database.createTenant();
    await database.db.inSystem((tx) => updateQuotas(tx, tenantId, { jobs_queued: 500 }));
    const add = (count: number) =>
      inTenant(tenantId, (tx) =>
        sql`INSERT INTO job (tenant_id, id, type, input)
            SELECT ${tenantId}, gen_random_uuid(), 'apply', '{}' FROM generate_series(1, ${count}::int)`.execute(
          tx.sql,
        ),
      );
    await expect(add(501)).rejects.toMatchObject({ code: 'quota_exceeded' });
    await add(500);
    await expect(add(1)).rejects.toMatchObject({ code: 'quota_exceeded' });
  });
});

async function planOf(query: string): Promise<string> {
  const rows = await database.admin<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${query}`);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}
