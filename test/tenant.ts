/** One tenant in a database of the calling file's own, for tests that need no more of the service. */
import { afterAll, beforeAll } from 'vitest';
import type { TenantTx } from '../src/store/database/database.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

class TestTenant {
  database!: TestDatabase;
  id = '';

  async start(): Promise<void> {
    this.database = await createTestDatabase();
    this.id = await this.database.createTenant();
  }

  /** One transaction of the tenant. */
  run<T>(work: (tx: TenantTx) => Promise<T>): Promise<T> {
    return this.database.db.inTenant(this.id, work);
  }
}

/** Starts before the tests of the calling file and ends after them. */
export function useTenant(): TestTenant {
  const tenant = new TestTenant();
  beforeAll(() => tenant.start());
  afterAll(() => tenant.database?.close());
  return tenant;
}
