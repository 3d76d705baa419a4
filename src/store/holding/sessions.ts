import { sql } from 'kysely';
import type { SessionStateName } from '../../api/speakers/speakers.ts';
import type { Static } from 'typebox';
import type { SystemTx, TenantTx } from '../database/database.ts';
import { writeEvent } from '../events.ts';

/** A holder reports every few seconds; an older report says nothing about the present. */
export const SILENT_SINCE = sql<string>`now() - interval '15 seconds'`;

/** What the holder of a speaker reports about one session. */
export interface SessionReport {
  readonly peerId: string;
  readonly state: Static<typeof SessionStateName>;
  readonly since: string;
  readonly routesExported: number;
  readonly routesReceived: number;
  readonly updatesSent: number;
  readonly lastError: string | null;
  /** When it is tried next; null: nothing is planned; absent: its holder does not know. */
  readonly nextAttempt?: string | null;
}

/** Replaces the holder's earlier report by this one; sessions that it no longer names are removed. */
export async function reportSessions(
  tx: TenantTx,
  speakerId: string,
  sessions: readonly SessionReport[],
): Promise<void> {
  let gone = tx.sql
    .deleteFrom('speaker_session')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId);
  if (sessions.length > 0) {
    gone = gone.where(
      'peer_id',
      'not in',
      sessions.map((session) => session.peerId),
    );
  }
  for (const { peer_id } of await gone.returning('peer_id').execute())
    await writeEvent(tx, 'session', {
      ...{ speaker_id: speakerId, peer_id, state: null, since: null, last_error: null },
    });
  const known = await existingPeers(tx, sessions);
  const values = known.map((session) => ({
    tenant_id: tx.tenantId,
    speaker_id: speakerId,
    peer_id: session.peerId,
    state: session.state,
    since: session.since,
    routes_exported: session.routesExported,
    routes_received: session.routesReceived,
    updates_sent: session.updatesSent,
    last_error: session.lastError,
    next_attempt_at: session.nextAttempt ?? null,
  }));
  if (values.length === 0) return;
  await tx.sql
    .insertInto('speaker_session')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'speaker_id', 'peer_id']).doUpdateSet((eb) => ({
        state: eb.ref('excluded.state'),
        since: eb.ref('excluded.since'),
        routes_exported: eb.ref('excluded.routes_exported'),
        routes_received: eb.ref('excluded.routes_received'),
        updates_sent: eb.ref('excluded.updates_sent'),
        last_error: eb.ref('excluded.last_error'),
        next_attempt_at: eb.ref('excluded.next_attempt_at'),
        reported_at: sql<string>`now()`,
      })),
    )
    .execute();
}

/** A peer may have been deleted since the speaker looked; the lock keeps it until the report is stored. */
async function existingPeers(tx: TenantTx, sessions: readonly SessionReport[]): Promise<SessionReport[]> {
  if (sessions.length === 0) return [];
  const rows = await tx.sql
    .selectFrom('peer')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where(
      'id',
      'in',
      sessions.map((session) => session.peerId),
    )
    .forKeyShare()
    .execute();
  const existing = new Set(rows.map((row) => row.id));
  return sessions.filter((session) => existing.has(session.peerId));
}

/** Sessions of all tenants by their last reported state; those of silent holders are left out. */
export async function countSessionsByState(tx: SystemTx): Promise<{ state: string; count: number }[]> {
  return tx.sql
    .selectFrom('speaker_session')
    .select(['state', (eb) => eb.fn.countAll<number>().as('count')])
    .where('reported_at', '>', SILENT_SINCE)
    .groupBy('state')
    .execute();
}

const IS_SILENT = sql<boolean>`
  speaker_session.state <> 'idle' AND speaker_session.reported_at < ${SILENT_SINCE}
  AND NOT EXISTS (SELECT FROM speaker_lease lease
                   WHERE lease.tenant_id = speaker_session.tenant_id AND lease.speaker_id = speaker_session.speaker_id
                     AND lease.expires_at > now())`;

/** Whether there are sessions for {@link silenceSessions}. */
export const HAS_SILENT = sql<boolean>`EXISTS (SELECT FROM speaker_session WHERE ${IS_SILENT})`;

const IS_ON_NODE = sql<boolean>`EXISTS (
  SELECT FROM speaker WHERE speaker.tenant_id = speaker_session.tenant_id AND speaker.id = speaker_session.speaker_id
                        AND speaker.mode = 'agent')`;

/**
 * Marks the sessions of silent holders with expired leases as idle since their last report: they ended with their process, and no other
 * process will report them. Those of a node may go on, so what they had last stays known.
 */
export async function silenceSessions(tx: SystemTx): Promise<void> {
  await tx.sql
    .updateTable('speaker_session')
    .set({
      state: 'idle',
      since: sql<string>`reported_at`,
      routes_exported: sql<number>`CASE WHEN ${IS_ON_NODE} THEN routes_exported ELSE 0 END`,
    })
    .where(IS_SILENT)
    .execute();
}
