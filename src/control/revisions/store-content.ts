import { baseStep, storedAs } from '../../core/stored/stored-table.ts';
import { type StoredContent, stepsOfStored, storeTable } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { encodeWhole } from '../tables/table-threads.ts';
import type { EncodedContent } from '../tables/encoded-content.ts';

/**
 * Stores what was encoded after `parent`, unless the tenant has this content already. The caller holds the tenant's revision lock,
 * as a prune does: what the content is a delta of, or the content itself, may have gone since it was encoded, or may have come back
 * as a delta of something else. Then it is stored whole.
 * @param storedHash of a content that is stored for sure, such as that of the latest revision; null: of none
 * @returns the content hash
 */
export async function storeContent(
  tx: TenantTx,
  content: EncodedContent,
  parent: StoredContent | null,
  storedHash: string | null = null,
): Promise<string> {
  const { contentHash, encoded, prefixCount } = content;
  if (contentHash === storedHash) return contentHash;
  const delta = encoded !== null && 'baseHash' in encoded ? encoded : null;
  const steps = await stepsOfStored(tx, delta === null ? [contentHash] : [contentHash, delta.baseHash]);
  if (steps.has(contentHash)) return contentHash;
  const isStorable = delta === null || steps.get(delta.baseHash) === baseStep(delta.step);
  if (encoded !== null && isStorable) return storeTable(tx, encoded, prefixCount);
  const whole = await encodeWhole({ stored: storedAs(encoded, parent?.stored ?? null), prefixCount });
  return storeTable(tx, whole, prefixCount);
}
