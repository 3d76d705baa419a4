/** When speakers had a revision: from each apply that brought it until another revision took its place. */
import { type RawBuilder, sql } from 'kysely';
import type { AppliedPeriod } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../database/database.ts';

/** Of the newest applies of a revision; a fleet that grows by one speaker after the other makes one for each. */
const MOST_APPLIES = 50;
const MOST_PERIODS = 20;

/** A time in which a speaker had the revision. Inside JSON the server writes times its own way. */
export interface AppliedSpan {
  /** When any speaker had it first, by whatever apply. */
  readonly first: string;
  readonly from: string;
  /** Null: it has it still. */
  readonly until: string | null;
}

/**
 * Spans of the `revision` of the query, of each apply job those of two speakers: who had the revision first, and who had it last, which
 * is mostly the last to leave it. All the thousand of a fleet would cost a look into an index each. A speaker that is disabled counts only
 * where no other had it: it would keep for months what nobody announces.
 */
export function appliedSpans({ tenantId }: TenantTx): RawBuilder<AppliedSpan[]> {
  const off = sql`(SELECT id FROM speaker WHERE tenant_id = ${tenantId} AND NOT enabled)`;
  const ofThis = (apply: string): RawBuilder<unknown> => {
    const of = (column: string): RawBuilder<unknown> => sql.ref(`${apply}.${column}`);
    return sql`${of('tenant_id')} = revision.tenant_id AND ${of('revision_id')} = revision.id
               AND ${of('state')} = 'succeeded' AND ${of('finished_at')} IS NOT NULL`;
  };
  return sql<AppliedSpan[]>`(
    SELECT coalesce(json_agg(json_build_object('first', had.first_of_all, 'from', had.first_at, 'until',
             coalesce(next.finished_at, CASE WHEN NOT had.has_it THEN had.applied_at END))), '[]')
      FROM (SELECT DISTINCT ON (job.sequence, apply.finished_at) job.*, apply.speaker_id, speaker.applied_at,
                   speaker.applied_revision_id IS NOT DISTINCT FROM revision.id AS has_it
              FROM (SELECT sequence, min(finished_at) AS first_at, min(min(finished_at)) OVER () AS first_of_all,
                           coalesce(min(finished_at) FILTER (WHERE speaker_id NOT IN ${off}), min(finished_at)) AS first_on,
                           coalesce(max(finished_at) FILTER (WHERE speaker_id NOT IN ${off}), max(finished_at)) AS last_on
                      FROM speaker_apply WHERE ${ofThis('speaker_apply')}
                     GROUP BY sequence ORDER BY sequence DESC LIMIT ${MOST_APPLIES}) job
              JOIN speaker_apply apply ON ${ofThis('apply')} AND apply.sequence = job.sequence
                                      AND apply.finished_at IN (job.first_on, job.last_on)
              JOIN speaker ON speaker.tenant_id = apply.tenant_id AND speaker.id = apply.speaker_id
             ORDER BY job.sequence, apply.finished_at, NOT speaker.enabled, has_it DESC) had
      LEFT JOIN LATERAL (
            SELECT later.finished_at FROM speaker_apply later
             WHERE later.tenant_id = revision.tenant_id AND later.speaker_id = had.speaker_id
               AND later.sequence > had.sequence AND later.state = 'succeeded'
               AND later.revision_id IS NOT NULL AND later.revision_id <> revision.id
             ORDER BY later.sequence LIMIT 1) next ON true)`;
}

/** When a speaker had the revision first; null: none had it. */
export function firstOf([span]: readonly AppliedSpan[]): string | null {
  return span === undefined ? null : new Date(span.first).toISOString();
}

/**
 * Joins spans that overlap, the newest first.
 * @param isRunning an enabled speaker has the revision, maybe none of those whose spans these are
 */
export function periodsOf(spans: readonly AppliedSpan[], isRunning: boolean): AppliedPeriod[] {
  const periods: { from: number; until: number }[] = [];
  const times = spans.map(({ from, until }) => ({
    from: Date.parse(from),
    until: until === null ? Infinity : Date.parse(until),
  }));
  for (const span of times.toSorted((one, other) => one.from - other.from)) {
    const last = periods.at(-1);
    if (last === undefined || span.from > last.until) periods.push({ ...span });
    else last.until = Math.max(last.until, span.until);
  }
  const last = periods.at(-1);
  if (isRunning && last !== undefined) last.until = Infinity;
  return periods
    .toReversed()
    .slice(0, MOST_PERIODS)
    .map(({ from, until }) => ({
      from: new Date(from).toISOString(),
      until: until === Infinity ? null : new Date(until).toISOString(),
    }));
}
