/** Keys and enrollment tokens that have ended: what places they leave, and how many of them stay. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import { insertApiKey, updateApiKey } from '../../src/store/keys/api-keys.ts';
import { updateQuotas } from '../../src/store/tenants/quotas.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { ADD, addToken } from './counted-rows.ts';
import { useQuotas } from './quota-scene.ts';

const scene = useQuotas();
const { inTenant, tenantWith, usage } = scene;

test('a key that was revoked or has expired leaves its place', async () => {
  const tenantId = await tenantWith({ api_keys: 2 });
  await inTenant(tenantId, ADD.api_keys);
  await inTenant(tenantId, ADD.api_keys);
  await scene.database.admin(
    'UPDATE api_key SET revoked_at = now() WHERE id = (SELECT min(id::text)::uuid FROM api_key WHERE tenant_id = $1)',
    [tenantId],
  );
  await inTenant(tenantId, ADD.api_keys);
  await expect(inTenant(tenantId, ADD.api_keys)).rejects.toMatchObject({ code: 'quota_exceeded' });
  await scene.database.admin(
    "UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE tenant_id = $1",
    [tenantId],
  );
  await inTenant(tenantId, ADD.api_keys);
});

test('an enrollment token that was used or has expired leaves its place', async () => {
  const tenantId = await tenantWith({ enrollment_tokens: 1 });
  for (const end of ['used_at', 'expires_at']) {
    await inTenant(tenantId, addToken);
    await expect(inTenant(tenantId, addToken)).rejects.toMatchObject({ code: 'quota_exceeded' });
    // Times are rounded to the next millisecond, and may be ahead of the statement that follows.
    await scene.database.admin(
      `UPDATE enrollment_token SET ${end} = now() - interval '1 second' WHERE tenant_id = $1`,
      [tenantId],
    );
  }
  await inTenant(tenantId, addToken);
});

describe('of those that ended, the last thousand stay:', () => {
  const MANY = 1_005;
  const hashed = "decode(md5(gen_random_uuid()::text) || md5(gen_random_uuid()::text), 'hex')";

  test('API keys, revoked or expired', async () => {
    const tenantId = await tenantWith({});
    await scene.database.admin(
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
    const left = await scene.database.admin<{ name: string }>(
      'SELECT name FROM api_key WHERE tenant_id = $1',
      [tenantId],
    );
    const wanted = ['new', ...Array.from({ length: 1_000 }, (_n, at) => `ended ${at + 1}`)];
    expect(left.map(({ name }) => name).sort()).toEqual(wanted.sort());
  });

  test('enrollment tokens, used or expired', async () => {
    const tenantId = await tenantWith({});
    await scene.database.admin(
      `INSERT INTO enrollment_token (tenant_id, id, firewall_policy, prefix, secret_hash, used_at, expires_at)
       SELECT $1, gen_random_uuid(), 'block', 'ended ' || n, ${hashed},
              CASE WHEN n % 2 = 0 THEN now() - make_interval(mins => n) END,
              CASE WHEN n % 2 = 1 THEN now() - make_interval(mins => n) ELSE now() + interval '1 day' END
         FROM generate_series(1, ${MANY}) n`,
      [tenantId],
    );
    await inTenant(tenantId, addToken);
    const left = await scene.database.admin<{ prefix: string }>(
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
    const [key] = await scene.database.admin<{ id: string }>(
      'SELECT id FROM api_key WHERE tenant_id = $1 ORDER BY created_at DESC LIMIT 1',
      [tenantId],
    );
    return key!.id;
  };
  const end = (id: string, when: string) =>
    scene.database.admin(
      `UPDATE api_key SET expires_at = clock_timestamp() + interval '${when}' WHERE id = $1`,
      [id],
    );

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
    await scene.database.admin('UPDATE api_key SET revoked_at = now() WHERE id = $1', [others[0]]);
    await inTenant(tenantId, later(expired));
    expect((await usage(tenantId)).api_keys).toBe(2);
  });

  test('may be renamed, and one that works gets a later end, beyond the quota too', async () => {
    const tenantId = await tenantWith({ api_keys: 2 });
    const [expired, good] = [await newKey(tenantId), await newKey(tenantId)];
    await end(expired, '-1 hour');
    await end(good, '1 hour');
    await scene.database.db.inSystem((tx) => updateQuotas(tx, tenantId, { api_keys: 0 }));
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
