import { parsePrefix } from '../../core/prefix.ts';
import { contentHashOf } from '../../core/stored/stored-table.ts';
import type { IdEdit } from '../../core/stored/patch-id-table.ts';
import type { StoredContent } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { dropRangeEdits, type RangeEdits } from '../../store/entries/range-edits.ts';
import { idTables } from '../tables/id-tables.ts';
import { buildSnapshotOfRanges, patchSnapshotOfRanges } from '../tables/table-threads.ts';
import type { Snapshot } from '../tables/encoded-content.ts';
import type { WrittenKind } from './kind.ts';

/** Entries that are prefixes themselves, as they were read for a snapshot of their module. */
export interface WrittenEntries {
  readonly edits: RangeEdits;
  /** Made of the snapshot before, where that is at hand and little has changed; otherwise the text of all entries. */
  readonly found: Snapshot | string;
}

/** @param seen the snapshot that the module has, if it is not held; null: none */
export async function readWritten(
  tx: TenantTx,
  kind: WrittenKind,
  moduleId: string,
  seen: StoredContent | null,
): Promise<WrittenEntries> {
  const edits = await kind.edits(tx, moduleId);
  return { edits, found: (await patched(edits, seen)) ?? (await kind.prefixes(tx, moduleId)) };
}

async function patched(
  { entries, snapshotHash }: RangeEdits,
  seen: StoredContent | null,
): Promise<Snapshot | null> {
  // What was edited is known of the latest snapshot only, and while that is held, another one is seen.
  if (entries === null || seen === null || contentHashOf(seen.stored) !== snapshotHash) return null;
  const table = idTables.get(snapshotHash);
  return table === undefined ? null : patchSnapshotOfRanges(table, entries.map(toEdit), seen);
}

function toEdit({ id, cidr }: { readonly id: string; readonly cidr: string | null }): IdEdit {
  if (cidr === null) return { id, prefix: null };
  const parsed = parsePrefix(cidr);
  if (!parsed.ok) throw new Error(`The IP range entry ${id} is damaged. ${parsed.reason}`);
  return { id, prefix: parsed.value };
}

/** The snapshot of what was read. @param seen as {@link readWritten} took it */
export async function writtenSnapshot(
  { found }: WrittenEntries,
  seen: StoredContent | null,
  signal?: AbortSignal,
): Promise<Snapshot> {
  return typeof found === 'string' ? buildSnapshotOfRanges(found, seen, signal) : found;
}

/** Whether nothing was edited, and no snapshot stored, between the two. */
export function isSameEdits(one: RangeEdits, other: RangeEdits): boolean {
  return (
    one.snapshotHash === other.snapshotHash &&
    one.ids.length === other.ids.length &&
    one.ids.every((id) => other.ids.includes(id))
  );
}

/** The snapshot of these entries is stored. */
export async function settleWritten(
  tx: TenantTx,
  moduleId: string,
  { edits: { ids } }: WrittenEntries,
): Promise<void> {
  await dropRangeEdits(tx, moduleId, ids);
}
