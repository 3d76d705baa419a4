import type { TenantTx } from '../store/database/database.ts';

/** Runs its work in a transaction of the tenant, be it one of its own or one that is open. */
export type InTenant = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;
