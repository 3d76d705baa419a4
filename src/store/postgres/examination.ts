/** What somebody who examines a service wants to know of its database, asked over a connection of the owner. */
// cspell:ignore rolbypassrls rolname rolsuper
import type pg from 'pg';
import { SCHEMA } from '../database/migrate.ts';

export interface ServerFacts {
  readonly version: string;
  readonly versionNumber: number;
  readonly isStandby: boolean;
  /** Milliseconds since 1970 by the clock of the database. */
  readonly time: number;
  /** Seconds by which a standby is behind its primary; null: it is none, or nobody knows. */
  readonly replayLagSeconds: number | null;
  readonly connectionsLeft: number;
}

export async function readServerFacts(client: pg.Client): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS "versionNumber",
            pg_is_in_recovery() AS "isStandby", extract(epoch FROM clock_timestamp())::float8 * 1000 AS time,
            CASE WHEN pg_is_in_recovery() THEN extract(epoch FROM now() - pg_last_xact_replay_timestamp())::float8 END AS "replayLagSeconds",
            current_setting('max_connections')::int - (SELECT count(*)::int FROM pg_stat_activity) AS "connectionsLeft"`,
  );
  return rows[0]!;
}

export interface Standby {
  readonly name: string;
  /** Bytes of the log that it has not replayed; null: this user may not know. */
  readonly lagBytes: number | null;
}

export async function readStandbys(client: pg.Client): Promise<Standby[]> {
  const { rows } = await client.query<Standby>(
    `SELECT coalesce(nullif(application_name, ''), host(client_addr), 'unnamed') AS name,
            pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 AS "lagBytes"
       FROM pg_stat_replication ORDER BY 1`,
  );
  return rows;
}

/** The roles of transactions that the user may not take on. */
export async function readMissingRoles(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT needed AS name FROM unnest(ARRAY['prefixcast_tenant', 'prefixcast_system']) needed
       LEFT JOIN pg_roles ON rolname = needed
      WHERE rolname IS NULL OR NOT pg_has_role(current_user, rolname, 'MEMBER')`,
  );
  return rows.map(({ name }) => name);
}

/** Whether row level security, which keeps tenants apart, does not hold for the user. */
export async function isAboveRowSecurity(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ above: boolean }>(
    'SELECT rolsuper OR rolbypassrls AS above FROM pg_roles WHERE rolname = current_user',
  );
  return rows[0]?.above === true;
}

export interface ExaminedResolver {
  readonly tenant: string;
  readonly tenantId: string;
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly bootstrapAddresses: readonly string[];
  readonly timeoutMs: number;
  readonly headersSealed: Buffer | null;
  /** A domain that modules ask it for, one that it has resolved where there is any; null: none do. */
  readonly domain: string | null;
}

/** The DoH profiles that modules ask, of every tenant. To be read by whoever sees all tenants, as the next one. */
export async function readResolvers(client: pg.Client): Promise<ExaminedResolver[]> {
  const { rows } = await client.query<ExaminedResolver>(
    `SELECT slug AS tenant, tenant_id::text AS "tenantId", p.id::text AS id, p.name, url, method,
            bootstrap_addresses AS "bootstrapAddresses", timeout_ms AS "timeoutMs", headers_sealed AS "headersSealed",
            (SELECT e.domain FROM ${SCHEMA}.domain_entry e
               JOIN ${SCHEMA}.module m ON m.tenant_id = e.tenant_id AND m.id = e.module_id
              WHERE e.tenant_id = p.tenant_id AND e.enabled AND m.enabled AND p.id = ANY (m.doh_profile_ids)
              ORDER BY e.status <> 'ok', e.id LIMIT 1) AS domain
       FROM ${SCHEMA}.doh_profile p JOIN ${SCHEMA}.tenant t ON t.id = tenant_id
      WHERE enabled AND t.status = 'active' ORDER BY slug, p.name LIMIT 20`,
  );
  return rows;
}

/** The daemons of enabled speakers of this machine. */
export async function readLocalDaemons(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ daemon: string }>(
    `SELECT DISTINCT daemon FROM ${SCHEMA}.speaker WHERE enabled AND mode = 'local' ORDER BY 1`,
  );
  return rows.map(({ daemon }) => daemon);
}

export interface ExaminedHold {
  readonly tenant: string;
  readonly id: string;
  readonly name: string;
  /** It was deleted, and stays in revisions. */
  readonly isDeleted: boolean;
  readonly codes: readonly string[];
}

/** The modules that guardrails hold, of every tenant that is active. */
export async function readHolds(client: pg.Client): Promise<ExaminedHold[]> {
  const { rows } = await client.query<ExaminedHold>(
    `SELECT t.slug AS tenant, held.module_id::text AS id, coalesce(m.name, min(held.name)) AS name, m.id IS NULL AS "isDeleted",
            array_agg(DISTINCT finding ->> 'code') AS codes
       FROM (SELECT tenant_id, module_id, NULL::text AS name, findings FROM ${SCHEMA}.held_snapshot
             UNION ALL SELECT tenant_id, module_id, name, findings FROM ${SCHEMA}.held_withdrawal) held
       JOIN ${SCHEMA}.tenant t ON t.id = held.tenant_id AND t.status = 'active'
       LEFT JOIN ${SCHEMA}.module m ON m.tenant_id = held.tenant_id AND m.id = held.module_id
      CROSS JOIN LATERAL jsonb_array_elements(held.findings) finding
      GROUP BY t.slug, held.module_id, m.id, m.name ORDER BY t.slug, 3`,
  );
  return rows;
}

