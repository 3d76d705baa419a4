import { describe, expect, test } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { QUOTAS } from '../../src/api/access/tenants.ts';
import { getTenant } from '../../src/store/tenants/tenants.ts';
import { updateQuotas } from '../../src/store/tenants/quotas.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { ADD, type Counted, nextNumber } from './counted-rows.ts';
import { useQuotas } from './quota-scene.ts';

const scene = useQuotas();
const { inTenant, tenantWith, usage } = scene;

const entries = (moduleId: string, count: number) => (tx: TenantTx) =>
  tx.sql
    .insertInto('ip_range_entry')
    .values(
      Array.from({ length: count }, () => {
        const number = nextNumber();
        const cidr = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}/32`;
        return { tenant_id: tx.tenantId, id: uuidv7(), module_id: moduleId, cidr };
      }),
    )
    .execute();

async function addModule(tenantId: string): Promise<string> {
  const id = uuidv7();
  await inTenant(tenantId, (tx) =>
    tx.sql
      .insertInto('module')
      .values({ tenant_id: tenantId, id, name: `m${nextNumber()}`, type: 'IP_RANGES' })
      .execute(),
  );
  return id;
}

describe.each(Object.entries(ADD) as [Counted, (tx: TenantTx) => Promise<unknown>][])(
  '%s',
  (resource, add) => {
    test('holds however many come at once, and reports limit and use', async () => {
      const tenantId = await tenantWith({ [resource]: 3 });
      const results = await Promise.allSettled(Array.from({ length: 9 }, () => inTenant(tenantId, add)));
      const refusals = results.flatMap((result): unknown[] =>
        result.status === 'rejected' ? [result.reason] : [],
      );
      expect(refusals).toHaveLength(6);
      for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'quota_exceeded' });
      expect(String(refusals[0])).toContain(`${QUOTAS[resource]}: the tenant may have 3 and has 3; 1 more`);
      expect((await usage(tenantId))[resource]).toBe(3);
    });

    test('another tenant has its own', async () => {
      const full = await tenantWith({ [resource]: 0 });
      await expect(inTenant(full, add)).rejects.toMatchObject({ code: 'quota_exceeded' });
      await inTenant(await tenantWith({}), add);
    });
  },
);

test('a job that starts leaves its place, and one that another leads to needs none', async () => {
  const tenantId = await tenantWith({ jobs_queued: 1 });
  await inTenant(tenantId, ADD.jobs_queued);
  const [parent] = await scene.database.admin<{ id: string }>('SELECT id FROM job WHERE tenant_id = $1', [
    tenantId,
  ]);
  await inTenant(tenantId, ({ sql }) =>
    sql
      .insertInto('job')
      .values({ tenant_id: tenantId, id: uuidv7(), type: 'apply', input: '{}', parent_id: parent!.id })
      .execute(),
  );
  await expect(inTenant(tenantId, ADD.jobs_queued)).rejects.toMatchObject({ code: 'quota_exceeded' });
  await scene.database.admin("UPDATE job SET state = 'running' WHERE tenant_id = $1", [tenantId]);
  await inTenant(tenantId, ADD.jobs_queued);
});

describe('entries', () => {
  const counted = async (tenantId: string): Promise<number> => {
    const rows = await scene.database.admin('SELECT 1 FROM ip_range_entry WHERE tenant_id = $1', [tenantId]);
    expect((await usage(tenantId)).entries).toBe(rows.length);
    return rows.length;
  };

  test('are counted by statement, exactly, however many come at once', async () => {
    const tenantId = await tenantWith({ entries: 45 });
    const modules = [await addModule(tenantId), await addModule(tenantId)];
    const results = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) => inTenant(tenantId, entries(modules[i % 2]!, 10))),
    );
    const refused = results.find((result) => result.status === 'rejected');
    expect(String(refused?.reason)).toContain('the tenant may have 45 and has 40; 10 more');
    expect(await counted(tenantId)).toBe(40);
    await inTenant(tenantId, entries(modules[0]!, 5));
    await expect(inTenant(tenantId, entries(modules[0]!, 1))).rejects.toMatchObject({
      code: 'quota_exceeded',
    });
    expect(await counted(tenantId)).toBe(45);
  });

  test('count down when they go, one by one or with their modules', async () => {
    const tenantId = await tenantWith({});
    const modules: string[] = [];
    for (let i = 0; i < 5; i++) modules.push(await addModule(tenantId));
    for (const id of modules) await inTenant(tenantId, entries(id, 20));
    expect(await counted(tenantId)).toBe(100);
    const some = 'id IN (SELECT id FROM ip_range_entry WHERE tenant_id = $1 LIMIT 7)';
    await scene.database.admin(`DELETE FROM ip_range_entry WHERE ${some}`, [tenantId]);
    expect(await counted(tenantId)).toBe(93);
    await inTenant(tenantId, ({ sql }) => sql.deleteFrom('module').where('id', '=', modules[4]!).execute());
    expect(await counted(tenantId)).toBeLessThan(93);
    await inTenant(tenantId, ({ sql }) => sql.deleteFrom('module').where('id', 'in', modules).execute());
    expect(await counted(tenantId)).toBe(0);
  });

  test('are not counted by a transaction that is rolled back, nor when they were there already', async () => {
    const tenantId = await tenantWith({});
    const moduleId = await addModule(tenantId);
    const undone = inTenant(tenantId, async (tx) => {
      await entries(moduleId, 3)(tx);
      throw new RangeError('no');
    });
    await expect(undone).rejects.toThrow(RangeError);
    expect(await counted(tenantId)).toBe(0);
    const twice = (tx: TenantTx) =>
      tx.sql
        .insertInto('ip_range_entry')
        .values({ tenant_id: tenantId, id: uuidv7(), module_id: moduleId, cidr: '192.0.2.0/24' })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    await inTenant(tenantId, twice);
    await inTenant(tenantId, twice);
    expect(await counted(tenantId)).toBe(1);
  });

  test('of every kind are counted', async () => {
    const uncounted = await scene.database.admin(`
      SELECT c.relname FROM pg_class c
       WHERE c.relnamespace = 'prefixcast'::regnamespace AND c.relkind = 'r'
         AND (c.relname LIKE '%\\_entry' OR c.relname = 'cdn_source')
         AND (SELECT count(*) FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
               WHERE t.tgrelid = c.oid AND p.proname = 'count_entries') <> 2`);
    expect(uncounted).toEqual([]);
  });
});

test('less than there is takes nothing away', async () => {
  const tenantId = await tenantWith({});
  await inTenant(tenantId, ADD.modules);
  await inTenant(tenantId, ADD.modules);
  await scene.database.db.inSystem((tx) => updateQuotas(tx, tenantId, { modules: 1 }));
  await expect(inTenant(tenantId, ADD.modules)).rejects.toMatchObject({ code: 'quota_exceeded' });
  expect((await usage(tenantId)).modules).toBe(2);
});

test('every quota that the API names is given to a new tenant, and no other', async () => {
  const { quotas, usage: used } = (
    await scene.database.db.inSystem(async (tx) => getTenant(tx, await scene.database.createTenant()))
  ).resource;
  expect(Object.keys(quotas).sort()).toEqual(Object.keys(QUOTAS).sort());
  expect(Object.values(used)).toEqual(Object.keys(QUOTAS).map(() => 0));
});

test('a tenant cannot give itself more', async () => {
  const tenantId = await tenantWith({ modules: 0 });
  const raise = inTenant(tenantId, ({ sql }) =>
    sql.updateTable('tenant_quota').set({ maximum: 1000 }).where('resource', '=', 'modules').execute(),
  );
  await expect(raise).rejects.toMatchObject({ code: '42501' });
  const lift = inTenant(tenantId, ({ sql }) => sql.deleteFrom('tenant_quota').execute());
  await expect(lift).rejects.toMatchObject({ code: '42501' });
});
