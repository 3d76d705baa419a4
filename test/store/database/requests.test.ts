/** Transactions of requests that meet others. */
import { readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, type Database, type TenantTx } from '../../../src/store/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
let requests: Database;
let tenant: string;
beforeAll(async () => {
  database = await createTestDatabase();
  requests = openDatabase(database.address, { forRequests: true });
});
afterAll(async () => {
  await requests.close();
  await database.close();
});
beforeEach(async () => {
  tenant = await database.createTenant();
  for (const key of ['one', 'two'])
    await database.admin(`INSERT INTO setting (tenant_id, key, value) VALUES ($1, $2, '0')`, [tenant, key]);
});

function add(tx: TenantTx, key: string): Promise<unknown> {
  return sql`UPDATE setting SET value = to_jsonb(value::text::int + 1) WHERE key = ${key}`.execute(tx.sql);
}

async function values(): Promise<Record<string, number>> {
  const rows = await database.admin<{ key: string; value: number }>(
    'SELECT key, value FROM setting WHERE tenant_id = $1',
    [tenant],
  );
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

/** Two transactions, each of which has what the other wants next. Counts their attempts. */
function cross(db: Database): { ended: Promise<PromiseSettledResult<void>[]>; attempts: number[] } {
  const attempts = [0, 0];
  const locked = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runs: Promise<void>[] = [];
  const run = (index: number, first: string, second: string): Promise<void> =>
    db.inTenant(tenant, async (tx) => {
      // PostgreSQL gives a row whose change was taken back to whoever comes first: the one that begins again, too, while the other has not
      // yet been given a turn to wake up. The two would then meet in a deadlock of their own.
      if (++attempts[index]! > 1) await Promise.allSettled([runs[1 - index]]);
      await add(tx, first);
      locked[index]!.resolve();
      await locked[1 - index]!.promise;
      await add(tx, second);
    });
  runs.push(run(0, 'one', 'two'), run(1, 'two', 'one'));
  return { ended: Promise.allSettled(runs), attempts };
}

describe('a deadlock', () => {
  test('is done once more for requests: both changes are there, each once', async () => {
    const { ended, attempts } = cross(requests);
    expect((await ended).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect(attempts.toSorted()).toEqual([1, 2]);
    expect(await values()).toEqual({ one: 2, two: 2 });
  });

  test('is left to those who repeat their work themselves', async () => {
    const { ended, attempts } = cross(database.db);
    const results = await ended;
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const failed = results.find((result) => result.status === 'rejected')!;
    expect(failed.reason).toMatchObject({ code: 'database_unavailable' });
    expect(attempts).toEqual([1, 1]);
  });

  test('that comes again is reported as what it is', async () => {
    let attempts = 0;
    const failing = requests.inTenant(tenant, async (tx) => {
      attempts++;
      await sql`DO $$ BEGIN RAISE EXCEPTION 'made up' USING ERRCODE = '40P01'; END $$`.execute(tx.sql);
    });
    await expect(failing).rejects.toMatchObject({ code: 'busy', retryAfter: 2 });
    expect(attempts).toBe(2);
  });
});

test('what waits for a lock of somebody else is reported after a short time, and changes nothing', async () => {
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = database.db.inTenant(tenant, async (tx) => {
    await add(tx, 'one');
    held.resolve();
    await released.promise;
  });
  await held.promise;
  const waiting = requests.inTenant(tenant, async (tx) => {
    await add(tx, 'two');
    await add(tx, 'one');
  });
  await expect(waiting).rejects.toMatchObject({ code: 'busy', status: 503 });
  released.resolve();
  await holding;
  expect(await values()).toEqual({ one: 1, two: 0 });
});

describe('large requests', () => {
  test('of a tenant are done one after the other, beside its small ones and those of others', async () => {
    const other = await database.createTenant();
    const hold = Promise.withResolvers<void>();
    const order: string[] = [];
    const large = (name: string, of: string, until: Promise<void>): Promise<unknown> =>
      requests.inBulk(of, async () => {
        order.push(name);
        await until;
      });
    const first = large('first', tenant, hold.promise);
    await expect.poll(() => order).toEqual(['first']);
    const second = large('second', tenant, Promise.resolve());
    await large('of another', other, Promise.resolve());
    await requests.inTenant(tenant, (tx) => add(tx, 'one'));
    expect(order).toEqual(['first', 'of another']);
    hold.resolve();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'of another', 'second']);
    expect(await values()).toEqual({ one: 1, two: 0 });
  });

  test('more of them than may wait are refused at once', async () => {
    const hold = Promise.withResolvers<void>();
    const all = Array.from({ length: 18 }, () => requests.inBulk(tenant, () => hold.promise));
    await expect(all.at(-1)).rejects.toMatchObject({ code: 'rate_limited' });
    hold.resolve();
    await Promise.all(all.slice(0, -1));
  });

  // Each process of the server leads a session, which Linux may give a share of its own.
  test.runIf(process.platform === 'linux')('stand behind the others in a server of our own', async () => {
    const own = openDatabase(database.address, { forRequests: true, isOwnServer: true });
    const priorityOf = async (run: Database['inTenant']): Promise<number[]> => {
      const pid = await run(tenant, async (tx) => {
        const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(tx.sql);
        return rows[0]!.pid;
      });
      const session = /nice (-?\d+)/.exec(readAutogroup(pid));
      return [getPriority(pid), ...(session === null ? [] : [Number(session[1])])];
    };
    try {
      const small = await priorityOf((of, work) => own.inTenant(of, work));
      const large = await priorityOf((of, work) => own.inBulk(of, work));
      const behind = constants.priority.PRIORITY_BELOW_NORMAL;
      expect(Math.max(...small)).toBeLessThan(behind);
      expect(Math.min(...large)).toBe(behind);
    } finally {
      await own.close();
    }
  });
});

function readAutogroup(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/autogroup`, 'latin1');
  } catch {
    return '';
  }
}