export interface PeerBehind {
  readonly tenant: string;
  readonly name: string;
  readonly speaker: string;
  /** Why it was reverted; null: its limit is lower than what the speaker runs. */
  readonly error: string | null;
}

/** Enabled peers that hold less than their enabled speakers run, or an older revision, of every tenant that is active. */
export async function readPeersBehind(client: pg.Client): Promise<PeerBehind[]> {
  const { rows } = await client.query<PeerBehind>(
    `SELECT t.slug AS tenant, p.name, s.name AS speaker, behind.error
       FROM (SELECT tenant_id, speaker_id, peer_id, error FROM ${SCHEMA}.reverted_peer
             UNION ALL
             SELECT tenant_id, speaker_id, (peer ->> 'peer_id')::uuid, NULL
               FROM (SELECT DISTINCT ON (tenant_id, speaker_id) tenant_id, speaker_id, peers FROM ${SCHEMA}.speaker_apply
                      WHERE state NOT IN ('superseded', 'planned', 'skipped')
                      ORDER BY tenant_id, speaker_id, sequence DESC, id DESC) newest
              CROSS JOIN LATERAL jsonb_array_elements(coalesce(peers, '[]'::jsonb)) peer
              WHERE peer ->> 'status' = 'over_limit') behind
       JOIN ${SCHEMA}.tenant t ON t.id = behind.tenant_id AND t.status = 'active'
       JOIN ${SCHEMA}.speaker s ON s.tenant_id = behind.tenant_id AND s.id = behind.speaker_id AND s.enabled
       JOIN ${SCHEMA}.peer p ON p.tenant_id = behind.tenant_id AND p.id = behind.peer_id AND p.enabled
      ORDER BY 1, 2, 3`,
  );
  return rows;
}

export interface SessionDown {
  readonly tenant: string;
  readonly name: string;
  readonly speaker: string;
  /** What happened to it last; null: nothing is known. */
  readonly error: string | null;
  /** Nobody has reported it of late. */
  readonly is_silent: boolean;
}

/** Sessions that enabled peers and speakers of active tenants should have, and that nobody has reported as established of late. */
export async function readSessionsDown(client: pg.Client): Promise<SessionDown[]> {
  const { rows } = await client.query<SessionDown>(
    `SELECT t.slug AS tenant, p.name, s.name AS speaker,
            CASE WHEN old.is_silent THEN 'nobody has reported it since ' || ${SCHEMA}.rfc3339(own.reported_at) ELSE own.last_error END AS error,
            coalesce(old.is_silent, false) AS is_silent
       FROM ${SCHEMA}.peer p
       JOIN ${SCHEMA}.tenant t ON t.id = p.tenant_id AND t.status = 'active'
       JOIN ${SCHEMA}.speaker s ON s.tenant_id = p.tenant_id AND s.enabled
       LEFT JOIN ${SCHEMA}.speaker_session own
         ON own.tenant_id = p.tenant_id AND own.speaker_id = s.id AND own.peer_id = p.id
      CROSS JOIN LATERAL (SELECT own.reported_at < now() - interval '15 seconds' AS is_silent) old
      WHERE p.enabled AND (own.state IS DISTINCT FROM 'established' OR old.is_silent)
        AND (NOT EXISTS (SELECT FROM ${SCHEMA}.peer_speaker l WHERE l.tenant_id = p.tenant_id AND l.peer_id = p.id)
             OR EXISTS (SELECT FROM ${SCHEMA}.peer_speaker l
                         WHERE l.tenant_id = p.tenant_id AND l.peer_id = p.id AND l.speaker_id = s.id))
      ORDER BY 1, 2, 3`,
  );
  return rows;
}

export interface FrozenTenant {
  readonly tenant: string;
  readonly since: Date;
}

/** Active tenants whose setting `deploy_freeze` is on. */
export async function readFrozenTenants(client: pg.Client): Promise<FrozenTenant[]> {
  const { rows } = await client.query<FrozenTenant>(
    `SELECT t.slug AS tenant, setting.updated_at AS since FROM ${SCHEMA}.setting
       JOIN ${SCHEMA}.tenant t ON t.id = setting.tenant_id AND t.status = 'active'
      WHERE key = 'deploy_freeze' AND value = 'true' ORDER BY 1`,
  );
  return rows;
}

/** What became of the key with this secret; null: no key has it, or had it before its last rotation. */
export async function readKeyState(
  client: pg.Client,
  hash: Buffer,
): Promise<'valid' | 'revoked' | 'expired' | 'rotated' | null> {
  const { rows } = await client.query<{ state: 'valid' | 'revoked' | 'expired' | 'rotated' }>(
    `SELECT CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
                 WHEN expires_at <= now() THEN 'expired'
                 WHEN secret_hash = $1 OR previous_valid_until > now() THEN 'valid' ELSE 'rotated' END AS state
       FROM ${SCHEMA}.api_key WHERE secret_hash = $1 OR previous_secret_hash = $1`,
    [hash],
  );
  return rows[0]?.state ?? null;
}
