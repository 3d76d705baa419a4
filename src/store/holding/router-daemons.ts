/** The routing daemons that hold local speakers, as reported by the processes that hold the speakers. */
import { sql } from 'kysely';
import type { Daemon } from '../../api/speakers/speakers.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';
import { lockTenant } from '../database/locks.ts';
import { notSilent, conflictOf } from './leases.ts';
import { SILENT_SINCE } from './sessions.ts';

/** What is known about one local speaker's daemon. Without a holder: nothing. */
export interface DaemonOfSpeaker {
  readonly speaker_id: string;
  readonly daemon: Daemon;
  /** The process; null: none reports. */
  readonly holder: string | null;
  readonly hostname: string | null;
  readonly reachable: boolean | null;
  readonly version: string | null;
  readonly router_id: string | null;
  readonly uptime_seconds: number | null;
  readonly reconfigured_at: string | null;
  readonly protocols: number | null;
  readonly protocols_up: number | null;
  readonly error: string | null;
  readonly sessions: number;
  readonly sessions_established: number;
}

/** Every enabled local speaker, in the order of daemons and speakers. */
export async function listDaemonsOfSpeakers(tx: TenantTx): Promise<DaemonOfSpeaker[]> {
  const { rows } = await sql<DaemonOfSpeaker>`
    SELECT sp.id AS speaker_id, sp.daemon, l.holder, l.hostname, l.reachable, l.version,
           coalesce(l.daemon_router_id, l.router_id) AS router_id,
           floor(extract(epoch FROM now() - l.up_since))::integer AS uptime_seconds, l.reconfigured_at,
           l.protocols, l.protocols_up, coalesce(l.error, ${conflictOf('o')}) AS error,
           (SELECT count(*)::integer FROM peer p
             WHERE p.tenant_id = sp.tenant_id AND p.enabled
               AND (NOT EXISTS (SELECT FROM peer_speaker x WHERE x.tenant_id = p.tenant_id AND x.peer_id = p.id)
                    OR EXISTS (SELECT FROM peer_speaker x
                                WHERE x.tenant_id = p.tenant_id AND x.peer_id = p.id AND x.speaker_id = sp.id))) AS sessions,
           (SELECT count(*)::integer FROM speaker_session s
             WHERE s.tenant_id = sp.tenant_id AND s.speaker_id = sp.id AND s.state = 'established' AND l.reachable
               AND s.reported_at > ${SILENT_SINCE}) AS sessions_established
      FROM speaker sp
      LEFT JOIN speaker_lease l ON l.tenant_id = sp.tenant_id AND l.speaker_id = sp.id AND ${notSilent('l')}
      LEFT JOIN speaker_lease o ON o.tenant_id = sp.tenant_id AND o.speaker_id = sp.id AND l.speaker_id IS NULL
     WHERE sp.tenant_id = ${tx.tenantId} AND sp.mode = 'local' AND sp.enabled
     ORDER BY sp.daemon, sp.id`.execute(tx.sql);
  return rows;
}

/** The outcome of the reload of one daemon. */
export interface DaemonReload {
  readonly daemon: Daemon;
  readonly hostname: string | null;
  readonly state: 'asked' | 'done' | 'failed';
  readonly error: string | null;
}

/**
 * Asks each process that holds local speakers to reload its daemon for the job; repeated calls ask only once.
 * @returns false when some of them are asked for another job, which has not read its answers yet: then nobody was asked
 */
export async function askReload(tx: TenantTx, jobId: string): Promise<boolean> {
  const isAnothers = sql<boolean>`EXISTS (
    SELECT FROM job WHERE job.tenant_id = lease.tenant_id AND job.id = lease.reload_job_id
                      AND job.id <> ${jobId} AND job.state IN ('queued', 'running'))`;
  await lockTenant(tx, 'reload');
  const { rows } = await sql`
    SELECT FROM speaker_lease lease WHERE lease.tenant_id = ${tx.tenantId} AND ${isAnothers} LIMIT 1`.execute(
    tx.sql,
  );
  if (rows.length > 0) return false;
  await sql`
    UPDATE speaker_lease AS lease
       SET reload_job_id = ${jobId}, reload_state = 'asked', reload_error = NULL
      FROM (SELECT DISTINCT ON (l.holder, sp.daemon) l.tenant_id, l.speaker_id
              FROM speaker_lease l
              JOIN speaker sp ON sp.tenant_id = l.tenant_id AND sp.id = l.speaker_id
             WHERE l.tenant_id = ${tx.tenantId} AND sp.mode = 'local' AND ${notSilent('l')}
             ORDER BY l.holder, sp.daemon, l.speaker_id) one
     WHERE lease.tenant_id = one.tenant_id AND lease.speaker_id = one.speaker_id
       AND NOT EXISTS (SELECT FROM speaker_lease l WHERE l.tenant_id = ${tx.tenantId} AND l.reload_job_id = ${jobId})`.execute(
    tx.sql,
  );
  return true;
}

/** The outcomes of the reloads that the job requested. A process that no longer reports has left them unchanged. */
export async function listReloads(tx: TenantTx, jobId: string): Promise<DaemonReload[]> {
  const rows = await tx.sql
    .selectFrom('speaker_lease as l')
    .innerJoin('speaker as sp', (join) =>
      join.onRef('sp.tenant_id', '=', 'l.tenant_id').onRef('sp.id', '=', 'l.speaker_id'),
    )
    .select(['sp.daemon', 'l.hostname', 'l.reload_state', 'l.reload_error'])
    .where('l.tenant_id', '=', tx.tenantId)
    .where('l.reload_job_id', '=', jobId)
    .orderBy('sp.daemon')
    .orderBy('l.speaker_id')
    .execute();
  return rows.map(({ daemon, hostname, reload_state: state, reload_error: error }) => ({
    ...{ daemon, hostname, state: state ?? 'asked', error },
  }));
}

/** Records how the requested reload of the speaker's holder ended. */
export async function finishReload(
  tx: TenantTx,
  {
    speakerId,
    jobId,
    error,
  }: { readonly speakerId: string; readonly jobId: string; readonly error: string | null },
): Promise<void> {
  await tx.sql
    .updateTable('speaker_lease')
    .set({ reload_state: error === null ? 'done' : 'failed', reload_error: error })
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('reload_job_id', '=', jobId)
    .execute();
}

/** Identifies this service among those that share a machine: the same for all processes with one database. */
export async function serviceId(tx: SystemTx): Promise<string> {
  const { rows } = await sql<{ id: string }>`SELECT service_id() AS id`.execute(tx.sql);
  return rows[0]!.id;
}
