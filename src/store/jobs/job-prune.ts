import { type RawBuilder, sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import type { Removal } from '../removal.ts';

/** Which jobs a prune removes. */
export interface OldJobs {
  readonly older_than_days: number;
  /** This many of the newest stay. */
  readonly keep_last: number;
}

export async function estimateJobPrune(tx: TenantTx, which: OldJobs): Promise<Removal> {
  const { rows } = await sql<{ count: string; bytes: string; names: string[] }>`
    WITH old AS (${oldJobs(tx, which)})
    SELECT (SELECT count(*) FROM old) AS count,
           (SELECT coalesce(sum(bytes), 0) FROM old) AS bytes,
           (SELECT coalesce(array_agg(name ORDER BY id), '{}') FROM (SELECT id, name FROM old ORDER BY id LIMIT 100) first) AS names`.execute(
    tx.sql,
  );
  const { count, bytes, names } = rows[0]!;
  return { count: Number(count), bytes: Number(bytes), names };
}

/** Removes at most this many, the oldest first. */
export async function pruneJobs(tx: TenantTx, which: OldJobs, most: number): Promise<Removal> {
  const { rows } = await sql<{ id: string; name: string; bytes: number }>`
    WITH old AS (${oldJobs(tx, which)} ORDER BY id LIMIT ${most})
    DELETE FROM job USING old WHERE job.tenant_id = ${tx.tenantId} AND job.id = old.id
    RETURNING old.id, old.name, old.bytes`.execute(tx.sql);
  const names = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ name }) => name);
  return { count: rows.length, bytes: rows.reduce((sum, row) => sum + row.bytes, 0), names };
}

/**
 * Jobs that have ended and that nothing refers to: no running child, no apply, no policy that shows them as its last run. The last apply to
 * all speakers stays as well: new nodes use it (rollout/rollouts.ts).
 */
function oldJobs(tx: TenantTx, { older_than_days: days, keep_last: keep }: OldJobs): RawBuilder<unknown> {
  const tenant = tx.tenantId;
  return sql`
    SELECT job.id, job.type || ' ' || job.id AS name, pg_column_size(job.*) AS bytes
      FROM job
     WHERE job.tenant_id = ${tenant}
       AND job.state IN ('succeeded', 'failed', 'cancelled')
       AND job.finished_at < now() - make_interval(days => ${days}::int)
       AND job.id <= (SELECT id FROM job newest WHERE newest.tenant_id = ${tenant}
                       ORDER BY id DESC OFFSET ${keep}::int LIMIT 1)
       AND NOT EXISTS (SELECT FROM job child
                        WHERE child.tenant_id = ${tenant} AND child.parent_id = job.id
                          AND child.state IN ('queued', 'running'))
       AND NOT EXISTS (SELECT FROM speaker_apply apply
                        WHERE apply.tenant_id = ${tenant} AND apply.job_id = job.id
                          AND apply.state IN ('planned', 'queued', 'running', 'undoing'))
       AND job.id <> ALL (ARRAY(
             SELECT applied.id
               FROM job applied JOIN revision ON revision.tenant_id = applied.tenant_id AND revision.id = applied.resource_id
              WHERE applied.tenant_id = ${tenant} AND applied.type = 'apply' AND applied.state = 'succeeded'
                AND applied.input -> 'speaker_ids' = 'null'::jsonb AND applied.input ->> 'revision_id' IS NOT NULL
              ORDER BY applied.sequence DESC LIMIT 1))
       AND NOT EXISTS (SELECT FROM maintenance_policy policy
                        WHERE policy.tenant_id = ${tenant} AND policy.id = job.resource_id
                          AND NOT EXISTS (SELECT FROM job later
                                           WHERE later.tenant_id = ${tenant} AND later.resource_id = policy.id
                                             AND later.id > job.id))`;
}
