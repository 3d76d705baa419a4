import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { QUOTAS, type QuotaName } from '../../src/api/access/tenants.ts';
import { mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import { insertApiKey, updateApiKey } from '../../src/store/keys/api-keys.ts';
import { insertEnrollmentToken } from '../../src/store/keys/enrollment-tokens.ts';
import { getTenant } from '../../src/store/tenants/tenants.ts';
import { updateQuotas } from '../../src/store/tenants/quotas.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

async function tenantWith(quotas: Partial<Record<QuotaName, number>>): Promise<string> {
  const id = await database.createTenant();
  await database.db.inSystem((tx) => updateQuotas(tx, id, quotas));
  return id;
}

const usage = async (tenantId: string) =>
  (await database.db.inSystem((tx) => getTenant(tx, tenantId))).resource.usage;

const inTenant = <T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  database.db.inTenant(tenantId, work);

let counter = 0;
/** What is counted row by row; sessions are in test/http/access/session-quota.test.ts. */
type Counted = Exclude<QuotaName, 'entries' | 'sessions'>;

const addToken = (tx: TenantTx): Promise<string> => {
  const { secret: _, ...minted } = mintApiKey('enrollment');
  const subject = { firewallPolicy: 'block', firewallClientId: null } as const;
  return insertEnrollmentToken(tx, { ...minted, validSeconds: 3_600, createdBy: 'key:somebody', ...subject });
};

/** Adds one of each kind to the tenant. */
const ADD: Readonly<Record<Counted, (tx: TenantTx) => Promise<unknown>>> = {
  modules: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('module')
      .values({ tenant_id, id: uuidv7(), name: `m${counter++}`, type: 'IP_RANGES' })
      .execute(),
  communities: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('community')
      .values({ tenant_id, id: uuidv7(), community: `1:${counter++}`, title: 'c' })
      .execute(),
  speakers: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('speaker')
      .values({ tenant_id, id: uuidv7(), name: `s${counter++}`, local_asn: 64512 })
      .execute(),
  peers: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('peer')
      .values({ tenant_id, id: uuidv7(), name: `p${counter++}`, address: '192.0.2.1', remote_asn: 64500 })
      .execute(),
  api_keys: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('api_key')
      .values({
        tenant_id,
        id: uuidv7(),
        name: 'k',
        role: 'viewer',
        prefix: 'pc_v_',
        secret_hash: Buffer.from(String(counter++).padStart(32, '0')),
      })
      .execute(),
  firewall_clients: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('firewall_client')
      .values({ tenant_id, id: uuidv7(), name: `f${counter++}`, hostname: 'h' })
      .execute(),
  firewall_rules: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('firewall_rule')
      .values({ tenant_id, id: uuidv7(), name: `r${counter++}`, action: 'block', direction: 'in' })
      .execute(),
  feeds: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('feed')
      .values({
        ...{ tenant_id, id: uuidv7(), name: `f${counter++}`, families: ['ipv4'], format: 'text' },
        ...{ when_too_many: 'fail', token_prefix: 'pc_l_', token_hash: Buffer.from(uuidv7()) },
      })
      .execute(),
  webhooks: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('webhook')
      .values({
        ...{ tenant_id, id: uuidv7(), name: `w${counter++}`, url: 'https://example.net/', events: ['job'] },
        ...{ format: 'json', secret_prefix: 'pc_h_', secret_sealed: Buffer.from('') },
      })
      .execute(),
  doh_profiles: ({ tenantId: tenant_id, sql }) =>
    sql
      .insertInto('doh_profile')
      .values({ tenant_id, id: uuidv7(), name: `d${counter++}`, url: 'https://dns.example.net/' })
      .execute(),
  enrollment_tokens: (tx) => addToken(tx),
  jobs_queued: ({ tenantId: tenant_id, sql }) =>
    sql.insertInto('job').values({ tenant_id, id: uuidv7(), type: 'apply', input: '{}' }).execute(),
};

const entries = (moduleId: string, count: number) => (tx: TenantTx) =>
  tx.sql
    .insertInto('ip_range_entry')
    .values(
      Array.from({ length: count }, () => {
        const number = counter++;
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
      .values({ tenant_id: tenantId, id, name: `m${counter++}`, type: 'IP_RANGES' })
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

test('a key that was revoked or has expired leaves its place', async () => {
  const tenantId = await tenantWith({ api_keys: 2 });
  await inTenant(tenantId, ADD.api_keys);
  await inTenant(tenantId, ADD.api_keys);
  await database.admin(
    'UPDATE api_key SET revoked_at = now() WHERE id = (SELECT min(id::text)::uuid FROM api_key WHERE tenant_id = $1)',
    [tenantId],
  );
  await inTenant(tenantId, ADD.api_keys);
  await expect(inTenant(tenantId, ADD.api_keys)).rejects.toMatchObject({ code: 'quota_exceeded' });
  await database.admin("UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE tenant_id = $1", [
    tenantId,
  ]);
  await inTenant(tenantId, ADD.api_keys);
});

test('an enrollment token that was used or has expired leaves its place', async () => {
  const tenantId = await tenantWith({ enrollment_tokens: 1 });
  for (const end of ['used_at', 'expires_at']) {
    await inTenant(tenantId, addToken);
    await expect(inTenant(tenantId, addToken)).rejects.toMatchObject({ code: 'quota_exceeded' });
    await database.admin(`UPDATE enrollment_token SET ${end} = now() WHERE tenant_id = $1`, [tenantId]);
  }
  await inTenant(tenantId, addToken);
});

describe('of those that ended, the last thousand stay:', () => {
  const MANY = 1_005;
  const hashed = "decode(md5(gen_random_uuid()::text) || md5(gen_random_uuid()::text), 'hex')";

  test('API keys, revoked or expired', async () => {
    const tenantId = await tenantWith({});
    await database.admin(
      `INSERT INTO api_key (tenant_id, id, name, role, prefix, secret_hash, revoked_at, expires_at)
       SELECT $1, gen_random_uuid(), 'ended ' || n, 'viewer', 'pc_v_', ${hashed},
              CASE WHEN n % 2 = 0 THEN now() - make_interval(mins => n) END,
              CASE WHEN n % 2 = 1 THEN now() - make_interval(mins => n) ELSE now() + interval '1 day' END
         FROM generate_series(1, ${MANY}) n`,
      [tenantId],
    );
    const { secret: _, ...minted } = mintApiKey('viewer');
    await inTenant(tenantId, (tx) =>
      insertApiKey(tx, { name: 'new', role: 'viewer', created_by: null, ...minted }),
    );
    const left = await database.admin<{ name: string }>('SELECT name FROM api_key WHERE tenant_id = $1', [
      tenantId,
    ]);
    const wanted = ['new', ...Array.from({ length: 1_000 }, (_n, at) => `ended ${at + 1}`)];
    expect(left.map(({ name }) => name).sort()).toEqual(wanted.sort());
  });

  test('enrollment tokens, used or expired', async () => {
    const tenantId = await tenantWith({});
    await database.admin(
      `INSERT INTO enrollment_token (tenant_id, id, firewall_policy, prefix, secret_hash, used_at, expires_at)
       SELECT $1, gen_random_uuid(), 'block', 'ended ' || n, ${hashed},
              CASE WHEN n % 2 = 0 THEN now() - make_interval(mins => n) END,
              CASE WHEN n % 2 = 1 THEN now() - make_interval(mins => n) ELSE now() + interval '1 day' END
         FROM generate_series(1, ${MANY}) n`,
      [tenantId],
    );
    await inTenant(tenantId, addToken);
    const left = await database.admin<{ prefix: string }>(
      "SELECT prefix FROM enrollment_token WHERE tenant_id = $1 AND prefix LIKE 'ended %'",
      [tenantId],
    );
    const wanted = Array.from({ length: 1_000 }, (_n, at) => `ended ${at + 1}`);
    expect(left.map(({ prefix }) => prefix).sort()).toEqual(wanted.sort());
  });
});

describe('a key that has expired', () => {
  const later = (id: string) => (tx: TenantTx) => updateApiKey(tx, id, { expires_at: null }, null);
  const newKey = async (tenantId: string): Promise<string> => {
    await inTenant(tenantId, ADD.api_keys);
    const [key] = await database.admin<{ id: string }>(
      'SELECT id FROM api_key WHERE tenant_id = $1 ORDER BY created_at DESC LIMIT 1',
      [tenantId],
    );
    return key!.id;
  };
  const end = (id: string, when: string) =>
    database.admin(`UPDATE api_key SET expires_at = clock_timestamp() + interval '${when}' WHERE id = $1`, [
      id,
    ]);

  test('takes a place again when its end is moved, and is refused where there is none', async () => {
    const tenantId = await tenantWith({ api_keys: 2 });
    const expired = await newKey(tenantId);
    await end(expired, '-1 hour');
    const others = [await newKey(tenantId), await newKey(tenantId)];
    await expect(inTenant(tenantId, later(expired))).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining('may have 2 and has 2; 1 more') as string,
    });
    expect((await usage(tenantId)).api_keys).toBe(2);
    await database.admin('UPDATE api_key SET revoked_at = now() WHERE id = $1', [others[0]]);
    await inTenant(tenantId, later(expired));
    expect((await usage(tenantId)).api_keys).toBe(2);
  });

  test('may be renamed, and one that works gets a later end, beyond the quota too', async () => {
    const tenantId = await tenantWith({ api_keys: 2 });
    const [expired, good] = [await newKey(tenantId), await newKey(tenantId)];
    await end(expired, '-1 hour');
    await end(good, '1 hour');
    await database.db.inSystem((tx) => updateQuotas(tx, tenantId, { api_keys: 0 }));
    await inTenant(tenantId, (tx) => updateApiKey(tx, expired, { name: 'old' }, null));
    await inTenant(tenantId, later(good));
    expect((await usage(tenantId)).api_keys).toBe(1);
  });

  test('is counted by who adds one at its former end, while its later end is not committed', async () => {
    const tenantId = await tenantWith({ api_keys: 1 });
    const key = await newKey(tenantId);
    await end(key, '300 milliseconds');
    const added: Promise<unknown>[] = [];
    await inTenant(tenantId, async (tx) => {
      await later(key)(tx);
      await sleep(400); // until its former end is over
      added.push(inTenant(tenantId, ADD.api_keys));
      added[0]!.catch(() => undefined); // looked at below
      await sleep(200); // so that it waits for this transaction, or does not
    });
    await expect(added[0]).rejects.toMatchObject({ code: 'quota_exceeded' });
    expect((await usage(tenantId)).api_keys).toBe(1);
  });
});

test('a job that starts leaves its place, and one that another leads to needs none', async () => {
  const tenantId = await tenantWith({ jobs_queued: 1 });
  await inTenant(tenantId, ADD.jobs_queued);
  const [parent] = await database.admin<{ id: string }>('SELECT id FROM job WHERE tenant_id = $1', [
    tenantId,
  ]);
  await inTenant(tenantId, ({ sql }) =>
    sql
      .insertInto('job')
      .values({ tenant_id: tenantId, id: uuidv7(), type: 'apply', input: '{}', parent_id: parent!.id })
      .execute(),
  );
  await expect(inTenant(tenantId, ADD.jobs_queued)).rejects.toMatchObject({ code: 'quota_exceeded' });
  await database.admin("UPDATE job SET state = 'running' WHERE tenant_id = $1", [tenantId]);
  await inTenant(tenantId, ADD.jobs_queued);
});

describe('entries', () => {
  const counted = async (tenantId: string): Promise<number> => {
    const rows = await database.admin('SELECT 1 FROM ip_range_entry WHERE tenant_id = $1', [tenantId]);
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
    await database.admin(`DELETE FROM ip_range_entry WHERE ${some}`, [tenantId]);
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
    const uncounted = await database.admin(`
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
  await database.db.inSystem((tx) => updateQuotas(tx, tenantId, { modules: 1 }));
  await expect(inTenant(tenantId, ADD.modules)).rejects.toMatchObject({ code: 'quota_exceeded' });
  expect((await usage(tenantId)).modules).toBe(2);
});

test('every quota that the API names is given to a new tenant, and no other', async () => {
  const { quotas, usage: used } = (
    await database.db.inSystem(async (tx) => getTenant(tx, await database.createTenant()))
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
