/** How many entries a tenant may have, and who waits for whom while they are counted. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { getTenant } from '../../src/store/tenants/tenants.ts';
import { updateQuotas } from '../../src/store/tenants/quotas.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function tenantWith(entries: number): Promise<string> {
  const id = await database.createTenant();
  await database.db.inSystem((tx) => updateQuotas(tx, id, { entries }));
  return id;
}

const inTenant = <T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  database.db.inTenant(tenantId, work);

let made = 0;

async function addModule(tenantId: string): Promise<string> {
  const id = uuidv7();
  const module = { tenant_id: tenantId, id, name: `m${made++}`, type: 'IP_RANGES' } as const;
  await inTenant(tenantId, ({ sql }) => sql.insertInto('module').values(module).execute());
  return id;
}

const entries = (moduleId: string, count: number) => (tx: TenantTx) =>
  tx.sql
    .insertInto('ip_range_entry')
    .values(
      Array.from({ length: count }, () => {
        const number = made++;
        const cidr = `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}/32`;
        return { tenant_id: tx.tenantId, id: uuidv7(), module_id: moduleId, cidr };
      }),
    )
    .execute();

async function counted(tenantId: string): Promise<number> {
  const rows = await database.admin('SELECT 1 FROM ip_range_entry WHERE tenant_id = $1', [tenantId]);
  const { usage } = (await database.db.inSystem((tx) => getTenant(tx, tenantId))).resource;
  expect(usage.entries).toBe(rows.length);
  return rows.length;
}

test('entries of one list wait for nobody who adds many to another, far from the limit', async () => {
  const tenantId = await tenantWith(1_000_000);
  const [long, urgent, third] = [
    await addModule(tenantId),
    await addModule(tenantId),
    await addModule(tenantId),
  ];
  const most = await database.admin<{ each: number }>(
    "SELECT 500000 / current_setting('max_connections')::integer AS each",
  );
  const ended: string[] = [];
  let many: Promise<unknown> | undefined;
  await inTenant(tenantId, async (tx) => {
    await entries(long, most[0]!.each + 1)(tx);
    // A few go beside it, whoever adds them; who adds many waits.
    for (let time = 0; time < 3; time++) await inTenant(tenantId, entries(urgent, 1));
    many = inTenant(tenantId, entries(third, most[0]!.each + 1)).then(() => ended.push('third'));
    await sleep(500); // so that it waits for this transaction, or does not
    ended.push('long');
  });
  await many;
  expect(ended).toEqual(['long', 'third']);
  expect(await counted(tenantId)).toBe(2 * (most[0]!.each + 1) + 3);
});

test('entries are exact where some add a few and others many, up to the limit', async () => {
  const tenantId = await tenantWith(20_000);
  const modules = await Promise.all(Array.from({ length: 4 }, () => addModule(tenantId)));
  const add = (module: string, count: number) => inTenant(tenantId, entries(module, count));
  const results = await Promise.allSettled([
    ...Array.from({ length: 24 }, (_, i) => add(modules[i % 4]!, 40)),
    ...Array.from({ length: 8 }, (_, i) => add(modules[i % 4]!, 4_000)),
  ]);
  const kept = results.map(({ status }, i): number => (status === 'rejected' ? 0 : i < 24 ? 40 : 4_000));
  const all = kept.reduce((sum, one) => sum + one, 0);
  expect(await counted(tenantId)).toBe(all);
  expect(all).toBeLessThanOrEqual(20_000);
  // Who was refused found no room for as many, or met another who waited for the last places as well.
  expect(all).toBeGreaterThan(16_000 - 4_000);
  await expect(add(modules[0]!, 20_001 - all)).rejects.toMatchObject({ code: 'quota_exceeded' });
  await add(modules[0]!, 20_000 - all);
});
