import { ENTRY_KINDS } from '../../api/entries/entry-kinds.ts';
import type { Module } from '../../api/lists/modules.ts';
import { emitEvent, type TenantTx } from '../../store/database/database.ts';
import { FETCHED_TABLES } from '../../store/database/entry-tables.ts';
import { listRejectedCounts } from '../../store/entries/fetched-entries.ts';
import type { EntryOutcome } from '../collectors/collect-sources.ts';

/** Lines in the log of one refresh. */
const MAXIMUM_LINES = 20;

/**
 * Emits events about lists with unreadable lines, whenever their number changes. Call before the outcomes are written.
 */
export async function emitRejects(
  tx: TenantTx,
  { id: moduleId, name: moduleName, type }: Pick<Module, 'id' | 'name' | 'type'>,
  outcomes: readonly EntryOutcome[],
): Promise<void> {
  const table = FETCHED_TABLES.find((fetched) => fetched === ENTRY_KINDS[type].entry);
  const rejecting = new Map(
    outcomes.flatMap((outcome) =>
      outcome.modified && outcome.rejected > 0 ? [[outcome.id, outcome] as const] : [],
    ),
  );
  if (table === undefined || rejecting.size === 0) return;
  const before = await listRejectedCounts(tx, table, [...rejecting.keys()]);
  const changed = before.filter(({ id, rejected_count: count }) => rejecting.get(id)!.rejected !== count);
  for (const { id, name } of changed.slice(0, MAXIMUM_LINES)) {
    const { rejected, rejects } = rejecting.get(id)!;
    const [first] = rejects;
    emitEvent(tx, {
      event: 'source_unreadable_lines',
      text: `The source ${name} of the module ${moduleName} has lines that cannot be read: ${rejected}. The first, line ${first!.line}: ${first!.reason}`,
      fields: { module_id: moduleId, module: moduleName, source_id: id, source: name, rejected },
    });
  }
  const count = changed.length - MAXIMUM_LINES;
  if (count <= 0) return;
  emitEvent(tx, {
    event: 'source_unreadable_lines',
    text: `${count} more sources of the module ${moduleName} have lines that cannot be read`,
    fields: { module_id: moduleId, module: moduleName, count },
  });
}
