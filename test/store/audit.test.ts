import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditFilter, auditPage, listAuditRecords, recordAudit } from '../../src/store/audit/audit.ts';
import { claimAuditDeliveries, readUnsentAudit } from '../../src/store/audit/audit-outbox.ts';
import { writeTime } from '../../src/store/database/column-types.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let tenant: string;
const POLICY = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';

beforeAll(async () => {
  database = await createTestDatabase();
  tenant = await database.createTenant();
  const other = await database.createTenant();
  await database.admin(
    `INSERT INTO audit_record (tenant_id, id, at, actor, action, severity, resource_type, resource_id, resource_name, policy_id)
     SELECT CASE WHEN n % 10 = 0 THEN $1::uuid ELSE $2::uuid END, gen_random_uuid(), now() - n * interval '1 minute',
            'key:' || n % 500, 'noun' || n % 50 || '.change', CASE WHEN n % 1000 = 7 THEN 'critical' ELSE 'info' END,
            'noun' || n % 50, (n % 5000)::text, 'name ' || n, CASE WHEN n % 1000 = 3 THEN $3::uuid END
       FROM generate_series(1, 60000) n`,
    [other, tenant, POLICY],
  );
  await database.admin('ANALYZE audit_record');
});
afterAll(() => database.close());

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly Plans?: readonly Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

describe('a page is read along an index, without sorting or reading past it', () => {
  const middle = { at: new Date(Date.now() - 20_000 * 60_000).toISOString(), id: POLICY };
  test.each<[string, AuditFilter, string]>([
    ['nothing', {}, 'audit_record_at'],
    ['an action', { action: 'noun3.change' }, 'audit_record_action'],
    ['a severity', { severity: 'critical' }, 'audit_record_severity'],
    ['an actor', { actor: 'key:17' }, 'audit_record_actor'],
    ['a type', { resource_type: 'noun3' }, 'audit_record_resource_type'],
    ['a resource', { resource_id: '4711' }, 'audit_record_resource_id'],
    ['a policy', { policy_id: POLICY }, 'audit_record_policy'],
    ['a time', { since: middle.at, until: new Date().toISOString() }, 'audit_record_at'],
  ])('by %s', async (_name, query, index) => {
    for (const before of [null, middle]) {
      const plan = await database.db.inTenant(tenant, async (tx) => {
        const [row] = (await auditPage(tx, query, before, 51).explain('json')) as [
          { 'QUERY PLAN': readonly [{ Plan: Plan }] },
        ];
        return row['QUERY PLAN'][0].Plan;
      });
      const nodes = nodesOf(plan);
      const reported = JSON.stringify(plan);
      expect(nodes.map((node) => node['Index Name']).filter(Boolean), reported).toEqual([index]);
      const kinds = nodes.map((node) => node['Node Type']);
      expect(kinds, reported).not.toContain('Sort');
      expect(kinds, reported).not.toContain('Seq Scan');
    }
  });
});

test.each([
  ['0000-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:60-23:59', '9999-12-31T23:59:59.999Z'],
  ['2026-06-30T23:59:60Z', '2026-06-30T23:59:59.000Z'],
  ['2026-01-01t01:02:03.456789+23:59', '2025-12-31T01:03:03.456Z'],
])('the moment %s is asked for as %s', (text, written) => {
  expect(writeTime(text)).toBe(written);
});

test('records of one moment are each on one page', async () => {
  const crowded = await database.createTenant();
  await database.admin(
    `INSERT INTO audit_record (tenant_id, id, at, actor, action, severity, resource_type)
     SELECT $1, gen_random_uuid(), '2026-01-01', 'cli', 'module.create', 'info', 'module' FROM generate_series(1, 25)`,
    [crowded],
  );
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < 9; pages++) {
    const page = await database.db.inTenant(crowded, (tx) =>
      listAuditRecords(tx, { limit: 4, ...(cursor === undefined ? {} : { cursor }) }),
    );
    ids.push(...page.items.map(({ id }) => id));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  expect(new Set(ids).size).toBe(25);
  expect(ids).toHaveLength(25);
});

test('a change that is taken back leaves neither a record nor something to send', async () => {
  const mine = await database.createTenant();
  const failing = database.db.inTenant(mine, async (tx) => {
    await recordAudit(tx, { actor: 'cli', action: 'module.create' });
    throw new Error('on purpose');
  });
  await expect(failing).rejects.toThrow('on purpose');
  const left = await database.admin(
    'SELECT FROM audit_record WHERE tenant_id = $1 UNION ALL SELECT FROM audit_outbox WHERE tenant_id = $1',
    [mine],
  );
  expect(left).toEqual([]);
});

test('what another server had not sent yet is sent by this one', async () => {
  const mine = await database.createTenant();
  await database.db.inTenant(mine, (tx) => recordAudit(tx, { actor: 'cli', action: 'module.create' }));
  // As after a restore: a transaction of which this server has not heard.
  await database.admin("UPDATE audit_outbox SET transaction_id = '4000000000000' WHERE tenant_id = $1", [
    mine,
  ]);
  const unsent = await database.db.inSystem((tx) => readUnsentAudit(tx, mine, 10));
  expect(unsent).toMatchObject([{ tenant: { id: mine }, record: { action: 'module.create' } }]);
});

test('a tenant is claimed by one holder at a time, and by another once the lease has run out', async () => {
  const mine = await database.createTenant();
  await database.db.inTenant(mine, (tx) => recordAudit(tx, { actor: 'cli', action: 'module.create' }));
  const claim = async (holder: string, seconds: number) =>
    (await database.db.inSystem((tx) => claimAuditDeliveries(tx, { id: holder, seconds }, [], 100)))
      .map(({ tenantId }) => tenantId)
      .includes(mine);
  const [one, two] = ['0198c5d2-7b1e-7c3a-9f42-000000000001', '0198c5d2-7b1e-7c3a-9f42-000000000002'];
  expect(await claim(one, 60)).toBe(true);
  expect(await claim(two, 60)).toBe(false);
  expect(await claim(one, 60)).toBe(true);
  await database.db.inSystem((tx) =>
    sql`UPDATE audit_delivery SET lease_expires_at = now() - interval '1 second'`.execute(tx.sql),
  );
  expect(await claim(two, 60)).toBe(true);
});
