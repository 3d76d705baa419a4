import { type RawBuilder, sql } from 'kysely';
import { STATES_WITH_CONTENT } from '../columns/removed-state.ts';
import type { TenantTx } from '../database/database.ts';

/** What a prune would remove, or has removed. Bytes are those of contents and blocks as stored. */
export interface PruneCounts {
  readonly revisions: number;
  readonly contents: number;
  readonly blocks: number;
  readonly bytes: number;
}

/** The same, and the numbers of the first hundred revisions. */
export interface NamedPrune extends PruneCounts {
  readonly numbers: readonly number[];
}

/** Counts what {@link pruneRevisions} would remove now. */
export async function estimatePrune(tx: TenantTx, retentionMinutes: number): Promise<PruneCounts> {
  return countsOf(await nameEstimate(tx, retentionMinutes, 0));
}

/** @param keepLast this many of the newest stay, however old */
export function nameEstimate(tx: TenantTx, retentionMinutes: number, keepLast: number): Promise<NamedPrune> {
  return count(tx, retentionMinutes, keepLast, sql``);
}

/**
 * Removes the revisions that have outlived their retention and that nobody needs, then the contents and blocks that nothing refers
 * to any more. The caller holds the tenant's revision lock: whoever stores contents holds it too, so none of these can come into
 * use between the look and the removal.
 */
export async function pruneRevisions(tx: TenantTx, retentionMinutes: number): Promise<PruneCounts> {
  return countsOf(await namePruned(tx, retentionMinutes, 0));
}

/** {@link pruneRevisions}, of which the newest `keepLast` stay. */
export function namePruned(tx: TenantTx, retentionMinutes: number, keepLast: number): Promise<NamedPrune> {
  const ours = sql`tenant_id = ${tx.tenantId}`;
  return count(
    tx,
    retentionMinutes,
    keepLast,
    sql`,
    removed_input AS (DELETE FROM revision_input WHERE ${ours} AND revision_id IN (SELECT id FROM doomed)),
    removed_revision AS (DELETE FROM revision WHERE ${ours} AND id IN (SELECT id FROM doomed)),
    removed_content AS (
      DELETE FROM content WHERE ${ours} AND content_hash IN (SELECT content_hash FROM dead_content)),
    removed_block AS (DELETE FROM content_block WHERE ${ours} AND hash IN (SELECT hash FROM dead_block)),
    removed_entries AS (
      DELETE FROM entry_list
       WHERE ${ours}
         AND NOT EXISTS (SELECT FROM snapshot
                          WHERE snapshot.tenant_id = entry_list.tenant_id AND entries_hash = entry_list.hash)
         AND NOT EXISTS (SELECT FROM accepted_snapshot accepted
                          WHERE accepted.tenant_id = entry_list.tenant_id AND accepted.entries_hash = entry_list.hash)
         AND NOT EXISTS (SELECT FROM removed_state WHERE removed_state.entries_hash = entry_list.hash)
         AND NOT EXISTS (SELECT FROM revision_input input
                          WHERE input.tenant_id = entry_list.tenant_id AND input.entries_hash = entry_list.hash
                            AND input.revision_id NOT IN (SELECT id FROM doomed))),
    removed_policy AS (
      DELETE FROM module_policy policy
       WHERE ${ours}
         AND NOT EXISTS (SELECT FROM revision_input input
                          WHERE input.tenant_id = policy.tenant_id AND input.policy_hash = policy.hash
                            AND input.revision_id NOT IN (SELECT id FROM doomed)))`,
  );
}

