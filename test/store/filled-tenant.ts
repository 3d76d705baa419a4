/** A tenant that has many times a page of everything, for tests of how much is read of it. */
import pg from 'pg';
import { fillTenant } from '../../bench/growth/fill.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

const SCALE = { entries: 20_000, jobs: 20_000, auditRecords: 20_000, modules: 5_000, tenants: 1 };

export async function createFilledDatabase(): Promise<{ database: TestDatabase; tenantId: string }> {
  const database = await createTestDatabase();
  const tenantId = await database.createTenant();
  const client = new pg.Client({ ...database.address, user: 'postgres' });
  await client.connect();
  await fillTenant(client, tenantId, SCALE);
  await client.end();
  return { database, tenantId };
}
