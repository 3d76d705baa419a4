import { ENTRY_KINDS } from '../../api/entry-kinds.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { type EntryCells, readEntriesByKey } from '../../store/entry-sets.ts';
import { getModule } from '../../store/modules.ts';
import { COMMUNITY, writeCell } from './entry-csv.ts';
import { KINDS } from './kinds.ts';

/** Entries that are read together: some milliseconds of the event loop, and many may be exported at once. */
const PAGE = 1_000;

/** Runs its work in a transaction of the tenant. */
export type InTenant = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/**
 * The module's entries as CSV, in the order of their keys, so that two exports compare line by line.
 *
 * Only the first chunk is read in `tx`. Each of the others has a transaction of its own, since a slow reader may hold none: an entry
 * that changes meanwhile is told as it was or as it is, and no entry is told twice.
 * @throws {Problem} `not_found`, with the first chunk
 */
export async function* exportEntries(
  tx: TenantTx,
  inTenant: InTenant,
  moduleId: string,
): AsyncGenerator<string> {
  const { type } = (await getModule(tx, moduleId)).resource;
  const { columns } = KINDS[type].csv;
  const [key] = columns;
  const stored = columns.flatMap((column) => (column.name === COMMUNITY ? [] : [column.stored]));
  const read = (within: TenantTx, after: EntryCells[string]): Promise<EntryCells[]> =>
    readEntriesByKey(within, ENTRY_KINDS[type].entry, moduleId, stored, after, PAGE);
  let text = `${columns.map(({ name }) => name).join(',')}\r\n`;
  let rows = await read(tx, null);
  for (;;) {
    for (const row of rows) text += `${columns.map(({ name }) => writeCell(row[name]!)).join(',')}\r\n`;
    yield text;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    text = '';
    rows = await inTenant((within) => read(within, last[key!.name]!));
    if (rows.length === 0) return;
  }
}
