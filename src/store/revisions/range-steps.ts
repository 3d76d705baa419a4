/** Which ranges were edited between two stamps of their module (migrations/0073_edits_wait_for_less.sql). */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';

export interface Stamp {
  readonly module_id: string;
  /** Of each of its rows that count entries: `slot stamp`, separated by commas. */
  readonly stamp: string;
}

/** What a module has, and what it is known to have had: the stamps of then, the likeliest first. */
export interface Candidate {
  readonly module: Stamp;
  readonly bases: readonly string[];
}

export interface Followed {
  readonly module: Stamp;
  readonly base: string;
  /** All that differ, and perhaps some that do not. */
  readonly entryIds: readonly string[];
}

/** Edits that are followed back, and entries: more are read as quickly with all others. */
const MOST_STEPS = 200;
const MOST_ENTRIES = 2_000;

/** Steps are kept for those who have read a module a while ago. */
const KEPT = sql`interval '1 hour'`;

/** The stamp of a row that no edit has used. */
const UNUSED = '00000000-0000-0000-0000-000000000000';

interface Step {
  readonly module_id: string;
  readonly stamp: string;
  readonly before: string;
  readonly entry_ids: readonly string[] | null;
}

/** The modules whose edits since one of their bases are known; the others have to be read. */
export async function followSteps(tx: TenantTx, candidates: readonly Candidate[]): Promise<Followed[]> {
  if (candidates.length === 0) return [];
  const ends = candidates.flatMap(({ module }) =>
    Array.from(slotsOf(module.stamp).values(), (stamp) => ({ id: module.module_id, stamp })),
  );
  const ids = ends.map(({ id }) => id);
  const stamps = ends.map(({ stamp }) => stamp);
  const starts = candidates.flatMap(({ bases }) => bases.flatMap((base) => [...slotsOf(base).values()]));
  const { rows } = await sql<Step>`
    WITH RECURSIVE step AS (
      SELECT s.module_id, s.stamp, s.before, s.entry_ids, 1 AS place
        FROM unnest(${ids}::uuid[], ${stamps}::uuid[]) AS ends (module_id, stamp)
        JOIN range_step s ON s.tenant_id = ${tx.tenantId} AND s.module_id = ends.module_id AND s.stamp = ends.stamp
       WHERE ends.stamp <> ALL (${starts}::uuid[])
       UNION ALL
      SELECT s.module_id, s.stamp, s.before, s.entry_ids, step.place + 1
        FROM step
        JOIN range_step s ON s.tenant_id = ${tx.tenantId} AND s.module_id = step.module_id AND s.stamp = step.before
       WHERE step.place < ${MOST_STEPS} AND step.before <> ALL (${starts}::uuid[])
    )
    SELECT module_id, stamp, before, entry_ids FROM step`.execute(tx.sql);
  const stepOf = new Map(rows.map((step) => [`${step.module_id} ${step.stamp}`, step]));
  return candidates.flatMap(({ module, bases }) => {
    for (const base of bases) {
      const entryIds = entriesBetween(stepOf, module, base);
      if (entryIds !== null) return [{ module, base, entryIds }];
    }
    return [];
  });
}

/** Null: it is not known that one follows from the other. */
function entriesBetween(
  stepOf: ReadonlyMap<string, Step>,
  { module_id: id, stamp }: Stamp,
  base: string,
): readonly string[] | null {
  const before = slotsOf(base);
  const now = slotsOf(stamp);
  if ([...before.keys()].some((slot) => !now.has(slot))) return null;
  const entries = new Set<string>();
  for (const [slot, end] of now) {
    const start = before.get(slot) ?? UNUSED;
    for (let at = end; at !== start;) {
      const step = stepOf.get(`${id} ${at}`);
      const touched = step?.entry_ids ?? null;
      if (step === undefined || touched === null) return null;
      for (const entry of touched) entries.add(entry);
      if (entries.size > MOST_ENTRIES) return null;
      at = step.before;
    }
  }
  return [...entries];
}

function slotsOf(stamp: string): ReadonlyMap<string, string> {
  const slots = stamp === '' ? [] : stamp.split(',');
  return new Map(slots.map((one) => one.split(' ') as [string, string]));
}

/** Nobody follows steps so far back. */
export async function forgetSteps(tx: TenantTx): Promise<void> {
  await sql`DELETE FROM range_step WHERE tenant_id = ${tx.tenantId} AND made_at < now() - ${KEPT}`.execute(
    tx.sql,
  );
}
