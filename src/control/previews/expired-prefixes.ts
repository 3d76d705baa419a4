import type { ExpiredPrefixes } from '../../api/revisions/plan.ts';
import { NAMED_CHANGES } from '../../api/revisions/plan.ts';
import { FAMILIES } from '../../core/address.ts';
import { formatPrefixAt, prefixAt, type Prefix } from '../../core/prefix.ts';
import { matchesOfPrefix } from '../../core/tables/lookup.ts';
import { emptyTable, type PrefixTable } from '../../core/tables/prefix-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listExpiredSince } from '../../store/entries/expiries.ts';
import { listRevisionInputs } from '../../store/revisions/revision-history.ts';
import { tableCache } from '../tables/table-cache.ts';
import { requireRevision } from '../../store/revisions/stored-revisions.ts';

/**
 * Prefixes that the revision announces and the latest does not, or not with all of their communities, and that only entries brought whose time
 * is over since. A revision never changes, so it announces them again.
 * @param latestId null: there is none
 */
export async function expiredPrefixes(
  tx: TenantTx,
  revisionId: string,
  latestId: string | null,
): Promise<ExpiredPrefixes | null> {
  const revision = await requireRevision(tx, revisionId);
  if (revision.content_hash === null) return null;
  const expired = await listExpiredSince(tx, revision.created_at);
  if (expired.size === 0) return null;
  const table = await tableCache.load(tx, revision.content_hash);
  const latest = await latestTable(tx, latestId);
  const found = new Set<string>();
  for (const { purpose, content_hash: hash } of await listRevisionInputs(tx, revisionId)) {
    if (purpose === 'exclude') continue;
    for (const { prefix, text } of prefixesOf(await tableCache.load(tx, hash), expired))
      if (!hasAll(latest, table, prefix)) found.add(text);
  }
  if (found.size === 0) return null;
  return { count: found.size, prefixes: [...found].slice(0, NAMED_CHANGES) };
}

async function latestTable(tx: TenantTx, id: string | null): Promise<PrefixTable> {
  const hash = id === null ? null : (await requireRevision(tx, id)).content_hash;
  return hash === null ? emptyTable() : tableCache.load(tx, hash);
}

/** Those of a snapshot that no other entry has. O(rows) where there are any. */
function* prefixesOf(
  snapshot: PrefixTable,
  expired: ReadonlySet<string>,
): Generator<{ readonly prefix: Prefix; readonly text: string }> {
  const isOver = snapshot.labelSets.map((ids) => ids.length > 0 && ids.every((id) => expired.has(id)));
  if (!isOver.includes(true)) return;
  for (const family of FAMILIES) {
    const rows = snapshot[family];
    for (let row = 0; row < rows.size; row++)
      if (isOver[rows.labels[row]!] === true)
        yield { prefix: prefixAt(rows, row), text: formatPrefixAt(rows, row) };
  }
}

/** Whether the latest revision announces it with all the communities that the older one has for it. What was excluded, none announces. */
function hasAll(latest: PrefixTable, older: PrefixTable, prefix: Prefix): boolean {
  const before = labelsAround(older, prefix);
  if (before === null) return true;
  const now = labelsAround(latest, prefix);
  return now !== null && [...before].every((label) => now.has(label));
}

/** Null: no route has all of the prefix. */
function labelsAround(table: PrefixTable, prefix: Prefix): ReadonlySet<string> | null {
  const rows = table[prefix.family];
  const matches = matchesOfPrefix(rows, prefix);
  if (matches.length === 0) return null;
  return new Set(matches.flatMap((row) => table.labelSets[rows.labels[row]!]!));
}
