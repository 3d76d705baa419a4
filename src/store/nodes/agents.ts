import { sql } from 'kysely';
import { NO_REVISION } from '../../api/nodes/bundles.ts';
import type { ApplyStatus } from '../../api/nodes/nodes.ts';
import type { TenantTx } from '../database/database.ts';
import type { DaemonReport } from '../holding/leases.ts';
import { SILENT_SINCE } from '../holding/sessions.ts';

/** An agent that has not reported for this long is shown as unreachable. */
const AGENT_LEASE_SECONDS = 30;
/** Often enough for `last_seen_at`, without a write to the speaker's row for every report. */
const SEEN_SECONDS = 2;

export interface AgentIdentity {
  readonly version: string;
  readonly hostname: string;
}

/** Records who has enrolled as the agent of the speaker. */
export async function noteAgent(
  tx: TenantTx,
  speakerId: string,
  { version, hostname }: AgentIdentity,
): Promise<void> {
  await tx.sql
    .updateTable('speaker')
    .set({ agent_version: version, agent_hostname: hostname, agent_last_seen_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', speakerId)
    .execute();
}

/** One run of an agent: of two with the same identity the later one counts, as its UUIDv7 shows. */
export interface AgentRun extends AgentIdentity {
  readonly runId: string;
}

/** The bundle that it tried last; where that has not failed, it runs it. */
export type AgentRuns = Pick<ApplyStatus, 'sequence' | 'revision_id' | 'status'>;

/**
 * Why what the node announces is not what this service has for it, although no apply is to blame: the database was restored, and the node
 * goes on with what it took before. Null: it runs what was issued here.
 */
function foreignTo(tx: TenantTx, speakerId: string, { sequence, revision_id: revision, status }: AgentRuns) {
  if (sequence === null || revision === NO_REVISION) return null;
  const isKnown = status !== 'failed' && revision !== null;
  const runs = isKnown ? revision : null;
  // A bundle with another number than the node knows is issued then, and none has been applied as far as that one is concerned.
  const isNewer = sql`b.sequence < ${sequence}`;
  const isOther = sql`b.revision_id IS DISTINCT FROM ${runs}::uuid AND b.sequence = ${sequence}`;
  const isLeft = sql`b.sequence > ${sequence} AND b.applied_sequence IS NULL AND s.applied_revision_id <> ${runs}::uuid`;
  return sql<string | null>`(
    SELECT 'The node announces '
           || CASE WHEN ${!isKnown} THEN 'what was not issued here'
                   WHEN theirs.id IS NULL THEN 'what no revision here has'
                   WHEN theirs.id = b.revision_id THEN 'revision ' || theirs.number || ' by a bundle that was not issued here'
                   ELSE 'revision ' || theirs.number END
           || coalesce(', and revision ' || ours.number || ' is its own', '')
           || '. It takes that by itself, as after a restore of the database.'
      FROM speaker_bundle b
      JOIN speaker s ON s.tenant_id = b.tenant_id AND s.id = b.speaker_id
      LEFT JOIN revision theirs ON theirs.tenant_id = b.tenant_id AND theirs.id = ${runs}::uuid
      LEFT JOIN revision ours ON ours.tenant_id = b.tenant_id AND ours.id = b.revision_id
     WHERE b.tenant_id = ${tx.tenantId} AND b.speaker_id = ${speakerId}
       AND (${isNewer} OR ${isKnown} AND (${isOther} OR ${isLeft})))`;
}

/** What was known of the node when its report came: sequences of bundles. */
export interface KnownBundles {
  /** That was issued last; null: none was. */
  readonly issued: number | null;
  /** That it said it runs; null: none. */
  readonly applied: number | null;
}

/**
 * Records an agent's report about the speaker's daemon, and gives this run the speaker's lease; in one statement, since a thousand reports
 * arrive every few seconds. While a later run has the lease, only the presence of a rival is recorded.
 * @returns null: this run does not count
 */
export async function reportAsAgent(
  tx: TenantTx,
  speakerId: string,
  { runId, version, hostname }: AgentRun,
  daemon: DaemonReport,
  runs: AgentRuns,
): Promise<KnownBundles | null> {
  const { rows } = await sql<KnownBundles>`
    WITH held AS (
      INSERT INTO speaker_lease AS lease
             (tenant_id, speaker_id, holder, expires_at, reachable, version, router_id, up_since, reconfigured_at, error)
      VALUES (${tx.tenantId}, ${speakerId}, ${runId}::uuid,
              clock_timestamp() + make_interval(secs => ${AGENT_LEASE_SECONDS}),
              ${daemon.reachable}, ${daemon.version}, ${daemon.routerId},
              now() - make_interval(secs => ${daemon.uptimeSeconds}), ${daemon.lastReconfiguredAt}::timestamptz,
              coalesce(${daemon.error}, ${daemon.reachable ? foreignTo(tx, speakerId, runs) : null}))
      ON CONFLICT (tenant_id, speaker_id) DO UPDATE
         SET holder = excluded.holder, expires_at = excluded.expires_at, reachable = excluded.reachable,
             version = excluded.version, router_id = excluded.router_id, up_since = excluded.up_since,
             reconfigured_at = excluded.reconfigured_at, error = excluded.error
       WHERE lease.holder <= excluded.holder OR lease.expires_at < clock_timestamp()
      RETURNING holder
    ), seen AS (
      UPDATE speaker
         SET agent_version = ${version}, agent_hostname = ${hostname}, agent_last_seen_at = now()
       WHERE tenant_id = ${tx.tenantId} AND id = ${speakerId} AND EXISTS (SELECT FROM held)
         AND ((agent_version, agent_hostname) IS DISTINCT FROM (${version}::text, ${hostname}::text)
              OR agent_last_seen_at IS NULL
              OR agent_last_seen_at < now() - make_interval(secs => ${SEEN_SECONDS}))
    )
    SELECT b.sequence AS issued, b.applied_sequence AS applied
      FROM held
      LEFT JOIN speaker_bundle b ON b.tenant_id = ${tx.tenantId} AND b.speaker_id = ${speakerId}`.execute(
    tx.sql,
  );
  const [known] = rows;
  if (known !== undefined) return known;
  await tx.sql
    .updateTable('speaker_lease')
    .set({ rival_hostname: hostname, rival_seen_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .execute();
  return null;
}

/** A warning about a second agent that reports at the same time; null: there is none. */
export const RIVAL = sql<string | null>`CASE WHEN rival_seen_at > ${SILENT_SINCE} THEN rival_hostname END`;
