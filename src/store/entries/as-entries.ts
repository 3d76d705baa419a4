import { sql } from 'kysely';
import type { AsEntry, AsEntryCreate } from '../../api/entries/as-entries.ts';
import type { PrefixCount } from '../../api/shapes/page.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { COLLECTED_COLUMNS, ENTRY_COLUMNS, entryStore } from './entries.ts';
import { newEntryColumns } from './entry-communities.ts';
import { newEntryIds } from './entry-ids.ts';
import type { ValidatedOutcome } from './entry-statuses.ts';

const entries = entryStore({
  table: 'as_entry',
  path: 'as-entries',
  columns: [...ENTRY_COLUMNS, ...COLLECTED_COLUMNS, 'asn', 'note'],
  key: 'asn',
  present: ({ version: _, prefix_count_ipv4: ipv4, prefix_count_ipv6: ipv6, ...entry }): AsEntry => ({
    ...entry,
    prefix_count: { ipv4, ipv6 },
  }),
  describeDuplicate: (asn) => `The module holds AS${String(asn)} already. Leave it out.`,
});

export const {
  list: listAsEntries,
  get: getAsEntry,
  update: updateAsEntry,
  remove: deleteAsEntry,
  many: manyAsEntries,
} = entries;

/** An AS number that has been read. */
export type AsEntryToInsert = Omit<AsEntryCreate, 'asn'> & { readonly asn: number };

/** All or none, as {@link entryStore} says. */
export async function insertAsEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly AsEntryToInsert[],
  pointerOf: (index: number) => string = () => '',
): Promise<Versioned<AsEntry>[]> {
  const ids = newEntryIds(bodies.length);
  const rows = bodies.map(({ asn, note = null, ...common }, index) => ({
    id: ids[index]!,
    asn,
    note,
    ...newEntryColumns(common),
  }));
  return entries.insert(tx, moduleId, rows, pointerOf);
}

/** What collecting an entry needs, with the validators of its last good answer, and the question that they belong to. */
export interface AsEntryToCollect {
  readonly id: string;
  /** Version at which the number was last edited, or the entry enabled. */
  readonly questionVersion: number;
  readonly asn: number;
  readonly status: AsEntry['status'];
  readonly prefixCount: PrefixCount;
  readonly asked: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** The module's enabled entries. */
export async function listAsEntriesToCollect(tx: TenantTx, moduleId: string): Promise<AsEntryToCollect[]> {
  const rows = await tx.sql
    .selectFrom('as_entry')
    .select(['id', 'question_version as questionVersion', 'asn', 'status'])
    .select(['prefix_count_ipv4', 'prefix_count_ipv6'])
    .select(['asked', 'etag', 'last_modified'])
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();
  return rows.map(
    ({ last_modified: lastModified, prefix_count_ipv4: ipv4, prefix_count_ipv6: ipv6, ...row }) => ({
      ...row,
      lastModified,
      prefixCount: { ipv4, ipv6 },
    }),
  );
}

/**
 * Records the outcomes of a module's entries in a refresh, in one statement. It is not an operator's change, so versions stay.
 * @param asked names the question that the validators answer
 */
export async function recordAsOutcomes(
  tx: TenantTx,
  outcomes: readonly ValidatedOutcome[],
  asked: string,
): Promise<void> {
  const rows = outcomes.map(({ prefixCount, lastModified, ...outcome }) => ({
    ...outcome,
    last_modified: lastModified,
    ...prefixCount,
  }));
  await sql`
    UPDATE as_entry e
       SET status = o.status, last_error = o.error, prefix_count_ipv4 = o.ipv4, prefix_count_ipv6 = o.ipv6,
           asked = CASE WHEN o.modified THEN ${asked} ELSE e.asked END,
           etag = CASE WHEN o.modified THEN o.etag ELSE e.etag END,
           last_modified = CASE WHEN o.modified THEN o.last_modified ELSE e.last_modified END,
           last_refreshed_at = CASE WHEN o.status = 'ok' THEN now() ELSE e.last_refreshed_at END
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS o
           (id uuid, modified boolean, status text, error text, ipv4 integer, ipv6 integer, etag text, last_modified text)
     WHERE e.tenant_id = ${tx.tenantId} AND e.id = o.id`.execute(tx.sql);
}
