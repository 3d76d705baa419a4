/** The locks of a tenant: advisory ones, held until the transaction ends. */
export type TenantLock =
  | 'revision'
  | 'refresh'
  | 'keys'
  | 'settings'
  | 'events'
  | 'bundles'
  | 'peers'
  | 'reload'
  | 'policies'
  | 'lost jobs';

/** What each lock is known by. */
export function keyOf(tenantId: string, lock: TenantLock): string {
  return `${tenantId} ${lock}`;
}

/** The call that waits for the lock, as SQL. @param tenantId a UUID, which needs no quoting */
export function lockOf(tenantId: string, lock: TenantLock): string {
  return `pg_advisory_xact_lock(hashtextextended('${keyOf(tenantId, lock)}', 0))`;
}
