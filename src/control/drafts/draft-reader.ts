/** What building may need beside the draft, and finds seldom: bytes that were not foreseen. */
import type { StoredContent } from '../../store/contents/contents.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import { storedCache } from '../tables/stored-cache.ts';
import type { InTenant } from '../in-tenant.ts';

/** Reads a stored content, in whatever transaction there is. */
export type ReadContent = (contentHash: string) => Promise<StoredContent>;

export interface DraftReader {
  readonly read: ReadContent;
  readonly inTenant: InTenant;
}

/** Reads in transactions of their own. */
export function draftReader(db: Database, tenantId: string): DraftReader {
  const inTenant: InTenant = (work) => db.inTenant(tenantId, work);
  return { inTenant, read: (contentHash) => inTenant((tx) => storedCache.load(tx, contentHash)) };
}

/** Reads in this transaction. */
export function draftReaderIn(tx: TenantTx): DraftReader {
  return { inTenant: (work) => work(tx), read: (contentHash) => storedCache.load(tx, contentHash) };
}
