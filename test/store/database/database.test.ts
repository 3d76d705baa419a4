import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { notify, openDatabase, type TenantTx } from '../../../src/store/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function roleOf(tx: Pick<TenantTx, 'sql'>): Promise<string> {
  const { rows } = await sql<{ role: string }>`SELECT current_user::text AS role`.execute(tx.sql);
  return rows[0]!.role;
}

test('a tenant transaction runs as the tenant role and leaves nothing behind on the connection', async () => {
  const tenantId = await database.createTenant();
  expect(await database.db.inTenant(tenantId, roleOf)).toBe('prefixcast_tenant');
  expect(await database.db.inSystem(roleOf)).toBe('prefixcast_system');
  const setting = sql<{ id: string }>`SELECT current_setting('app.tenant_id', true) AS id`;
  const { rows } = await database.db.inSystem((tx) => setting.execute(tx.sql));
  expect(rows[0]!.id ?? '').toBe('');
});

test('a statement that a connection keeps prepared shows each tenant its own rows and the system all', async () => {
  const tenants = [await database.createTenant(), await database.createTenant()];
  const db = openDatabase(database.address, { maximumConnections: 1 });
  for (const tenant of tenants) {
    await db.inTenant(tenant, (tx) =>
      tx.sql.insertInto('setting').values({ tenant_id: tenant, key: 'whose', value: '1' }).execute(),
    );
  }
  const owners = async (tx: Pick<TenantTx, 'sql'>): Promise<string[]> => {
    const rows = await tx.sql.selectFrom('setting').select('tenant_id').where('key', '=', 'whose').execute();
    return rows.map(({ tenant_id: id }) => id).sort();
  };
  // From the sixth run on, the server may use one plan for all.
  for (let round = 0; round < 8; round++) {
    for (const tenant of tenants) expect(await db.inTenant(tenant, owners)).toEqual([tenant]);
    expect(await db.inSystem(owners)).toEqual([...tenants].sort());
  }
  const { rows } = await db.inSystem((tx) =>
    sql<{ runs: number }>`
      SELECT (generic_plans + custom_plans)::integer AS runs FROM pg_prepared_statements
       WHERE statement LIKE '%"setting"%"key" = $1'`.execute(tx.sql),
  );
  expect(rows).toEqual([{ runs: 24 }]);
  await db.close();
});

test('a tenant transaction takes three statements beside its own, and a look that stands alone none', async () => {
  const tenantId = await database.createTenant();
  const look = { inTenant: () => database.db.inTenant(tenantId, one), alone: () => database.db.alone(one) };
  const one = (tx: { sql: TenantTx['sql'] }) => sql`SELECT 1`.execute(tx.sql);
  // Whatever a connection does first is not counted.
  await look.inTenant();
  await look.alone();
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  const statements = (): number =>
    spy.mock.calls.flatMap(([asked]: unknown[]) =>
      (typeof asked === 'string' ? asked : (asked as { text: string }).text).split(';'),
    ).length;
  try {
    await look.inTenant();
    expect(statements()).toBe(4);
    spy.mockClear();
    await look.alone();
    expect(statements()).toBe(1);
  } finally {
    spy.mockRestore();
  }
});

test('a rejected transaction leaves nothing', async () => {
  const tenantId = await database.createTenant();
  const insert = async (tx: TenantTx): Promise<void> => {
    await tx.sql.insertInto('setting').values({ tenant_id: tenantId, key: 'a', value: '1' }).execute();
    throw new RangeError('no');
  };
  await expect(database.db.inTenant(tenantId, insert)).rejects.toThrow(RangeError);
  expect(await database.admin('SELECT 1 FROM setting WHERE tenant_id = $1', [tenantId])).toEqual([]);
});

