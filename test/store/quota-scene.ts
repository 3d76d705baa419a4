/** A database with tenants of which each may have only so much. */
import { afterAll, beforeAll } from 'vitest';
import type { QuotaName, Tenant } from '../../src/api/access/tenants.ts';
import type { TenantTx } from '../../src/store/database/database.ts';
import { updateQuotas } from '../../src/store/tenants/quotas.ts';
import { getTenant } from '../../src/store/tenants/tenants.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

class QuotaScene {
  #database: TestDatabase | null = null;

  async open(): Promise<void> {
    this.#database = await createTestDatabase();
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }

  get database(): TestDatabase {
    return this.#database!;
  }

  readonly tenantWith = async (quotas: Partial<Record<QuotaName, number>>): Promise<string> => {
    const id = await this.database.createTenant();
    await this.database.db.inSystem((tx) => updateQuotas(tx, id, quotas));
    return id;
  };

  readonly usage = async (tenantId: string): Promise<Tenant['usage']> =>
    (await this.database.db.inSystem((tx) => getTenant(tx, tenantId))).resource.usage;

  readonly inTenant = <T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
    this.database.db.inTenant(tenantId, work);
}

/** It is there from `beforeAll` on. */
export function useQuotas(): QuotaScene {
  const scene = new QuotaScene();
  beforeAll(() => scene.open());
  afterAll(() => scene.close());
  return scene;
}
