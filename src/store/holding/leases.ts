import { sql, type RawBuilder } from 'kysely';
import type { Daemon } from '../../api/speakers/speakers.ts';
import type { SystemTx, TenantTx } from '../database/database.ts';

/**
 * A lease that was not renewed for this long may be claimed by another process, and its holder counts as silent: its last report may no
 * longer be true. Holders renew every second, so three renewals may fail or come late.
 *
 * After a process is killed, another takes over within five seconds. In the worst case it was killed right after a renewal, so that its
 * lease has four seconds left; another process claims the lease when it expires ({@link secondsToExpiry}), not at its next poll. The fifth
 * second is for the claim itself and for a busy machine. A process that knows no lease to wait for polls every second.
 */
export const LEASE_SECONDS = 4;

/** Whether the tenant of a speaker may announce. @param speaker name of the table in the query */
function mayAnnounce(speaker: string): RawBuilder<boolean> {
  return sql<boolean>`NOT EXISTS (
    SELECT FROM tenant t WHERE t.id = ${sql.ref(`${speaker}.tenant_id`)} AND t.status = 'stopped')`;
}

/** A speaker that the calling process holds. */
export interface SpeakerLease {
  readonly tenant_id: string;
  readonly speaker_id: string;
  readonly daemon: Daemon;
  /** Whether the speaker was created a moment ago. */
  readonly is_new: boolean;
  /** The job that requests a reload of the speaker's daemon; null: none does. */
  readonly reload_job_id: string | null;
}

/** Whether the holder of a lease reports. Agents renew theirs by their reports. @param lease name of the lease's table in the query */
export function notSilent(lease: string): RawBuilder<boolean> {
  return sql<boolean>`(${sql.ref(`${lease}.expires_at`)} > now())`;
}

/** What a holder holds after a renewal. */
export interface Renewal {
  readonly leases: readonly SpeakerLease[];
  /** Seconds until the next lease of another process expires, for speakers of the same daemons; null: there is none. */
  readonly secondsToExpiry: number | null;
}

/**
 * Renews the holder's leases and claims every enabled local speaker of these daemons whose lease is free or expired, including those of
 * suspended tenants: no router may lose its routes. Speakers of stopped tenants are not held. The database's clock decides, so that
 * processes with wrong clocks agree. A speaker that is being changed or deleted is skipped, since that may take long and must not cost
 * other speakers their leases. It is one statement, since every process runs it every second.
 */
export async function claimLeases(
  tx: SystemTx,
  holder: string,
  seconds: number,
  daemons: readonly Daemon[],
): Promise<Renewal> {
  const isDriven = sql<boolean>`s.enabled AND s.mode = 'local' AND s.daemon = ANY(${[...daemons]}::text[]) AND ${mayAnnounce('s')}`;
  const isNew = sql`s.created_at > now() - interval '10 seconds' AS is_new`;
  const reload = sql`CASE lease.reload_state WHEN 'asked' THEN lease.reload_job_id END AS reload_job_id`;
  const { rows } = await sql<SpeakerLease & { readonly seconds: number | null }>`
    WITH free AS MATERIALIZED (
      SELECT s.tenant_id, s.id FROM speaker s
        LEFT JOIN speaker_lease lease ON lease.tenant_id = s.tenant_id AND lease.speaker_id = s.id
       WHERE ${isDriven}
         AND (lease.holder IS NULL OR lease.holder = ${holder} OR lease.expires_at < clock_timestamp())
         FOR KEY SHARE OF s SKIP LOCKED
    ), held AS (
      INSERT INTO speaker_lease AS lease (tenant_id, speaker_id, holder, expires_at)
      SELECT tenant_id, id, ${holder}::uuid, clock_timestamp() + make_interval(secs => ${seconds})
        FROM free ORDER BY tenant_id, id
      ON CONFLICT (tenant_id, speaker_id) DO UPDATE
         SET holder = excluded.holder, expires_at = excluded.expires_at
       WHERE lease.holder = excluded.holder OR lease.expires_at < clock_timestamp()
      RETURNING lease.tenant_id, lease.speaker_id, ${reload}
    ), mine AS (
      SELECT held.tenant_id, held.speaker_id, s.daemon, ${isNew}, held.reload_job_id
        FROM held JOIN speaker s ON s.tenant_id = held.tenant_id AND s.id = held.speaker_id
       UNION ALL
      SELECT lease.tenant_id, lease.speaker_id, s.daemon, ${isNew}, ${reload}
        FROM speaker_lease lease JOIN speaker s ON s.tenant_id = lease.tenant_id AND s.id = lease.speaker_id
       WHERE lease.holder = ${holder} AND ${isDriven}
         AND s.id NOT IN (SELECT id FROM free)
    ), others AS (
      SELECT extract(epoch FROM min(lease.expires_at) - clock_timestamp())::double precision AS seconds
        FROM speaker_lease lease JOIN speaker s ON s.tenant_id = lease.tenant_id AND s.id = lease.speaker_id
       WHERE lease.holder <> ${holder} AND lease.expires_at > clock_timestamp()
         AND s.enabled AND s.mode = 'local' AND s.daemon = ANY(${[...daemons]}::text[])
    )
    SELECT others.seconds, mine.* FROM others LEFT JOIN mine ON true`.execute(tx.sql);
  const leases = rows.flatMap(({ seconds: _, ...lease }) => (lease.speaker_id === null ? [] : [lease]));
  return { leases, secondsToExpiry: rows[0]!.seconds };
}

