/** Data of metrics over all tenants: one statement for each kind of thing, with a limited number of rows. */
import { sql, type RawBuilder } from 'kysely';
import { COLLECTED_TYPES, ENTRY_KINDS, MODULE_TYPES, type EntryType } from '../../api/entries/entry-kinds.ts';
import type { SystemTx } from '../database/database.ts';
import { notSilent } from '../holding/leases.ts';
import { SILENT_SINCE } from '../holding/sessions.ts';
import type { JobState } from '../../api/activity/jobs.ts';
import type { FirewallClient } from '../../api/firewall/firewall-clients.ts';
import { SILENT_SECONDS } from '../firewall/firewall-clients.ts';

/** Of the modules that have entries of this kind. */
function typeOf(table: EntryType): string {
  return MODULE_TYPES.find((type) => ENTRY_KINDS[type].entry === table)!;
}

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
  const ofModule = (table: string): RawBuilder<unknown> => sql`
    FROM ${sql.table(table)} WHERE tenant_id = module.tenant_id AND module_id = module.id AND enabled`;
  const oldest = COLLECTED_TYPES.map(
    (table) => sql`
    (SELECT last_refreshed_at ${ofModule(table)} AND module.type = ${typeOf(table)} ORDER BY last_refreshed_at LIMIT 1)`,
  );
  const stale = COLLECTED_TYPES.map(
    (table) => sql`
    WHEN ${typeOf(table)} THEN (SELECT count(*) ${ofModule(table)} AND status IN ('stale', 'failed'))`,
  );
  return some(
    tx,
    sql`
    SELECT module.tenant_id, module.id AS place, module.id, module.type, tenant.slug AS tenant, module.name AS module,
           extract(epoch FROM now() - oldest.last_refreshed_at)::float8 AS age
      FROM module
      JOIN tenant ON tenant.id = module.tenant_id,
           LATERAL (${sql.join(oldest, sql` UNION ALL `)}) oldest
     WHERE module.enabled AND module.type IN (${sql.join(COLLECTED_TYPES.map(typeOf))})`,
    sql`, CASE module.type ${sql.join(stale, sql` `)} END AS stale`,
    'module',
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

/** Maintenance policies by how their last run ended. */
export async function countMaintenancePolicies(
  tx: SystemTx,
): Promise<(TenantRow & { readonly state: PolicyState })[]> {
  const { rows } = await sql<TenantRow & { readonly state: PolicyState }>`
    SELECT tenant.slug AS tenant, state, count(policy.id) AS count
      FROM tenant
      JOIN maintenance_policy policy ON policy.tenant_id = tenant.id
      LEFT JOIN LATERAL (SELECT job.state AS ended FROM job
                          WHERE job.tenant_id = policy.tenant_id AND job.resource_id = policy.id
                          ORDER BY job.id DESC LIMIT 1) last ON true,
           LATERAL (SELECT CASE WHEN NOT policy.enabled THEN 'disabled' ELSE coalesce(last.ended, 'never_run') END AS state) found
     GROUP BY tenant.id, state ORDER BY tenant.id, state LIMIT ${ROWS_OF_A_KIND}`.execute(tx.sql);
  return rows;
}

type PolicyState = JobState | 'disabled' | 'never_run';

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

/**
 * @param kind selects `tenant_id` and `place`, by which the rows of a tenant are ordered, beside the rest
 * @param more is read of the rows that are shown alone, under that name
 */
async function some<Row>(
  tx: SystemTx,
  kind: RawBuilder<unknown>,
  more: RawBuilder<unknown> = sql``,
  name = 'one',
): Promise<Some<Row>> {
  const { rows } = await sql<Row & { total: number }>`
    SELECT ${sql.ref(name)}.* ${more} FROM (SELECT * FROM (
      SELECT kind.*, count(*) OVER () AS total,
             row_number() OVER (PARTITION BY tenant_id ORDER BY place) AS row_of_tenant
        FROM (${kind}) kind) numbered
     WHERE row_of_tenant <= ${ROWS_OF_A_TENANT}
     ORDER BY row_of_tenant, tenant_id LIMIT ${ROWS_OF_A_KIND}) ${sql.ref(name)}`.execute(tx.sql);
  return { rows, total: rows[0]?.total ?? 0 };
}
