import { ENTRY_KINDS } from '../../api/entries/entry-kinds.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { type EntryCells, readEntriesByKey } from '../../store/entries/entry-sets.ts';
import { identifyModule } from '../../store/modules/modules.ts';
import { inReadTurn } from '../read-turns.ts';
import type { InTenant } from '../in-tenant.ts';
import { COMMUNITY, writeCell } from './entry-csv.ts';
import { KINDS } from './kinds.ts';

/** Entries that are read together: a few milliseconds of the event loop, and many may be exported at once. */
const PAGE = 500;

/**
 * The module's entries as CSV, in the order of their keys, so that two exports compare line by line.
 *
 * Only the first chunk is read in `tx`. Each of the others has a transaction of its own, since a slow reader may hold none: an entry
 * that changes meanwhile is written as it was or as it is, and no entry is written twice.
 * @throws {Problem} `not_found`, with the first chunk
 */
export async function* exportEntries(
  tx: TenantTx,
  inTenant: InTenant,
  moduleId: string,
): AsyncGenerator<string> {
  const { type } = await identifyModule(tx, moduleId);
  const { columns } = KINDS[type].csv;
  const [key] = columns;
  const stored = columns.flatMap((column) => (column.name === COMMUNITY ? [] : [column.stored]));
  const read = (within: TenantTx, after: EntryCells[string]): Promise<EntryCells[]> =>
    readEntriesByKey(within, ENTRY_KINDS[type].entry, moduleId, stored, after, PAGE);
  const pageOf = (rows: readonly EntryCells[]): Page => ({
    text: rows.map((row) => `${columns.map(({ name }) => writeCell(row[name]!)).join(',')}\r\n`).join(''),
    last: rows.length < PAGE ? undefined : rows.at(-1)![key!.name],
  });
  let page = pageOf(await read(tx, null));
  yield `${columns.map(({ name }) => name).join(',')}\r\n${page.text}`;
  while (page.last !== undefined) {
    const { last } = page;
    page = await inReadTurn(tx.tenantId, async () => pageOf(await inTenant((within) => read(within, last))));
    if (page.text !== '') yield page.text;
  }
}

interface Page {
  readonly text: string;
  /** The key of its last row; undefined: nothing comes after. */
  readonly last: EntryCells[string] | undefined;
}
