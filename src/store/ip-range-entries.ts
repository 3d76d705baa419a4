import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  IpRangeEntry,
  IpRangeEntryCreate,
  IpRangeEntryPatch,
  IpRangeEntryQuery,
} from '../api/ip-range-entries.ts';
import type { Page } from '../api/page.ts';
import { Problem } from '../api/problem.ts';
import { refusing } from './constraint-problem.ts';
import type { TenantTx, Versioned } from './database.ts';
import { getModule } from './modules.ts';
import { containing, readPage } from './pagination.ts';
import { found, lockForChange, nextVersion, versioned } from './versions.ts';

/** The server writes IPv6 as RFC 5952 wants it, and host prefixes with their length, as we do. */
const CIDR = sql<string>`cidr::text`.as('cidr');

/** Rows of one INSERT: seven parameters each, of the 65,535 a statement may have. */
const ROWS_AT_ONCE = 2_000;

function select(tx: TenantTx, moduleId: string) {
  return tx.sql
    .selectFrom('ip_range_entry')
    .select([
      'id',
      'created_at',
      'updated_at',
      'module_id',
      'note',
      'enabled',
      'community_id',
      'version',
      CIDR,
    ])
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId);
}

type Row = IpRangeEntry & { readonly version: number };

function present({ version: _, ...entry }: Row): IpRangeEntry {
  return entry;
}

export async function listIpRangeEntries(
  tx: TenantTx,
  moduleId: string,
  query: IpRangeEntryQuery,
): Promise<Page<IpRangeEntry>> {
  await getModule(tx, moduleId);
  const { enabled, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx, moduleId)
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) =>
          eb.or([eb(sql<string>`cidr::text`, 'ilike', containing(q!)), eb('note', 'ilike', containing(q!))]),
        ),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, `ip-range-entries ${moduleId}`, query, fetch, present);
}

/**
 * Every range of the module as `id cidr,id cidr…`, the disabled ones too: what counts is decided when a revision is built. One text
 * is read, compared and passed between threads quicker than a hundred thousand rows.
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

export async function getIpRangeEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
): Promise<Versioned<IpRangeEntry>> {
  const row = await select(tx, moduleId).where('id', '=', id).executeTakeFirst();
  return found('ip_range_entry', id, row === undefined ? null : versioned(row, present));
}

/**
 * Inserts all of them or, when one is there already, none.
 * @param bodies with `cidr` in canonical form, no two alike
 * @param pointerOf where a body stands in the request
 * @returns in the order given
 */
export async function insertIpRangeEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly IpRangeEntryCreate[],
  pointerOf: (index: number) => string = () => '',
): Promise<Versioned<IpRangeEntry>[]> {
  const values = bodies.map(({ cidr, note = null, enabled = true, community_id = null }) => ({
    tenant_id: tx.tenantId,
    id: uuidv7(),
    module_id: moduleId,
    cidr,
    note,
    enabled,
    community_id,
  }));
  for (let at = 0; at < values.length; at += ROWS_AT_ONCE) {
    const some = values.slice(at, at + ROWS_AT_ONCE);
    const insert = tx.sql
      .insertInto('ip_range_entry')
      .values(some)
      .onConflict((conflict) => conflict.columns(['tenant_id', 'module_id', 'cidr']).doNothing())
      .returning('id');
    const communities = [...new Set(some.flatMap((row) => row.community_id ?? []))].join(', ');
    const inserted = await refusing('ip_range_entry', { community_id: communities }, insert.execute());
    const ids = new Set(inserted.map(({ id }) => id));
    refuseKnown(some, ids, (index) => `${pointerOf(at + index)}/cidr`);
  }
  const rows = await selectInserted(tx, moduleId, values);
  return rows.map((row) => versioned(row, present));
}

async function selectInserted(
  tx: TenantTx,
  moduleId: string,
  values: readonly { id: string }[],
): Promise<Row[]> {
  const ids = values.map(({ id }) => id);
  return select(tx, moduleId)
    .where(sql<boolean>`id = ANY(${ids}::uuid[])`)
    .orderBy('id')
    .execute();
}

function refuseKnown(
  values: readonly { id: string; cidr: string }[],
  inserted: ReadonlySet<string>,
  pointerOf: (index: number) => string,
): void {
  const known = values.flatMap(({ id, cidr }, index) =>
    inserted.has(id) ? [] : [{ cidr, pointer: pointerOf(index) }],
  );
  const [first] = known;
  if (first === undefined) return;
  const tell = (cidr: string): string => `The module holds ${cidr} already. Leave it out`;
  const rest = known.length > 1 ? ` (and ${known.length - 1} more, see errors)` : '';
  throw new Problem('conflict', `${tell(first.cidr)}${rest}.`, {
    errors: known.slice(0, 100).map(({ cidr, pointer }) => ({ pointer, detail: `${tell(cidr)}.` })),
  });
}

/** @param patch with `cidr` in canonical form */
export async function updateIpRangeEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  patch: IpRangeEntryPatch,
  version: number | null,
): Promise<Versioned<IpRangeEntry>> {
  await lockForChange(tx, 'ip_range_entry', id, version, moduleId);
  const update = tx.sql
    .updateTable('ip_range_entry')
    .set({ ...patch, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
  await refusing('ip_range_entry', patch, update.execute());
  return getIpRangeEntry(tx, moduleId, id);
}

export async function deleteIpRangeEntry(
  tx: TenantTx,
  moduleId: string,
  id: string,
  version: number | null,
): Promise<void> {
  await lockForChange(tx, 'ip_range_entry', id, version, moduleId);
  await tx.sql
    .deleteFrom('ip_range_entry')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}