/** One statement, so that estimate and removal look at the same rows in the same way. */
async function count(
  tx: TenantTx,
  minutes: number,
  keepLast: number,
  removal: RawBuilder<unknown>,
): Promise<NamedPrune> {
  const tenant = tx.tenantId;
  const { rows } = await sql<{
    revisions: string;
    contents: string;
    blocks: string;
    bytes: string;
    numbers: number[];
  }>`
    WITH RECURSIVE doomed AS (
      SELECT id, number FROM revision
       WHERE tenant_id = ${tenant}
         AND created_at < now() - make_interval(mins => ${minutes}::int)
         AND number <= (SELECT number FROM revision
                         WHERE tenant_id = ${tenant} ORDER BY number DESC OFFSET ${keepLast}::int LIMIT 1)
         -- A held one waits for somebody to judge it.
         AND NOT pinned AND state NOT IN ('building', 'held')
         AND number IS DISTINCT FROM (SELECT max(number) FROM revision
                                       WHERE tenant_id = ${tenant} AND state = 'ready')
         AND NOT EXISTS (SELECT FROM speaker
                          WHERE speaker.tenant_id = ${tenant} AND speaker.applied_revision_id = revision.id)
         -- Nor what single peers hold, whatever their speaker runs.
         AND NOT EXISTS (SELECT FROM reverted_peer
                          WHERE reverted_peer.tenant_id = ${tenant} AND reverted_peer.revision_id = revision.id)
         AND NOT EXISTS (SELECT FROM limited_peer
                          WHERE limited_peer.tenant_id = ${tenant} AND limited_peer.revision_id = revision.id)
         -- Nor what feeds serve.
         AND NOT EXISTS (SELECT FROM feed
                          WHERE feed.tenant_id = ${tenant} AND feed.served_revision_id = revision.id)
         -- Nor what later edits of a module are measured from, which was let through.
         AND NOT EXISTS (SELECT FROM released_withdrawal released
                          WHERE released.tenant_id = ${tenant} AND released.revision_id = revision.id)
         -- Whoever learns that a held rollback is too late may repeat it.
         AND NOT EXISTS (SELECT FROM revision back
                          WHERE back.tenant_id = ${tenant} AND back.rollback_of = revision.id AND back.state = 'held')
         -- A node may be away for weeks, and comes back to what it was given last.
         AND NOT EXISTS (SELECT FROM speaker_bundle
                          WHERE speaker_bundle.tenant_id = ${tenant} AND speaker_bundle.revision_id = revision.id)
         -- What is on its way to a speaker is needed as much as what runs there.
         AND NOT EXISTS (SELECT FROM speaker_apply apply
                          WHERE apply.tenant_id = ${tenant} AND apply.revision_id = revision.id
                            AND apply.state IN ('planned', 'queued', 'running'))
         -- So is what a speaker may have to go back to.
         AND NOT EXISTS (SELECT FROM speaker_apply apply
                          WHERE apply.tenant_id = ${tenant} AND apply.previous_revision_id = revision.id
                            AND (apply.state IN ('running', 'undoing')
                                 OR EXISTS (SELECT FROM job
                                             WHERE job.tenant_id = ${tenant} AND job.id = apply.job_id
                                               AND job.state IN ('queued', 'running'))))
         -- And an apply that was taken back goes with its revision, but says what a speaker that announces something was sent last (sent-attributes.ts).
         AND NOT EXISTS (SELECT FROM speaker_apply apply
                          WHERE apply.tenant_id = ${tenant} AND apply.revision_id = revision.id AND apply.state IN ('undoing', 'undone')
                            AND EXISTS (SELECT FROM speaker
                                         WHERE speaker.tenant_id = ${tenant} AND speaker.id = apply.speaker_id
                                           AND speaker.applied_revision_id IS NOT NULL)
                            AND NOT EXISTS (SELECT FROM speaker_apply later
                                             WHERE later.tenant_id = ${tenant} AND later.speaker_id = apply.speaker_id
                                               AND later.sequence > apply.sequence AND later.state = 'succeeded'))
         AND NOT EXISTS (SELECT FROM job
                          WHERE job.tenant_id = ${tenant} AND job.resource_id = revision.id
                            AND job.state IN ('queued', 'running'))
    ),
    -- A module that was deleted comes back with what was collected, accepted and held of it.
    removed_state AS (
      SELECT (state.row ->> 'content_hash')::bytea AS content_hash, (state.row ->> 'entries_hash')::bytea AS entries_hash
        FROM removed_batch removed
        CROSS JOIN LATERAL jsonb_each(removed.state) AS state (name, row)
       WHERE removed.tenant_id = ${tenant} AND removed.module IS NOT NULL AND removed.restored_at IS NULL
         AND state.name = ANY (${[...STATES_WITH_CONTENT]}::text[]) AND jsonb_typeof(state.row) = 'object'
    ),
    -- A content that is stored as what changed needs the one that it changed from.
    kept_content AS (
      (SELECT content_hash FROM revision
        WHERE tenant_id = ${tenant} AND content_hash IS NOT NULL AND id NOT IN (SELECT id FROM doomed)
        UNION
       SELECT content_hash FROM snapshot WHERE tenant_id = ${tenant}
        UNION
       -- What is kept while a module is held, and what waits for somebody to let it through.
       SELECT content_hash FROM accepted_snapshot WHERE tenant_id = ${tenant}
        UNION
       SELECT content_hash FROM held_snapshot WHERE tenant_id = ${tenant}
        UNION
       SELECT content_hash FROM entry_before_hold WHERE tenant_id = ${tenant}
        UNION
       SELECT content_hash FROM removed_state
        UNION
       SELECT content_hash FROM revision_input
        WHERE tenant_id = ${tenant} AND revision_id NOT IN (SELECT id FROM doomed))
       UNION
      SELECT content.base_hash FROM kept_content
        JOIN content ON content.tenant_id = ${tenant} AND content.content_hash = kept_content.content_hash
       WHERE content.base_hash IS NOT NULL
    ),
    dead_content AS (
      SELECT content_hash, coalesce(length(manifest), 0) + coalesce(length(delta), 0) AS bytes FROM content
       WHERE tenant_id = ${tenant} AND content_hash NOT IN (SELECT content_hash FROM kept_content)
    ),
    kept_block AS (
      SELECT DISTINCT unnest(block_hashes) AS hash FROM content
       WHERE tenant_id = ${tenant} AND content_hash IN (SELECT content_hash FROM kept_content)
    ),
    dead_block AS (
      SELECT hash, length(bytes) AS bytes FROM content_block
       WHERE tenant_id = ${tenant} AND hash NOT IN (SELECT hash FROM kept_block)
    )${removal}
    SELECT (SELECT count(*) FROM doomed) AS revisions,
           (SELECT coalesce(array_agg(number ORDER BY number), '{}')
              FROM (SELECT number FROM doomed ORDER BY number LIMIT 100) first) AS numbers,
           (SELECT count(*) FROM dead_content) AS contents,
           (SELECT count(*) FROM dead_block) AS blocks,
           (SELECT coalesce(sum(bytes), 0) FROM dead_content)
           + (SELECT coalesce(sum(bytes), 0) FROM dead_block) AS bytes`.execute(tx.sql);
  const { revisions, contents, blocks, bytes, numbers } = rows[0]!;
  return {
    revisions: Number(revisions),
    contents: Number(contents),
    blocks: Number(blocks),
    bytes: Number(bytes),
    numbers: numbers.map(Number),
  };
}

function countsOf({ numbers: _, ...counts }: NamedPrune): PruneCounts {
  return counts;
}