/** Records why a process can't hold speakers of a daemon, at those that no other process holds. */
export async function noteDaemonConflict(
  tx: SystemTx,
  {
    holder,
    daemon,
    conflict: conflict,
  }: { readonly holder: string; readonly daemon: Daemon; readonly conflict: string },
): Promise<void> {
  await sql`
    INSERT INTO speaker_lease AS lease (tenant_id, speaker_id, holder, expires_at, obstacle, obstacle_at)
    SELECT s.tenant_id, s.id, ${holder}::uuid, clock_timestamp(), ${conflict}, clock_timestamp()
      FROM speaker s
     WHERE s.enabled AND s.mode = 'local' AND s.daemon = ${daemon}
     ORDER BY s.tenant_id, s.id
       FOR KEY SHARE OF s SKIP LOCKED
    ON CONFLICT (tenant_id, speaker_id) DO UPDATE
       SET obstacle = excluded.obstacle, obstacle_at = excluded.obstacle_at
     WHERE lease.expires_at < clock_timestamp()`.execute(tx.sql);
}

/** Why a speaker cannot be held, as a process reported within the last seconds. @param lease name of the table in the query */
export function conflictOf(lease: string): RawBuilder<string | null> {
  const [text, at] = [sql.ref(`${lease}.obstacle`), sql.ref(`${lease}.obstacle_at`)];
  return sql<
    string | null
  >`CASE WHEN ${at} > now() - make_interval(secs => ${LEASE_SECONDS}) THEN ${text} END`;
}

/**
 * Those of these speakers that some process should hold, if named in this daemon: neither deleted nor disabled, nor of a stopped tenant.
 */
