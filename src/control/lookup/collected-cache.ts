import type { TenantTx } from '../../store/database/database.ts';
import type { LookupModule } from '../../store/lookup/lookup.ts';
import { type CollectedList, CollectedLists } from './collected-lists.ts';
import { ContentCache } from '../tables/content-cache.ts';
import { tableCache } from '../tables/table-cache.ts';

/** About five million IPv4 prefixes. */
const CAPACITY_BYTES = 64 * 1024 * 1024;

/** By the modules and what was collected of each, as `id hash,id hash…`. Lists take as much memory merged as they do apart. */
const cache = new ContentCache<CollectedLists>(CAPACITY_BYTES, load, ({ bytes }) => bytes);

/** What was last collected of the modules that were ever refreshed, in their order. */
export function readCollected(tx: TenantTx, modules: Iterable<LookupModule>): Promise<CollectedLists> {
  const names: string[] = [];
  for (const { id, content_hash: hash } of modules) if (hash !== null) names.push(`${id} ${hash}`);
  return cache.load(tx, names.join());
}

async function load(tx: TenantTx, names: string): Promise<CollectedLists> {
  const lists: CollectedList[] = [];
  for (const name of names === '' ? [] : names.split(',')) {
    const [moduleId = '', contentHash = ''] = name.split(' ');
    lists.push({ moduleId, table: await tableCache.load(tx, contentHash) });
  }
  return new CollectedLists(lists);
}
