/** The revisions that the next one stands against, in one statement: what speakers run, and the latest that is ready. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import { type InputRow, type RevisionInput, presentInput } from './revision-history.ts';

export interface StandingRevision {
  readonly id: string;
  readonly content_hash: string;
  /** What it was built from, by module. */
  readonly inputs: readonly RevisionInput[];
}

export interface StandingRevisions {
  /**
   * Each content that an enabled speaker runs, with the newest good revision of it, which shows best where it comes from: one that changes
   * nothing is not applied, although its entries may have been edited since.
   */
  readonly running: readonly StandingRevision[];
  /** The latest that is ready; null: there is none. */
  readonly latest: StandingRevision | null;
}

interface RevisionRow {
  readonly revision_id: string;
  readonly revision_hash: Buffer;
  readonly is_running: boolean;
  readonly is_latest: boolean;
}

/** A revision, with one of the modules that it was built from, if any. */
type Row = RevisionRow & (InputRow | { readonly module_id: null });

export async function readStandingRevisions(tx: TenantTx): Promise<StandingRevisions> {
  const { rows } = await sql<Row>`
    WITH running AS (
      SELECT DISTINCT ON (newest.content_hash) newest.id, newest.content_hash
        FROM speaker
        JOIN revision applied ON applied.tenant_id = speaker.tenant_id AND applied.id = speaker.applied_revision_id
        JOIN revision newest ON newest.tenant_id = applied.tenant_id AND newest.content_hash = applied.content_hash
                            AND newest.number >= applied.number AND (newest.state = 'ready' OR newest.id = applied.id)
       WHERE speaker.tenant_id = ${tx.tenantId} AND speaker.enabled
       ORDER BY newest.content_hash, newest.number DESC
    ), latest AS (
      SELECT id, content_hash FROM revision
       WHERE tenant_id = ${tx.tenantId} AND state = 'ready' ORDER BY number DESC LIMIT 1
    )
    SELECT standing.*, input.module_id, input.name, input.purpose, input.families, input.content_hash,
           input.entries_hash, input.left_out, input.released, input.policy_hash
      FROM (SELECT id AS revision_id, coalesce(running.content_hash, latest.content_hash) AS revision_hash,
                   running.content_hash IS NOT NULL AS is_running, latest.content_hash IS NOT NULL AS is_latest
              FROM running FULL JOIN latest USING (id)) standing
      LEFT JOIN revision_input input ON input.tenant_id = ${tx.tenantId} AND input.revision_id = standing.revision_id
     ORDER BY standing.revision_hash, standing.revision_id, input.module_id`.execute(tx.sql);
  const all = Array.from(Map.groupBy(rows, ({ revision_id: id }) => id).values(), (ofRevision) => {
    const {
      revision_id: id,
      revision_hash: hash,
      is_running: isRunning,
      is_latest: isLatest,
    } = ofRevision[0]!;
    const inputs = ofRevision.flatMap((row) => (row.module_id === null ? [] : [presentInput(row)]));
    return { isRunning, isLatest, revision: { id, content_hash: hash.toString('hex'), inputs } };
  });
  return {
    running: all.filter(({ isRunning }) => isRunning).map(({ revision }) => revision),
    latest: all.find(({ isLatest }) => isLatest)?.revision ?? null,
  };
}
