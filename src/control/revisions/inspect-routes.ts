import { LRUCache } from 'lru-cache';
import type { Finding } from '../../api/revisions/revisions.ts';
import { parsePrefix } from '../../core/prefix.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { rowsAround } from '../../core/tables/rows-around.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { type Guardrails, hashOfRouteGuardrails } from '../guards/guardrails.ts';
import { tableCache } from '../tables/table-cache.ts';
import { inspectContent } from '../tables/table-threads.ts';

/** Contents and guardrails that were held against each other. */
const REMEMBERED = 1_000;
const inspections = new LRUCache<string, readonly Finding[]>({ max: REMEMBERED });

/**
 * The guardrails about routes that a stored content breaks. Peers and speakers, whose addresses are protected, come and go, so these are looked up
 * among the routes each time, and all routes are walked through again only for other guardrails.
 */
export async function inspectRoutes(
  tx: TenantTx,
  contentHash: string,
  guardrails: Guardrails,
): Promise<readonly Finding[]> {
  if (meetsProtected(await tableCache.load(tx, contentHash), guardrails))
    return inspectContent(await loadStored(tx, contentHash), guardrails);
  const others = { ...guardrails, protected: [] };
  const name = `${tx.tenantId} ${contentHash} ${hashOfRouteGuardrails(others)}`;
  const known = inspections.get(name);
  if (known !== undefined) return known;
  const found = await inspectContent(await loadStored(tx, contentHash), others);
  inspections.set(name, found);
  return found;
}

/** Whether any route but a default route has protected addresses. O(protected x log(rows)). */
function meetsProtected(table: PrefixTable, { protected: some }: Guardrails): boolean {
  return some.some(({ prefix }) => {
    const parsed = parsePrefix(prefix);
    if (!parsed.ok) return false;
    const around = rowsAround(table, parsed.value, 1);
    return around === null || around.some((row) => row.prefix.length > 0);
  });
}
