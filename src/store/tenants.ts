import { v7 as uuidv7 } from 'uuid';
import type { Tenant } from '../api/tenants.ts';
import type { SystemTx } from './database.ts';
import { refusing } from './constraint-problem.ts';

const COLUMNS = ['id', 'created_at', 'updated_at', 'name', 'slug', 'status'] as const;

export async function insertTenant(tx: SystemTx, body: { name: string; slug: string }): Promise<Tenant> {
  const insert = tx.sql
    .insertInto('tenant')
    .values({ id: uuidv7(), ...body })
    .returning(COLUMNS);
  return refusing('tenant', body, insert.executeTakeFirstOrThrow());
}

export async function findTenantBySlug(tx: SystemTx, slug: string): Promise<Tenant | null> {
  const query = tx.sql.selectFrom('tenant').select(COLUMNS).where('slug', '=', slug);
  return (await query.executeTakeFirst()) ?? null;
}

/** Every tenant, oldest first. */
export async function listAllTenants(tx: SystemTx): Promise<Tenant[]> {
  return tx.sql.selectFrom('tenant').select(COLUMNS).orderBy('id').execute();
}
