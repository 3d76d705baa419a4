/** Applies of speakers that no process of the service holds: they begin when a bundle carries them, and end when the node reports that. */
import { sql } from 'kysely';
import { goodRevisionOf, isPassed } from './applies.ts';
import type { PeerApplyResult } from '../../api/revisions/apply.ts';
import type { TenantTx } from '../database/database.ts';
import { isFrozen } from '../holding/apply-conditions.ts';

/**
 * Begins what is queued for these speakers, unless applies are frozen; what is older than another one is superseded. The caller holds
 * the lock of the tenant's bundles.
 */
export async function startAgentApplies(tx: TenantTx, speakerIds: readonly string[]): Promise<void> {
  const ours = sql`a.tenant_id = ${tx.tenantId} AND a.speaker_id = ANY(${[...speakerIds]}::uuid[])`;
  const thawed = sql`NOT ${isFrozen(sql`${tx.tenantId}`)}`;
  await sql`
    UPDATE speaker_apply a
       SET state = 'superseded', finished_at = now(), error = 'A newer apply took its place.'
     WHERE ${ours} AND ${isPassed('a')} AND ${thawed}`.execute(tx.sql);
  await sql`
    UPDATE speaker_apply a
       SET state = 'running', started_at = now(), previous_revision_id = ${goodRevisionOf('a')}
     WHERE ${ours} AND a.state = 'queued' AND ${thawed}`.execute(tx.sql);
}

/**
 * Has another bundle issued, with a higher number, where an apply has begun after the node failed at this one: so the node tries at once,
 * and what it reports of the attempt before is not taken for the new one's end. The caller holds the lock of the tenant's bundles.
 */
export async function outdateFailed(tx: TenantTx, speakerIds: readonly string[]): Promise<void> {
  await sql`
    UPDATE speaker_bundle b SET fingerprint = ''
     WHERE b.tenant_id = ${tx.tenantId} AND b.speaker_id = ANY(${[...speakerIds]}::uuid[])
       AND b.applied_sequence IS DISTINCT FROM b.sequence
       AND EXISTS (SELECT FROM speaker_apply a
                    WHERE a.tenant_id = b.tenant_id AND a.speaker_id = b.speaker_id
                      AND a.state = 'running' AND a.bundle_sequence IS NULL AND a.revision_id IS NOT NULL)
       AND EXISTS (SELECT FROM speaker_apply a
                    WHERE a.tenant_id = b.tenant_id AND a.speaker_id = b.speaker_id
                      AND a.state = 'failed' AND a.bundle_sequence = b.sequence)`.execute(tx.sql);
}

/**
 * Has the same bundle issued again where an apply has begun that changes nothing, and a session is down: a node that takes it calls such peers
 * at once, as a process of the service does with each apply. The caller holds the lock of the tenant's bundles.
 */
export async function renewForCalls(tx: TenantTx, speakerIds: readonly string[]): Promise<void> {
  await sql`
    UPDATE speaker_bundle b SET keys_hash = ''
     WHERE b.tenant_id = ${tx.tenantId} AND b.speaker_id = ANY(${[...speakerIds]}::uuid[])
       AND b.applied_sequence = b.sequence
       AND EXISTS (SELECT FROM speaker_apply a
                    WHERE a.tenant_id = b.tenant_id AND a.speaker_id = b.speaker_id
                      AND a.state = 'running' AND a.bundle_sequence IS NULL)
       AND EXISTS (SELECT FROM speaker_session s
                    WHERE s.tenant_id = b.tenant_id AND s.speaker_id = b.speaker_id
                      AND s.state <> 'established')`.execute(tx.sql);
}

/**
 * Notes which bundle carries the applies that have begun, which is the one that was issued last, and ends those that it carries to a
 * node which runs it already. The caller holds the lock of the tenant's bundles.
 */
export async function bindAgentApplies(tx: TenantTx, speakerIds: readonly string[]): Promise<void> {
  await sql`
    UPDATE speaker_apply a SET bundle_sequence = b.sequence
      FROM speaker_bundle b
     WHERE a.tenant_id = ${tx.tenantId} AND a.speaker_id = ANY(${[...speakerIds]}::uuid[])
       AND a.state = 'running' AND a.bundle_sequence IS NULL
       AND b.tenant_id = a.tenant_id AND b.speaker_id = a.speaker_id
       AND (a.revision_id IS NULL OR a.revision_id = b.revision_id)`.execute(tx.sql);
  await endApplies(tx, speakerIds, NOTHING);
}

/** Ends the applies of a speaker that have begun and that no bundle can carry. */
export async function failUnbound(tx: TenantTx, speakerId: string, error: string): Promise<void> {
  await tx.sql
    .updateTable('speaker_apply')
    .set({ state: 'failed', finished_at: sql<string>`now()`, error })
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('state', '=', 'running')
    .where('bundle_sequence', 'is', null)
    .execute();
}

