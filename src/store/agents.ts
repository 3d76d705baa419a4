import { sql } from 'kysely';
import type { TenantTx } from './database.ts';
import { SILENT_SINCE } from './sessions.ts';

/** An agent that has not reported for so long is told as unreachable. */
export const AGENT_LEASE_SECONDS = 30;
/** Often enough for `last_seen_at`, and no row of a speaker is written with every report. */
const SEEN_SECONDS = 2;

export interface AgentIdentity {
  readonly version: string;
  readonly hostname: string;
}

/** Notes that the agent of the speaker has called, and how it calls itself. */
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
    .where(
      sql<boolean>`(agent_version, agent_hostname) IS DISTINCT FROM (${version}::text, ${hostname}::text)
                   OR agent_last_seen_at IS NULL OR agent_last_seen_at < now() - make_interval(secs => ${SEEN_SECONDS})`,
    )
    .execute();
}

/**
 * Has this run of an agent hold the speaker. Of two with the same identity the one that was started later does, which its UUIDv7
 * tells, until it is silent; the other one is noted as its rival.
 * @returns whether it holds the speaker
 */
export async function holdAsAgent(
  tx: TenantTx,
  speakerId: string,
  runId: string,
  hostname: string,
): Promise<boolean> {
  const { rows } = await sql<{ holder: string }>`
    INSERT INTO speaker_lease AS lease (tenant_id, speaker_id, holder, expires_at)
    VALUES (${tx.tenantId}, ${speakerId}, ${runId}::uuid,
            clock_timestamp() + make_interval(secs => ${AGENT_LEASE_SECONDS}))
    ON CONFLICT (tenant_id, speaker_id) DO UPDATE
       SET holder = excluded.holder, expires_at = excluded.expires_at
     WHERE lease.holder <= excluded.holder OR lease.expires_at < clock_timestamp()
    RETURNING holder`.execute(tx.sql);
  if (rows.length > 0) return true;
  await tx.sql
    .updateTable('speaker_lease')
    .set({ rival_hostname: hostname, rival_seen_at: sql<string>`now()` })
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .execute();
  return false;
}

/** What a reader should know of a second agent that reports at the same time; null: there is none. */
export const RIVAL = sql<string | null>`CASE WHEN rival_seen_at > ${SILENT_SINCE} THEN rival_hostname END`;
