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
}

/** The DoH profiles that modules ask, of every tenant. To be read by whoever sees all tenants, as the next one. */
export async function readResolvers(client: pg.Client): Promise<ExaminedResolver[]> {
  const { rows } = await client.query<ExaminedResolver>(
    `SELECT slug AS tenant, tenant_id::text AS "tenantId", p.id::text AS id, p.name, url, method,
            bootstrap_addresses AS "bootstrapAddresses", timeout_ms AS "timeoutMs", headers_sealed AS "headersSealed"
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
