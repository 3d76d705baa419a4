/** Trials, which are what plans and dry runs are made of: each takes back what it did. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCommunity } from '../../../src/control/tenants/communities.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { lockTenant } from '../../../src/store/database/locks.ts';
import { takingBack } from '../../../src/store/database/taking-back.ts';
import { startService, type TestService } from '../service.ts';
import { dry, makeList } from './dry-runs.ts';

let service: TestService;
let list: string;
beforeAll(async () => {
  service = await startService();
  list = await makeList(service);
});
afterAll(() => service?.close());

test('a trial within a trial takes back its own part, and the other the whole', async () => {
  const { db } = service.database;
  const titles = (tx: TenantTx) =>
    tx.sql.selectFrom('community').select('title').where('title', 'like', 'trial %').execute();
  await db.inTenant(service.tenant.id, async (tx) => {
    const add = (n: number) => createCommunity(tx, { community: `65009:${n}`, title: `trial ${n}` });
    await takingBack(tx, async () => {
      await add(1);
      await takingBack(tx, () => add(2));
      expect(await titles(tx)).toEqual([{ title: 'trial 1' }]);
    });
    expect(await titles(tx)).toEqual([]);
  });
});

test('a trial whose client has gone is given up before it works, and keeps nobody from the lock', async () => {
  const { tenant, database } = service;
  // What a sequence counts stays, although trials are taken back.
  await database.admin('CREATE SEQUENCE trials');
  await database.admin(
    "CREATE FUNCTION count_trial() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN PERFORM nextval(''trials''); RETURN NULL; END'",
  );
  await database.admin(
    'CREATE TRIGGER count_trials AFTER INSERT ON ip_range_entry FOR EACH STATEMENT EXECUTE FUNCTION count_trial()',
  );
  const free = Promise.withResolvers<undefined>();
  const locked = Promise.withResolvers<undefined>();
  const building = database.db.inTenant(tenant.id, async (tx) => {
    await lockTenant(tx, 'revision');
    locked.resolve(undefined);
    await free.promise;
  });
  await locked.promise;
  const leaving = new AbortController();
  const trial = fetch(`${service.url}${list}?dry_run=true`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.keys.super_admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ cidr: '7.7.7.0/24' }),
    signal: leaving.signal,
  });
  // Other files have databases of their own on the same server.
  const waits =
    "SELECT FROM pg_locks JOIN pg_database ON oid = database WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()";
  await expect.poll(() => database.admin(waits)).toHaveLength(1);
  leaving.abort();
  await expect(trial).rejects.toThrow('abort');
  // The service learns of it with the end of the connection.
  await expect.poll(async () => (await service.call('GET', '/v1/version')).status).toBe(200);
  free.resolve(undefined);
  await building;
  await dry(service, 'POST', list, { cidr: '7.7.8.0/24' });
  expect(await database.admin('SELECT last_value, is_called FROM trials')).toEqual([
    { last_value: '1', is_called: true },
  ]);
  await database.admin('DROP TRIGGER count_trials ON ip_range_entry');
});
