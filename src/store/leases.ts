import { sql } from 'kysely';
import type { Daemon } from '../api/speakers.ts';
import type { SystemTx, TenantTx } from './database.ts';

/** A speaker that the asking process holds. */
export interface SpeakerLease {
  readonly tenant_id: string;
  readonly speaker_id: string;
  readonly daemon: Daemon;
}

/**
 * Renews the holder's leases and claims every enabled local speaker of these daemons whose lease nobody holds or has let
 * expire, those of suspended tenants too: no routers shall lose their routes. The database's clock decides, so that processes with
 * wrong clocks agree.
 * @returns all that the holder holds now
 */
export async function claimLeases(
  tx: SystemTx,
  holder: string,
  seconds: number,
  daemons: readonly Daemon[],
): Promise<SpeakerLease[]> {
  const { rows } = await sql<SpeakerLease>`
    WITH held AS (
      INSERT INTO speaker_lease AS lease (tenant_id, speaker_id, holder, expires_at)
      SELECT s.tenant_id, s.id, ${holder}::uuid, clock_timestamp() + make_interval(secs => ${seconds})
        FROM speaker s
       WHERE s.enabled AND s.mode = 'local' AND s.daemon = ANY(${[...daemons]}::text[])
       ORDER BY s.tenant_id, s.id
      ON CONFLICT (tenant_id, speaker_id) DO UPDATE
         SET holder = excluded.holder, expires_at = excluded.expires_at
       WHERE lease.holder = excluded.holder OR lease.expires_at < clock_timestamp()
      RETURNING tenant_id, speaker_id
    )
    SELECT held.tenant_id, held.speaker_id, s.daemon
      FROM held JOIN speaker s ON s.tenant_id = held.tenant_id AND s.id = held.speaker_id`.execute(tx.sql);
  return rows;
}

/** Of these speakers, those that some process shall hold: neither deleted nor disabled. */
export async function listWantedSpeakers(tx: SystemTx, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('speaker')
    .select('speaker.id')
    .where(sql<boolean>`speaker.id = ANY(${[...ids]}::uuid[])`)
    .where('speaker.enabled', '=', true)
    .execute();
  return rows.map(({ id }) => id);
}

/** Whether the holder holds the speaker; while the transaction lasts nobody takes the lease away. */
export async function holdsLease(tx: TenantTx, speakerId: string, holder: string): Promise<boolean> {
  const lease = await tx.sql
    .selectFrom('speaker_lease')
    .select('speaker_id')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('holder', '=', holder)
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .forShare()
    .executeTakeFirst();
  return lease !== undefined;
}

/** What the holder of a speaker tells of its daemon. */
export interface DaemonReport {
  readonly reachable: boolean;
  readonly version: string | null;
  readonly routerId: string | null;
  readonly uptimeSeconds: number | null;
  /** RFC 3339. */
  readonly lastReconfiguredAt: string | null;
  readonly error: string | null;
}

/**
 * Writes down what the holder tells of the speaker's daemon.
 * @returns false when it holds the speaker no more: then nothing that it tells counts
 */
export async function reportDaemon(
  tx: TenantTx,
  speakerId: string,
  holder: string,
  report: DaemonReport,
): Promise<boolean> {
  const { uptimeSeconds: uptime } = report;
  const written = await tx.sql
    .updateTable('speaker_lease')
    .set({
      reachable: report.reachable,
      version: report.version,
      router_id: report.routerId,
      up_since: uptime === null ? null : sql<string>`now() - make_interval(secs => ${uptime})`,
      reconfigured_at: report.lastReconfiguredAt,
      error: report.error,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('holder', '=', holder)
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .returning('speaker_id')
    .executeTakeFirst();
  return written !== undefined;
}

/** Gives back all that the holder holds, or of it these speakers only, so that another process may claim it at once. */
export async function releaseLeases(
  tx: SystemTx,
  holder: string,
  speakerIds?: readonly string[],
): Promise<void> {
  await tx.sql
    .deleteFrom('speaker_lease')
    .where('holder', '=', holder)
    .$if(speakerIds !== undefined, (leases) =>
      leases.where(sql<boolean>`speaker_id = ANY(${[...speakerIds!]}::uuid[])`),
    )
    .execute();
}

/** Removes leases that ran out long ago: of speakers that no process holds any more. */
export async function sweepLeases(tx: TenantTx): Promise<void> {
  await tx.sql
    .deleteFrom('speaker_lease')
    .where('tenant_id', '=', tx.tenantId)
    .where('expires_at', '<', sql<string>`now() - interval '1 day'`)
    .execute();
}
