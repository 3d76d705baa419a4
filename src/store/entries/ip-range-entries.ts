import { sql } from 'kysely';
import type { IpRangeEntry, IpRangeEntryCreate } from '../../api/entries/ip-range-entries.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { newEntryColumns } from './entry-communities.ts';
import { newEntryIds } from './entry-ids.ts';
import { ENTRY_COLUMNS, entryStore } from './entries.ts';

// The server writes IPv6 as in RFC 5952, and host prefixes with their length, as we do.
const entries = entryStore({
  table: 'ip_range_entry',
  path: 'ip-range-entries',
  columns: [...ENTRY_COLUMNS, 'cidr', 'note'],
  key: 'cidr',
  present: ({ version: _, ...entry }): IpRangeEntry => entry,
  describeDuplicate: (cidr) => `The module holds ${String(cidr)} already. Leave it out.`,
});

/** Callers pass `cidr` in canonical form. */
export const {
  list: listIpRangeEntries,
  get: getIpRangeEntry,
  update: updateIpRangeEntry,
  remove: deleteIpRangeEntry,
  many: manyIpRangeEntries,
} = entries;

/** All or none, as {@link entryStore} says. */
export async function insertIpRangeEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly IpRangeEntryCreate[],
  pointerOf: (index: number) => string = () => '',
): Promise<Versioned<IpRangeEntry>[]> {
  const ids = newEntryIds(bodies.length);
  const rows = bodies.map(({ cidr, note = null, ...common }, index) => ({
    id: ids[index]!,
    cidr,
    note,
    ...newEntryColumns(common),
  }));
  return entries.insert(tx, moduleId, rows, pointerOf);
}

/**
 * Every range of the module as `id cidr,id cidr…`, including disabled ones: what counts is decided when a revision is built. One text is
 * read, compared and passed between threads faster than a hundred thousand rows.
 */
export async function readAllIpRanges(tx: TenantTx, moduleId: string): Promise<string> {
  const { ranges } = await tx.sql
    .selectFrom('ip_range_entry')
    .select(sql<string>`coalesce(string_agg(id || ' ' || cidr, ',' ORDER BY id), '')`.as('ranges'))
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .executeTakeFirstOrThrow();
  return ranges;
}
