/** Whether two snapshots of a module bring a revision the same, although one of them holds entries that do not count any more. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { UsedSnapshot } from '../../store/revisions/revision-history.ts';
import { diffOf } from '../tables/difference-threads.ts';
import { tableCache } from '../tables/table-cache.ts';

type Drawn = Pick<UsedSnapshot, 'content_hash' | 'left_out'>;

const verdicts = new LRUCache<string, boolean>({ max: 10_000 });

/**
 * Compares what is left without the entries that do not count: prefix by prefix, with the entries that each comes from. So a list that is collected again
 * after a source of it was deleted brings what it brought before without that source.
 */
export async function isDrawnAlike(tx: TenantTx, one: Drawn, other: Drawn): Promise<boolean> {
  const names = [one, other].map(({ content_hash, left_out }) => [content_hash, [...left_out].sort()]);
  const key = `${tx.tenantId} ${hash('sha256', JSON.stringify(names))}`;
  const known = verdicts.get(key);
  if (known !== undefined) return known;
  const before = await tableCache.load(tx, one.content_hash);
  const after = await tableCache.load(tx, other.content_hash);
  const [outBefore, outAfter] = [new Set(one.left_out), new Set(other.left_out)];
  const isAlike =
    !holdsAny(after, outBefore, outAfter) &&
    !holdsAny(before, outAfter, outBefore) &&
    (await isSameWithout(before, after, new Set([...outBefore, ...outAfter])));
  verdicts.set(key, isAlike);
  return isAlike;
}

/** Whether the table has an entry that counts there and not in the other one. */
function holdsAny(
  { labelSets }: PrefixTable,
  leftOut: ReadonlySet<string>,
  own: ReadonlySet<string>,
): boolean {
  return labelSets.some((labels) => labels.some((label) => leftOut.has(label) && !own.has(label)));
}

async function isSameWithout(
  before: PrefixTable,
  after: PrefixTable,
  leftOut: ReadonlySet<string>,
): Promise<boolean> {
  const counted = ({ labelSets }: PrefixTable, set: number | null): string =>
    (set === null ? [] : labelSets[set]!.filter((label) => !leftOut.has(label))).join();
  const { labels } = await diffOf(before, after);
  return labels.every(({ before: had, after: has }) => counted(before, had) === counted(after, has));
}
