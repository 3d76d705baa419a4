/** The ranges that count, read again only where somebody has edited them. */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { compareLabelSets } from '../../core/tables/label-sets.ts';
import type { TenantTx } from '../database/database.ts';
import { type Followed, followSteps, type Stamp } from './range-steps.ts';

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

/** Stamps that modules had when they were read, the last one used first. What a trial read is no state of anybody else. */
const basesOf = new LRUCache<string, readonly string[]>({ max: 10_000 });
const MOST_BASES = 4;

const keyOf = ({ module_id: id, stamp }: Stamp): string => `${id} ${stamp}`;

/** The enabled ranges of all enabled modules, by module and communities. @param stamps as {@link selectStamps} finds them */
export async function listRangeInputs(tx: TenantTx, stamps: readonly Stamp[]): Promise<EntryInput[]> {
  const found = new Map(stamps.map((one) => [one.module_id, known.get(keyOf(one))]));
  for (const one of stamps) if (found.get(one.module_id) !== undefined) useBase(one);
  const unknown = (): Stamp[] => stamps.filter(({ module_id: id }) => found.get(id) === undefined);
  const keep = ({ inputs, ...stamp }: ReadModule): void => {
    found.set(stamp.module_id, inputs);
    known.set(keyOf(stamp), inputs);
  };
  for (const read of await followRanges(tx, unknown())) keep(read);
  for (const read of await readRanges(tx, unknown())) {
    keep(read);
    useBase(read);
  }
  return stamps.flatMap(({ module_id: id }) => found.get(id) ?? []);
}

/**
 * Reads what counts before a trial edits it. What the trial reads is nobody else's state, and nothing follows from it; what it read
 * before is, and the next trial begins with that as well.
 */
export async function knowRanges(tx: TenantTx): Promise<void> {
  const rows = await selectStamps(tx).execute();
  await listRangeInputs(
    tx,
    rows.map(({ module_id, text: stamp }) => ({ module_id, stamp })),
  );
}

type ReadModule = Stamp & { readonly inputs: readonly EntryInput[] };

function useBase({ module_id: id, stamp }: Stamp): void {
  const others = (basesOf.get(id) ?? []).filter((other) => other !== stamp);
  basesOf.set(id, [stamp, ...others].slice(0, MOST_BASES));
}

/** Modules of which it is known what was edited since they were read: what they have now. */
async function followRanges(tx: TenantTx, modules: readonly Stamp[]): Promise<ReadModule[]> {
  const isKnown = (id: string) => (stamp: string) => known.has(keyOf({ module_id: id, stamp }));
  const followed = await followSteps(
    tx,
    modules
      .map((module) => ({
        module,
        bases: (basesOf.get(module.module_id) ?? []).filter(isKnown(module.module_id)),
      }))
      .filter(({ bases }) => bases.length > 0),
  );
  const { stamps, entries } = await readTouched(tx, followed);
  return followed.flatMap(({ module, base }) => {
    const { module_id: id, stamp } = module;
    const before = known.get(keyOf({ module_id: id, stamp: base }));
    // Somebody has edited it between the two statements.
    if (stamps.get(id) !== stamp || before === undefined) return [];
    useBase({ module_id: id, stamp: base });
    useBase(module);
    return [{ ...module, inputs: patchInputs(id, before, entries.get(id) ?? []) }];
  });
}

/** An entry that was edited, as it counts now. */
interface TouchedEntry {
  readonly id: string;
  /** Null: it is disabled or gone. */
  readonly communityIds: readonly string[] | null;
}

/** One statement reads both, as {@link readRanges}. */
async function readTouched(
  tx: TenantTx,
  followed: readonly Followed[],
): Promise<{
  readonly stamps: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, readonly TouchedEntry[]>;
}> {
  if (followed.length === 0) return { stamps: new Map(), entries: new Map() };
  const ids = followed.map(({ module }) => module.module_id);
  const touched = followed.flatMap(({ module, entryIds }) =>
    entryIds.map((id) => ({ id, moduleId: module.module_id })),
  );
  const { rows } = await sql<{ id: string; module_id: string; stamp: string | null; own: string[] | null }>`
    SELECT id, id AS module_id, ${STAMP} AS stamp, NULL::uuid[] AS own
      FROM module WHERE tenant_id = ${tx.tenantId} AND id = ANY (${ids}::uuid[])
     UNION ALL
    SELECT touched.id, touched.module_id, NULL, entry.community_ids
      FROM unnest(${touched.map(({ id }) => id)}::uuid[], ${touched.map(({ moduleId }) => moduleId)}::uuid[]) AS touched (id, module_id)
      LEFT JOIN ip_range_entry entry
        ON entry.tenant_id = ${tx.tenantId} AND entry.module_id = touched.module_id AND entry.id = touched.id AND entry.enabled`.execute(
    tx.sql,
  );
  const entries = rows.filter(({ stamp }) => stamp === null);
  return {
    stamps: new Map(rows.flatMap(({ id, stamp }) => (stamp === null ? [] : [[id, stamp] as const]))),
    entries: Map.groupBy(
      entries.map(({ id, module_id, own }) => ({ id, module_id, communityIds: own })),
      ({ module_id: id }) => id,
    ),
  };
}

/** The groups with these entries at their new places. */
function patchInputs(
  moduleId: string,
  before: readonly EntryInput[],
  touched: readonly TouchedEntry[],
): EntryInput[] {
  const ids = touched.map(({ id }) => id).sort();
  const comesTo = Map.groupBy(
    touched.filter(({ communityIds }) => communityIds !== null),
    ({ communityIds }) => communityIds!.join(),
  );
  const groups = new Map(before.map((group) => [group.community_ids.join(), group]));
  for (const [key, [first]] of comesTo)
    if (!groups.has(key))
      groups.set(key, { module_id: moduleId, community_ids: first!.communityIds!, entry_ids: '' });
  return Array.from(groups, ([key, group]) => {
    const added = new Set((comesTo.get(key) ?? []).map(({ id }) => id));
    return { ...group, entry_ids: patchIds(group.entry_ids, ids, added) };
  })
    .filter(({ entry_ids: left }) => left !== '')
    .sort((a, b) => compareLabelSets(a.community_ids, b.community_ids));
}

/** Characters of an id with the comma before the next one. */
const STRIDE = 37;

/**
 * The list without the ids of `touched`, and with those of `added`.
 * @param list in ascending order, as `touched`, which has all of `added`
 */
function patchIds(list: string, touched: readonly string[], added: ReadonlySet<string>): string {
  const idAt = (place: number): string => list.slice(place * STRIDE, place * STRIDE + STRIDE - 1);
  const size = Math.floor((list.length + 1) / STRIDE);
  const pieces: string[] = [];
  let next = 0;
  const keepUntil = (end: number): void => {
    if (end > next) pieces.push(list.slice(next * STRIDE, end * STRIDE - 1));
  };
  for (const id of touched) {
    let place = next;
    for (let end = size; place < end;) {
      const middle = (place + end) >>> 1;
      if (idAt(middle) < id) place = middle + 1;
      else end = middle;
    }
    const isThere = place < size && idAt(place) === id;
    if (isThere === added.has(id)) continue;
    keepUntil(place);
    if (isThere) next = place + 1;
    else {
      pieces.push(id);
      next = place;
    }
  }
  if (pieces.length === 0 && next === 0) return list;
  keepUntil(size);
  return pieces.join(',');
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