test('a transaction that swallowed a failed statement is no success', async () => {
  const swallow = async (tx: TenantTx): Promise<void> => {
    await sql`SELECT 1/0`.execute(tx.sql).catch(() => undefined);
  };
  await expect(database.db.inTenant(await database.createTenant(), swallow)).rejects.toThrow('had failed');
});

test('something that is no tenant id never reaches the server', async () => {
  await expect(database.db.inTenant("' OR true --", roleOf)).rejects.toThrow(TypeError);
});

test('cut connections answer database_unavailable, and the next transaction works', async () => {
  const tenantId = await database.createTenant();
  const cut = database.db.inTenant(tenantId, async (tx) => {
    await roleOf(tx);
    await database.dropConnections();
    return roleOf(tx);
  });
  await expect(cut).rejects.toMatchObject({ code: 'database_unavailable', retryAfter: 2 });
  expect(await database.db.inTenant(tenantId, roleOf)).toBe('prefixcast_tenant');
});

test('who asks after the end, in whatever way, is told that the service stops, and that is no fault', async () => {
  const tenantId = await database.createTenant();
  for (const forRequests of [false, true]) {
    const db = openDatabase(database.address, { forRequests });
    expect(await db.inTenant(tenantId, roleOf)).toBe('prefixcast_tenant');
    await db.close();
    const ways = [
      () => db.inTenant(tenantId, roleOf),
      () => db.inBulk(tenantId, roleOf),
      () => db.inSystem(roleOf),
      () => db.alone(roleOf),
    ];
    for (const ask of ways)
      await expect(ask()).rejects.toMatchObject({ code: 'shutting_down', retryAfter: 2 });
  }
});

test('ping answers, and reports in time when nothing does', async () => {
  const db = openDatabase(database.address, { maximumConnections: 1 });
  await db.ping();
  await db.inSystem(async () => {
    await expect(db.ping(50)).rejects.toMatchObject({ code: 'database_unavailable' });
  });
  await db.close();
});

test('hints arrive after commit only, and listening survives a cut connection', async () => {
  const tenantId = await database.createTenant();
  const heard: (string | null)[] = [];
  const subscription = database.db.listen('hints', (payload) => heard.push(payload));
  await expect.poll(() => heard).toEqual([null]);
  await database.db.inTenant(tenantId, async (tx) => {
    await notify(tx, 'hints', 'one');
    expect(heard).toEqual([null]);
  });
  await expect.poll(() => heard).toEqual([null, 'one']);
  await database.dropConnections();
  await expect.poll(() => heard).toEqual([null, 'one', null]);
  await database.db.inTenant(tenantId, (tx) => notify(tx, 'hints', 'two')).catch(() => undefined);
  await database.db.inTenant(tenantId, (tx) => notify(tx, 'hints', 'three'));
  await expect.poll(() => heard.at(-1)).toBe('three');
  subscription.close();
});

test('subscriptions that begin at once share the connection, one statement at a time', async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error): unknown => warnings.push(message);
  process.on('warning', onWarning);
  const db = openDatabase(database.address);
  const hints: string[] = [];
  const first = db.listen('first', () => hints.push('first'));
  await expect.poll(() => hints).toEqual(['first']);
  const others = ['second', 'third', 'fourth'].map((name) => db.listen(name, () => hints.push(name)));
  await expect.poll(() => hints).toEqual(['first', 'second', 'third', 'fourth']);
  for (const subscription of [first, ...others]) subscription.close();
  await db.close();
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
});

test('times come as RFC 3339 with milliseconds, large integers as numbers', async () => {
  const query = sql<Record<string, unknown>>`
    SELECT '2026-01-02 03:04:05.6+00'::timestamptz AS t, '2026-01-02 03:04:05+00'::timestamptz AS u, 4294967294::bigint AS n`;
  const { rows } = await database.db.inSystem((tx) => query.execute(tx.sql));
  expect(rows[0]).toEqual({ t: '2026-01-02T03:04:05.600Z', u: '2026-01-02T03:04:05.000Z', n: 4294967294 });
});
