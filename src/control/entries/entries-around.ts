import type { ModuleType } from '../../api/entries/entry-kinds.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { formatAddress } from '../../core/address.ts';
import { type Prefix, parsePrefix } from '../../core/prefix.ts';
import { matchesOf } from '../../core/tables/lookup.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findRangesAround } from '../../store/lookup/lookup.ts';
import { identifyModule } from '../../store/modules/modules.ts';
import { findSnapshot } from '../../store/modules/snapshots.ts';
import { tableCache } from '../tables/table-cache.ts';
import { KINDS } from './kinds.ts';

/**
 * Ids of the module's entries that contain an address, or all of a prefix: ranges by themselves, others by what was collected from them last.
 * @param pointer where the text stands in the request
 * @throws {Problem} `not_found`, `validation_failed`
 */
export async function findEntriesAround(
  tx: TenantTx,
  moduleId: string,
  text: string,
  pointer: string,
): Promise<string[]> {
  const parsed = parsePrefix(text.trim());
  if (!parsed.ok) throw fieldProblem(pointer, `Neither an address nor a prefix. ${parsed.reason}`);
  const { type } = await identifyModule(tx, moduleId);
  return isRanges(type)
    ? rangesAround(tx, moduleId, parsed.value)
    : collectedAround(tx, moduleId, parsed.value);
}

/** Whether entries are one prefix each, so that the entries themselves say what they contain. */
function isRanges(type: ModuleType): boolean {
  return 'prefixes' in KINDS[type];
}

async function rangesAround(tx: TenantTx, moduleId: string, prefix: Prefix): Promise<string[]> {
  const ranges = await findRangesAround(tx, formatAddress(prefix), prefix.length);
  return ranges.filter(({ module_id }) => module_id === moduleId).map(({ id }) => id);
}

async function collectedAround(tx: TenantTx, moduleId: string, prefix: Prefix): Promise<string[]> {
  const snapshot = await findSnapshot(tx, moduleId);
  if (snapshot === null) return [];
  const table = await tableCache.load(tx, snapshot.content_hash);
  const rows = table[prefix.family];
  const around = matchesOf(rows, prefix).filter((row) => rows.lengths[row]! <= prefix.length);
  return [...new Set(around.flatMap((row) => table.labelSets[rows.labels[row]!]!))];
}
