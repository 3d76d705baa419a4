/** The ranges that count, read again only where somebody has edited them. */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { compareLabelSets } from '../../core/tables/label-sets.ts';
import type { TenantTx } from '../database/database.ts';

/** The enabled entries of a module, of every kind, that have the same communities of their own, if any. */
export interface EntryInput {
  readonly module_id: string;
  readonly community_ids: readonly string[];
  /** In ascending order, separated by commas: a hundred thousand entries are one value, and are compared as one. */
  readonly entry_ids: string;
}

/** Of all tenants: as many characters as some two million ranges have. */
const KEPT_CHARACTERS = 80_000_000;

/** What was read of a module under its stamp, which every edit changes (migrations/0053_entry_stamps.sql). */
const known = new LRUCache<string, readonly EntryInput[]>({
  maxSize: KEPT_CHARACTERS,
  sizeCalculation: (inputs, key) =>
    inputs.reduce((sum, { entry_ids: ids }) => sum + ids.length + 100, key.length + 100),
});

interface Stamp {
  readonly module_id: string;
  readonly stamp: string;
}

/** The enabled ranges of all enabled modules, by module and communities. @param stamps as {@link selectStamps} finds them */
export async function listRangeInputs(tx: TenantTx, stamps: readonly Stamp[]): Promise<EntryInput[]> {
  const keyOf = ({ module_id: id, stamp }: Stamp): string => `${id} ${stamp}`;
  const found = new Map(stamps.map((one) => [one.module_id, known.get(keyOf(one))]));
  const missing = stamps.filter(({ module_id: id }) => found.get(id) === undefined);
  for (const { inputs, ...stamp } of await readRanges(tx, missing)) {
    found.set(stamp.module_id, inputs);
    known.set(keyOf(stamp), inputs);
  }
  return stamps.flatMap(({ module_id: id }) => found.get(id) ?? []);
}

/** Of the enabled modules of ranges. `community_ids` is null, so that the rows stand beside others. */
export function selectStamps(tx: TenantTx) {
  return tx.sql
    .selectFrom('module')
    .select('module.id as module_id')
    .select([sql<readonly string[] | null>`NULL::uuid[]`.as('community_ids'), STAMP.as('text')])
    .where('module.tenant_id', '=', tx.tenantId)
    .where('module.type', '=', 'IP_RANGES')
    .where('module.enabled', '=', true);
}

const STAMP = sql<string>`
  (SELECT coalesce(string_agg(slot || ' ' || stamp, ',' ORDER BY slot), '') FROM module_entry_count counted
    WHERE counted.tenant_id = module.tenant_id AND counted.module_id = module.id)`;

/** One statement reads both, so that nothing is kept under a stamp that it does not have. */
async function readRanges(
  tx: TenantTx,
  modules: readonly Stamp[],
): Promise<(Stamp & { readonly inputs: readonly EntryInput[] })[]> {
  if (modules.length === 0) return [];
  const ids = modules.map(({ module_id: id }) => id);
  const counted = sql`FROM ip_range_entry WHERE tenant_id = ${tx.tenantId} AND enabled AND module_id = ANY (${ids}::uuid[])`;
  // Most have no communities of their own, and arrays are slow to sort by. Nothing is joined: the ids of a large module are one value of many
  // megabytes, which a join reads again for every module.
  const { rows } = await sql<ReadRow>`
    SELECT id AS module_id, ${STAMP} AS stamp, NULL::uuid[] AS community_ids, NULL AS entry_ids
      FROM module WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT module_id, NULL, '{}', string_agg(id::text, ',' ORDER BY id)
      ${counted} AND community_ids = '{}' GROUP BY module_id
     UNION ALL
    SELECT module_id, NULL, community_ids, string_agg(id::text, ',' ORDER BY id)
      ${counted} AND community_ids <> '{}' GROUP BY module_id, community_ids`.execute(tx.sql);
  const byModule = Map.groupBy(rows, ({ module_id: id }) => id);
  return Array.from(byModule, ([module_id, some]) => ({
    ...{ module_id, stamp: some.find(({ stamp }) => stamp !== null)!.stamp! },
    inputs: some
      .flatMap(({ community_ids, entry_ids }) =>
        community_ids === null || entry_ids === null ? [] : [{ module_id, community_ids, entry_ids }],
      )
      .sort((a, b) => compareLabelSets(a.community_ids, b.community_ids)),
  }));
}

interface ReadRow {
  readonly module_id: string;
  /** Of the row of a module; the others hold ids. */
  readonly stamp: string | null;
  readonly community_ids: readonly string[] | null;
  readonly entry_ids: string | null;
}
