/** Since when speakers announced what revisions have in common, and until when. */
import { sql } from 'kysely';
import type { HistoryApply } from '../../api/lookup/history.ts';
import type { TenantTx } from '../database/database.ts';

/** Of each speaker and range: lists that go to and fro do so for days. */
const MOST_TIMES = 5;

/** A time in which a speaker announced revisions of a range. */
export interface PastApply extends HistoryApply {
  /** Of the range. */
  readonly place: number;
}

/**
 * Of each range of numbers the times in which speakers announced one of its revisions: by their order, and of each speaker the newest
 * first. An apply that was taken back counts for nothing. Ranges do not overlap.
 * @param ranges `below`: not included; null: no end
 */
export async function listPastApplies(
  tx: TenantTx,
  ranges: readonly { readonly from: number; readonly below: number | null }[],
): Promise<PastApply[]> {
  if (ranges.length === 0) return [];
  const lowest = Math.min(...ranges.map(({ from }) => from));
  // Of applies from the first on that brought a revision of any range, those that led from one range to another, or out of all.
  const { rows } = await sql<PastApply>`
    WITH range AS (
      SELECT * FROM unnest(${ranges.map(({ from }) => from)}::int[], ${ranges.map(({ below }) => below)}::int[])
               WITH ORDINALITY AS range ("from", below, place)
    ), run AS (
      SELECT apply.speaker_id, apply.sequence, apply.finished_at, revision.id, revision.number, range.place,
             lag(apply.id) OVER own IS NOT NULL AND lag(range.place) OVER own IS NOT DISTINCT FROM range.place AS goes_on
        FROM speaker_apply apply
        JOIN revision ON revision.tenant_id = apply.tenant_id AND revision.id = apply.revision_id
        LEFT JOIN range ON revision.number >= range."from" AND (range.below IS NULL OR revision.number < range.below)
       WHERE apply.tenant_id = ${tx.tenantId} AND apply.state = 'succeeded' AND apply.finished_at IS NOT NULL
         AND apply.sequence >= (
               SELECT min(first.sequence)
                 FROM speaker_apply first
                 JOIN revision of_first ON of_first.tenant_id = first.tenant_id AND of_first.id = first.revision_id
                WHERE first.tenant_id = ${tx.tenantId} AND of_first.number >= ${lowest}::int AND first.state = 'succeeded')
      WINDOW own AS (PARTITION BY apply.speaker_id ORDER BY apply.sequence, apply.finished_at)
    ), turn AS (
      SELECT *, lead(finished_at) OVER own AS until, lead(number) OVER own AS until_revision,
             row_number() OVER (PARTITION BY speaker_id, place ORDER BY sequence DESC) AS back
        FROM run WHERE NOT goes_on
      WINDOW own AS (PARTITION BY speaker_id ORDER BY sequence)
    )
    SELECT turn.place::int - 1 AS place, turn.speaker_id, speaker.name AS speaker, turn.id AS revision_id,
           turn.number AS revision, turn.finished_at AS applied_at,
           CASE WHEN turn.until IS NULL AND is_out THEN speaker.applied_at ELSE turn.until END AS until,
           CASE WHEN turn.until IS NULL AND is_out THEN running.number ELSE turn.until_revision END AS until_revision
      FROM turn
      JOIN range ON range.place = turn.place
      JOIN speaker ON speaker.tenant_id = ${tx.tenantId} AND speaker.id = turn.speaker_id
      LEFT JOIN revision running ON running.tenant_id = speaker.tenant_id AND running.id = speaker.applied_revision_id
      -- What brought it to another one may have been pruned.
     CROSS JOIN LATERAL (SELECT running.number < range."from" OR running.number >= range.below AS is_out) AS now
     WHERE turn.back <= ${MOST_TIMES}
     ORDER BY turn.place, turn.speaker_id, turn.sequence DESC`.execute(tx.sql);
  return rows;
}
