import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { AsEntry, AsEntryCreate, AsEntryPatch, AsEntryQuery } from '../api/as-entries.ts';
import type { Page, PrefixCount } from '../api/page.ts';
import { Problem } from '../api/problem.ts';
import { refusing } from './constraint-problem.ts';
import type { TenantTx, Versioned } from './database.ts';
import { getModule } from './modules.ts';
import { containing, readPage } from './pagination.ts';
import { found, lockForChange, nextVersion, versioned } from './versions.ts';

/** Rows of one INSERT: seven parameters each, of the 65,535 a statement may have. */
const ROWS_AT_ONCE = 2_000;

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'module_id',
  'asn',
  'note',
  'enabled',
  'community_id',
  'last_refreshed_at',
  'status',
  'last_error',
] as const;

function select(tx: TenantTx, moduleId: string) {
  return tx.sql
    .selectFrom('as_entry')
    .select([...COLUMNS, 'prefix_count_ipv4', 'prefix_count_ipv6', 'version'])
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ version: _, prefix_count_ipv4: ipv4, prefix_count_ipv6: ipv6, ...entry }: Row): AsEntry {
  return { ...entry, prefix_count: { ipv4, ipv6 } };
}

export async function listAsEntries(
  tx: TenantTx,
  moduleId: string,
  query: AsEntryQuery,
): Promise<Page<AsEntry>> {
  await getModule(tx, moduleId);
  const { enabled, status, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx, moduleId)
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(status !== undefined, (rows) => rows.where('status', '=', status!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) =>
          eb.or([
            eb(sql<string>`'AS' || asn::text`, 'ilike', containing(q!)),
            eb('note', 'ilike', containing(q!)),
          ]),
        ),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, `as-entries ${moduleId}`, query, fetch, present);
}

export async function getAsEntry(tx: TenantTx, moduleId: string, id: string): Promise<Versioned<AsEntry>> {
  const row = await select(tx, moduleId).where('id', '=', id).executeTakeFirst();
  return found('as_entry', id, row === undefined ? null : versioned(row, present));
}

/** An AS number that has been read. */
export type AsEntryToInsert = Omit<AsEntryCreate, 'asn'> & { readonly asn: number };

/**
 * Inserts all of them or, when one is there already, none.
 * @param bodies no two alike
 * @param pointerOf where a body stands in the request
 * @returns in the order given
 */
export async function insertAsEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly AsEntryToInsert[],
  pointerOf: (index: number) => string = () => '',
): Promise<Versioned<AsEntry>[]> {
  const values = bodies.map(({ asn, note = null, enabled = true, community_id = null }) => ({
    tenant_id: tx.tenantId,
    id: uuidv7(),
    module_id: moduleId,
    asn,
    note,
    enabled,
    community_id,
  }));
  for (let at = 0; at < values.length; at += ROWS_AT_ONCE) {
    const some = values.slice(at, at + ROWS_AT_ONCE);
    const insert = tx.sql
      .insertInto('as_entry')
      .values(some)
      .onConflict((conflict) => conflict.columns(['tenant_id', 'module_id', 'asn']).doNothing())
      .returning('id');
    const communities = [...new Set(some.flatMap((row) => row.community_id ?? []))].join(', ');
    const inserted = await refusing('as_entry', { community_id: communities }, insert.execute());
    const ids = new Set(inserted.map(({ id }) => id));
    refuseKnown(some, ids, (index) => `${pointerOf(at + index)}/asn`);
  }
  const ids = values.map(({ id }) => id);
  const rows = await select(tx, moduleId)
    .where(sql<boolean>`id = ANY(${ids}::uuid[])`)
    .orderBy('id')
    .execute();
  return rows.map((row) => versioned(row, present));
}

function refuseKnown(
  values: readonly { id: string; asn: number }[],
  inserted: ReadonlySet<string>,
  pointerOf: (index: number) => string,
): void {
  const known = values.flatMap(({ id, asn }, index) =>
    inserted.has(id) ? [] : [{ asn, pointer: pointerOf(index) }],
  );
  const [first] = known;
  if (first === undefined) return;
  const tell = (asn: number): string => `The module holds AS${asn} already. Leave it out`;
  const rest = known.length > 1 ? ` (and ${known.length - 1} more, see errors)` : '';
  throw new Problem('conflict', `${tell(first.asn)}${rest}.`, {
    errors: known.slice(0, 100).map(({ asn, pointer }) => ({ pointer, detail: `${tell(asn)}.` })),
  });
}

export async function updateAsEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  patch: AsEntryPatch,
  version: number | null,
): Promise<Versioned<AsEntry>> {
  await lockForChange(tx, 'as_entry', id, version, moduleId);
  const update = tx.sql
    .updateTable('as_entry')
    .set({ ...patch, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
  await refusing('as_entry', patch, update.execute());
  return getAsEntry(tx, moduleId, id);
}

export async function deleteAsEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  version: number | null,
): Promise<void> {
  await lockForChange(tx, 'as_entry', id, version, moduleId);
  await tx.sql.deleteFrom('as_entry').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
}

/** What collecting an entry needs, with what the last good answer said about itself, and to which question. */
export interface AsEntryToCollect {
  readonly id: string;
  readonly version: number;
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
    .select(['id', 'version', 'asn', 'status', 'prefix_count_ipv4', 'prefix_count_ipv6'])
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

export interface AsOutcome {
  readonly id: string;
  /** Whether there is a new answer, with these validators. */
  readonly modified: boolean;
  readonly status: 'ok' | 'stale' | 'failed';
  readonly error: string | null;
  readonly prefixCount: PrefixCount;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/**
 * Writes down what became of a module's entries in a refresh, all in one statement. It is no change by an operator, so versions stay.
 * @param asked names the question that the validators answer
 */
export async function recordAsOutcomes(
  tx: TenantTx,
  outcomes: readonly AsOutcome[],
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
