/** What a rollback took back of a module, as far as it has that still. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type IdTable, plainTableOf } from '../../core/stored/id-table.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { ModuleInput } from '../../store/revisions/revision-inputs.ts';
import type { CountedDiff } from '../tables/diff-work.ts';
import { diffOf } from '../tables/difference-threads.ts';
import { differingTables, tableCache } from '../tables/table-cache.ts';

interface Compared extends Pick<CountedDiff, 'labels'> {
  readonly before: PrefixTable;
  readonly after: PrefixTable;
}

/** What a rollback took back of a module, beside what has become of the module since. */
interface TakenBack {
  /** What {@link takenBackHash} answers. */
  readonly taken: string | null;
  /** Entries that the snapshot holds although they are disabled or gone. */
  readonly notCounted: readonly string[];
  /** Entries that have left by themselves. */
  readonly goneIds: readonly string[];
}

/** Whether two contents differ in nothing but entries that have left by themselves. */
const verdicts = new LRUCache<string, boolean>({ max: 10_000 });

/**
 * The content of the module that a rollback took back, or null. Ranges whose end has come leave their module another content, by which nobody meant
 * anything: what is left of the old one stays taken back.
 * @param table of the snapshot that the module is about to have; null: it is stored
 * @param goneIds of entries that have left by themselves
 */
export async function takenBackHash(
  tx: TenantTx,
  { content_hash: now, rolled_back_hash: taken, accepted }: ModuleInput,
  table: PrefixTable | IdTable | null,
  goneIds: readonly string[],
): Promise<string | null> {
  if (taken === null || taken === now || now === accepted?.content_hash || goneIds.length === 0) return taken;
  return (await hasOnlyLost(tx, [taken, now], table, goneIds)) ? now : taken;
}

/**
 * Whether the module has just what is left of the content that a rollback gave back in place of this one, since the rest has left by itself: there
 * is no difference any more that anybody could mean.
 * @param table of the snapshot that the module is about to have; null: it is stored
 */
export async function isAsGivenBack(
  tx: TenantTx,
  { content_hash: now, accepted }: ModuleInput,
  { taken, notCounted, goneIds }: TakenBack,
  table: PrefixTable | IdTable | null,
): Promise<boolean> {
  if (taken !== now || accepted === null || accepted.content_hash === now || goneIds.length === 0)
    return false;
  // What was off then and counts now would come with it.
  const away = new Set([...notCounted, ...goneIds]);
  if (!accepted.left_out.every((id) => away.has(id))) return false;
  return hasOnlyLost(tx, [accepted.content_hash, now], table, goneIds);
}

/** An entry that had nothing in it corrects nothing, nor does one that has left by itself: nobody meant anything by that. */
export async function isCorrected(
  tx: TenantTx,
  { content_hash: hash, rolled_back_left_out: before }: ModuleInput,
  { taken, notCounted, goneIds }: TakenBack,
): Promise<boolean> {
  if (taken !== hash || before === null || notCounted.length === 0) return false;
  const known = new Set([...before, ...goneIds]);
  const since = notCounted.filter((id) => !known.has(id));
  if (since.length === 0) return false;
  const had = new Set((await tableCache.load(tx, hash)).labelSets.flat());
  return since.some((id) => had.has(id));
}

async function hasOnlyLost(
  tx: TenantTx,
  [before, after]: readonly [string, string],
  table: PrefixTable | IdTable | null,
  goneIds: readonly string[],
): Promise<boolean> {
  const key = `${tx.tenantId} ${before} ${after} ${hash('sha256', goneIds.join())}`;
  const known = verdicts.get(key);
  const isSo = known ?? leavesOnly(await compare(tx, before, after, table), new Set(goneIds));
  verdicts.set(key, isSo);
  return isSo;
}

async function compare(
  tx: TenantTx,
  taken: string,
  now: string,
  table: PrefixTable | IdTable | null,
): Promise<Compared> {
  if (table === null) return differingTables(tx, taken, now);
  const before = await tableCache.load(tx, taken);
  const after = 'ids' in table ? plainTableOf(table) : table;
  return { before, after, ...(await diffOf(before, after)) };
}

function leavesOnly({ before, after, labels }: Compared, gone: ReadonlySet<string>): boolean {
  return labels.every(({ before: had, after: has }) => {
    if (had === null) return false;
    const stays = new Set(has === null ? [] : after.labelSets[has]!);
    const was = before.labelSets[had]!;
    return was.every((id) => stays.has(id) || gone.has(id)) && [...stays].every((id) => was.includes(id));
  });
}