/** What the node reports of an apply; counts are routes. */
export interface AgentEnd {
  readonly announced: number;
  readonly withdrawn: number;
  readonly changed: number;
  readonly peers: readonly PeerApplyResult[];
  /** Why not every peer has it; null: all have it that were up. */
  readonly partial: string | null;
}
const NOTHING: AgentEnd = { announced: 0, withdrawn: 0, changed: 0, peers: [], partial: null };

/**
 * Notes that the node runs the bundle of this sequence, and ends the applies that it carries. What was reported as failed before, and has
 * come about since, has not failed.
 * @returns false when it is not the bundle that was issued last: then nothing was written
 */
export async function noteApplied(
  tx: TenantTx,
  speakerId: string,
  sequence: number,
  end: AgentEnd,
): Promise<boolean> {
  const { rows } = await sql`
    UPDATE speaker_bundle SET applied_sequence = ${sequence}
     WHERE tenant_id = ${tx.tenantId} AND speaker_id = ${speakerId} AND sequence = ${sequence}
       AND applied_sequence IS DISTINCT FROM ${sequence}
    RETURNING sequence`.execute(tx.sql);
  if (rows.length === 0) return false;
  await endApplies(tx, [speakerId], end);
  return true;
}

/** Ends the applies that the bundle of this sequence carries as failed, when it is the one that was issued last. */
export async function noteFailed(
  tx: TenantTx,
  speakerId: string,
  sequence: number,
  error: string,
  peers: readonly PeerApplyResult[],
): Promise<void> {
  await sql`
    UPDATE speaker_apply a
       SET state = 'failed', finished_at = now(), error = ${error}, peers = ${textOf(peers)}::jsonb
      FROM speaker_bundle b
     WHERE a.tenant_id = ${tx.tenantId} AND a.speaker_id = ${speakerId}
       AND a.state = 'running' AND a.bundle_sequence <= ${sequence}
       AND b.tenant_id = a.tenant_id AND b.speaker_id = a.speaker_id AND b.sequence = ${sequence}`.execute(
    tx.sql,
  );
}

/** Of those of the speakers whose node runs the bundle that was issued last. */
async function endApplies(
  tx: TenantTx,
  speakerIds: readonly string[],
  { announced, withdrawn, changed, peers, partial }: AgentEnd,
): Promise<void> {
  const ours = sql`a.tenant_id = ${tx.tenantId} AND a.speaker_id = ANY(${[...speakerIds]}::uuid[])
                   AND b.tenant_id = a.tenant_id AND b.speaker_id = a.speaker_id
                   AND b.applied_sequence = b.sequence`;
  await sql`
    UPDATE speaker_apply a
       SET state = 'succeeded', finished_at = now(), error = ${partial}, code = NULL,
           peers = ${textOf(peers)}::jsonb, partial = ${partial !== null},
           announced = CASE WHEN a.revision_id IS NULL THEN 0 ELSE ${announced}::int END,
           withdrawn = CASE WHEN a.revision_id IS NULL THEN 0 ELSE ${withdrawn}::int END,
           changed = CASE WHEN a.revision_id IS NULL THEN 0 ELSE ${changed}::int END
      FROM speaker_bundle b
     WHERE ${ours}
       AND (a.state = 'running' AND a.bundle_sequence <= b.sequence
            OR a.state = 'failed' AND a.bundle_sequence = b.sequence)`.execute(tx.sql);
  await sql`
    UPDATE speaker_apply a SET state = 'superseded', finished_at = now()
      FROM speaker_bundle b
     WHERE ${ours} AND a.state = 'undoing'
       AND EXISTS (SELECT FROM speaker_apply new
                    WHERE new.tenant_id = a.tenant_id AND new.speaker_id = a.speaker_id
                      AND new.sequence > a.sequence AND new.revision_id IS NOT NULL AND new.state = 'succeeded')`.execute(
    tx.sql,
  );
  await sql`
    UPDATE speaker_apply a SET state = 'undone', finished_at = now()
      FROM speaker_bundle b
     WHERE ${ours} AND a.state = 'undoing' AND a.previous_revision_id IS NOT DISTINCT FROM b.revision_id`.execute(
    tx.sql,
  );
  await sql`
    UPDATE speaker s SET applied_revision_id = b.revision_id, applied_at = now()
      FROM speaker_bundle b
     WHERE s.tenant_id = ${tx.tenantId} AND s.id = ANY(${[...speakerIds]}::uuid[])
       AND b.tenant_id = s.tenant_id AND b.speaker_id = s.id AND b.applied_sequence = b.sequence
       AND s.applied_revision_id IS DISTINCT FROM b.revision_id`.execute(tx.sql);
}

/** Null where nobody reports peers. */
function textOf(peers: readonly PeerApplyResult[]): string | null {
  return peers.length === 0 ? null : JSON.stringify(peers);
}
