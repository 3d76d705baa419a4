/** Data of metrics over all tenants: one statement for each kind of thing, with a limited number of rows. */
import { sql, type RawBuilder } from 'kysely';
import type { SystemTx } from '../database/database.ts';
import { COLLECTED_TABLES } from '../database/entry-tables.ts';
import { notSilent } from '../holding/leases.ts';
import { SILENT_SINCE } from '../holding/sessions.ts';
import type { FirewallClient } from '../../api/firewall/firewall-clients.ts';
import { SILENT_SECONDS } from '../firewall/firewall-clients.ts';

/** Rows of a kind for one tenant, the oldest, so that no tenant displaces the others; and for all tenants together. */
const ROWS_OF_A_TENANT = 500;
const ROWS_OF_A_KIND = 2_000;

/** Some of the rows, and how many there are. */
export interface Some<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

export interface SpeakerRow {
  readonly tenant: string;
  readonly speaker: string;
  readonly revision: number;
  readonly ipv4: number;
  readonly ipv6: number;
}

export interface SessionRow {
  readonly tenant: string;
  readonly speaker: string;
  readonly peer: string;
  readonly state: string;
}

export interface ModuleRow {
  readonly tenant: string;
  readonly module: string;
  /** Age of the last good answer, for the source with the oldest; null: none ever gave one. */
  readonly age: number | null;
  readonly stale: number;
}

export interface TenantRow {
  readonly tenant: string;
  readonly count: number;
}

export interface LeaseRow {
  readonly state: 'held' | 'lapsed' | 'none';
  readonly count: number;
}

/** Enabled speakers that run a revision. */
export function readSpeakers(tx: SystemTx): Promise<Some<SpeakerRow>> {
  return some(
    tx,
    sql`
    SELECT speaker.tenant_id, speaker.id AS place, tenant.slug AS tenant, speaker.name AS speaker,
           revision.number AS revision, revision.prefix_count_ipv4 AS ipv4, revision.prefix_count_ipv6 AS ipv6
      FROM speaker
      JOIN tenant ON tenant.id = speaker.tenant_id
      JOIN revision ON revision.tenant_id = speaker.tenant_id AND revision.id = speaker.applied_revision_id
     WHERE speaker.enabled`,
  );
}

/** Sessions of enabled speakers; those of silent holders count as idle, as everywhere. */
export function readSessions(tx: SystemTx): Promise<Some<SessionRow>> {
  return some(
    tx,
    sql`
    SELECT session.tenant_id, session.peer_id AS place, tenant.slug AS tenant, speaker.name AS speaker, peer.name AS peer,
           CASE WHEN session.reported_at > ${SILENT_SINCE} THEN session.state ELSE 'idle' END AS state
      FROM speaker_session session
      JOIN tenant ON tenant.id = session.tenant_id
      JOIN speaker ON speaker.tenant_id = session.tenant_id AND speaker.id = session.speaker_id AND speaker.enabled
      JOIN peer ON peer.tenant_id = session.tenant_id AND peer.id = session.peer_id`,
  );
}

/** Enabled modules that are read from somewhere. */
export function readModules(tx: SystemTx): Promise<Some<ModuleRow>> {
  const sources = (table: string): RawBuilder<unknown> => sql`
    SELECT tenant_id, module_id, min(last_refreshed_at) AS oldest,
           count(*) FILTER (WHERE status IN ('stale', 'failed')) AS stale
      FROM ${sql.table(table)} WHERE enabled GROUP BY tenant_id, module_id`;
  return some(
    tx,
    sql`
    SELECT module.tenant_id, module.id AS place, tenant.slug AS tenant, module.name AS module,
           extract(epoch FROM now() - sources.oldest)::float8 AS age, sources.stale
      FROM (${sql.join(COLLECTED_TABLES.map(sources), sql` UNION ALL `)}) sources
      JOIN module ON module.tenant_id = sources.tenant_id AND module.id = sources.module_id AND module.enabled
      JOIN tenant ON tenant.id = module.tenant_id`,
  );
}

/** Firewall clients by their last report; those without a recent one are silent. */
export async function countFirewallClients(
  tx: SystemTx,
): Promise<(TenantRow & { readonly state: FirewallState })[]> {
  const { rows } = await sql<TenantRow & { readonly state: FirewallState }>`
    SELECT tenant.slug AS tenant, state, count(client.id) AS count
      FROM tenant
      JOIN firewall_client client ON client.tenant_id = tenant.id,
           LATERAL (SELECT CASE WHEN client.last_seen_at > now() - make_interval(secs => ${SILENT_SECONDS})
                                THEN client.status ELSE 'silent' END AS state) reported
     GROUP BY tenant.id, state ORDER BY tenant.id, state LIMIT ${ROWS_OF_A_KIND}`.execute(tx.sql);
  return rows;
}

type FirewallState = FirewallClient['status'] | 'silent';

/** Held revisions that are newer than the newest ready one; older ones no longer matter. */
export async function countHeldRevisions(tx: SystemTx): Promise<TenantRow[]> {
  const { rows } = await sql<TenantRow>`
    SELECT tenant.slug AS tenant, count(held.id) AS count
      FROM tenant
      LEFT JOIN revision held ON held.tenant_id = tenant.id AND held.state = 'held'
            AND held.number > coalesce((SELECT max(number) FROM revision ready
                                         WHERE ready.tenant_id = tenant.id AND ready.state = 'ready'), 0)
     GROUP BY tenant.id ORDER BY tenant.id LIMIT ${ROWS_OF_A_KIND}`.execute(tx.sql);
  return rows;
}

/** Modules that a guardrail holds, those that are gone and stay in revisions among them. */
export async function countHeldModules(tx: SystemTx): Promise<TenantRow[]> {
  const { rows } = await sql<TenantRow>`
    SELECT tenant.slug AS tenant, count(held.module_id) AS count
      FROM tenant
      LEFT JOIN (SELECT tenant_id, module_id FROM held_snapshot
                  UNION
                 SELECT tenant_id, module_id FROM held_withdrawal) held ON held.tenant_id = tenant.id
     GROUP BY tenant.id ORDER BY tenant.id LIMIT ${ROWS_OF_A_KIND}`.execute(tx.sql);
  return rows;
}

/** Enabled speakers by whether the process or node that holds them reports. */
export async function countLeases(tx: SystemTx): Promise<LeaseRow[]> {
  const { rows } = await sql<LeaseRow>`
    SELECT CASE WHEN lease.holder IS NULL THEN 'none' WHEN ${notSilent('lease')} THEN 'held' ELSE 'lapsed' END AS state,
           count(*) AS count
      FROM speaker
      LEFT JOIN speaker_lease lease ON lease.tenant_id = speaker.tenant_id AND lease.speaker_id = speaker.id
     WHERE speaker.enabled GROUP BY 1`.execute(tx.sql);
  return rows;
}

/** @param kind selects `tenant_id` and `place`, by which the rows of a tenant are ordered, beside the rest */
async function some<Row>(tx: SystemTx, kind: RawBuilder<unknown>): Promise<Some<Row>> {
  const { rows } = await sql<Row & { total: number }>`
    SELECT * FROM (
      SELECT kind.*, count(*) OVER () AS total,
             row_number() OVER (PARTITION BY tenant_id ORDER BY place) AS row_of_tenant
        FROM (${kind}) kind) numbered
     WHERE row_of_tenant <= ${ROWS_OF_A_TENANT}
     ORDER BY row_of_tenant, tenant_id LIMIT ${ROWS_OF_A_KIND}`.execute(tx.sql);
  return { rows, total: rows[0]?.total ?? 0 };
}