export async function listWantedSpeakers(
  tx: SystemTx,
  ids: readonly string[],
  daemon?: Daemon,
): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('speaker')
    .select('speaker.id')
    .where(sql<boolean>`speaker.id = ANY(${[...ids]}::uuid[])`)
    .where('speaker.enabled', '=', true)
    .where(mayAnnounce('speaker'))
    .$if(daemon !== undefined, (speakers) =>
      speakers.where('speaker.mode', '=', 'local').where('speaker.daemon', '=', daemon!),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Why the speaker must no longer be held, for a person. */
export async function findLeaving(tx: SystemTx, id: string): Promise<string> {
  const row = await tx.sql
    .selectFrom('speaker')
    .innerJoin('tenant', 'tenant.id', 'speaker.tenant_id')
    .select(['speaker.enabled', 'tenant.slug', 'tenant.status'])
    .where('speaker.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return 'the speaker was deleted';
  return row.status === 'stopped' ? `the tenant ${row.slug} was stopped` : 'the speaker was disabled';
}

/** Those of these speakers whose unexpired lease another process has: it releases them itself. */
export async function listOthersLeases(
  tx: SystemTx,
  ids: readonly string[],
  holder: string,
): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('speaker_lease')
    .select('speaker_id')
    .where(sql<boolean>`speaker_id = ANY(${[...ids]}::uuid[])`)
    .where('holder', '<>', holder)
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .execute();
  return rows.map(({ speaker_id: id }) => id);
}

/** Those of these speakers that some process holds and has reported recently. */
export async function listHeldSpeakers(tx: TenantTx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.sql
    .selectFrom('speaker_lease as lease')
    .select('lease.speaker_id')
    .where('lease.tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`lease.speaker_id = ANY(${[...ids]}::uuid[])`)
    .where(notSilent('lease'))
    .execute();
  return new Set(rows.map(({ speaker_id: id }) => id));
}

/**
 * Whether the holder holds the speaker; the lease can't be taken away during the transaction. An expired lease that nobody has taken since
 * still counts: a late renewal ends no apply.
 */
export async function holdsLease(tx: TenantTx, speakerId: string, holder: string): Promise<boolean> {
  await keepSpeaker(tx, speakerId);
  const lease = await tx.sql
    .selectFrom('speaker_lease')
    .select('speaker_id')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('holder', '=', holder)
    .forShare()
    .executeTakeFirst();
  return lease !== undefined;
}

/**
 * Waits for a transaction that deletes the speaker, and locks it until this one ends. All transactions lock a speaker before its lease, and
 * both before its peers: reports, which cover all three, and deletions.
 */
async function keepSpeaker(tx: TenantTx, speakerId: string): Promise<void> {
  await tx.sql
    .selectFrom('speaker')
    .select('id')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', speakerId)
    .forKeyShare()
    .execute();
}

/** What the holder of a speaker reports about its daemon. */
export interface DaemonReport {
  readonly reachable: boolean;
  readonly version: string | null;
  readonly routerId: string | null;
  readonly uptimeSeconds: number | null;
  /** RFC 3339. */
  readonly lastReconfiguredAt: string | null;
  readonly error: string | null;
  /** The daemon's own router id, if it has one beside its speakers'. */
  readonly daemonRouterId?: string | null;
  readonly protocols?: { readonly total: number; readonly up: number };
}

/**
 * Records the holder's report about the speaker's daemon.
 * @returns false when it no longer holds the speaker: then nothing that it reports counts
 */
export async function reportDaemon(
  tx: TenantTx,
  speakerId: string,
  holder: string,
  report: DaemonReport,
  hostname: string | null = null,
): Promise<boolean> {
  const { uptimeSeconds: uptime } = report;
  await keepSpeaker(tx, speakerId);
  const written = await tx.sql
    .updateTable('speaker_lease')
    .set({
      reachable: report.reachable,
      version: report.version,
      router_id: report.routerId,
      up_since: uptime === null ? null : sql<string>`now() - make_interval(secs => ${uptime})`,
      reconfigured_at: report.lastReconfiguredAt,
      error: report.error,
      hostname,
      daemon_router_id: report.daemonRouterId ?? null,
      protocols: report.protocols?.total ?? null,
      protocols_up: report.protocols?.up ?? null,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where('holder', '=', holder)
    .where('expires_at', '>', sql<string>`clock_timestamp()`)
    .returning('speaker_id')
    .executeTakeFirst();
  return written !== undefined;
}

/** Releases everything that the holder holds, or only these speakers, so that another process may claim them at once. */
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

/** Removes leases that expired long ago: of speakers that no process holds any more. */
export async function sweepLeases(tx: TenantTx): Promise<void> {
  await tx.sql
    .deleteFrom('speaker_lease')
    .where('tenant_id', '=', tx.tenantId)
    .where('expires_at', '<', sql<string>`now() - interval '1 day'`)
    .execute();
}
