/** Fills a database with many of everything, by SQL: a million requests would take hours. */
import pg from 'pg';
import type { DatabaseAddress } from '../../src/store/database/database-address.ts';

/** How many there are of each. */
export interface Scale {
  /** In one module of ranges; the module of each other kind has a tenth, and a thousand at least. */
  readonly entries: number;
  readonly jobs: number;
  readonly auditRecords: number;
  readonly modules: number;
  readonly tenants: number;
}

/** Ids in the order of numbers, before all that the service gives. */
export function idOf(kind: Kind, number: number): string {
  return `${(0x0100_0000 + number).toString(16).padStart(8, '0')}-${KINDS[kind]}-7000-8000-000000000000`;
}

const KINDS = {
  module: '0001',
  ip_range_entry: '0002',
  as_entry: '0003',
  domain_entry: '0004',
  cdn_source: '0005',
  geofeed_entry: '0006',
  job: '0007',
  audit_record: '0008',
  tenant: '0009',
} as const;
type Kind = keyof typeof KINDS;

/** Modules that hold entries are the first ones. */
export const MODULE_OF = {
  ip_range_entry: { number: 1, type: 'IP_RANGES' },
  as_entry: { number: 2, type: 'AS_PREFIXES' },
  domain_entry: { number: 3, type: 'DOMAINS' },
  cdn_source: { number: 4, type: 'CDN_SOURCES' },
  geofeed_entry: { number: 5, type: 'GEOFEED' },
} as const;
export type EntryKind = keyof typeof MODULE_OF;

/** Of the first tenant. */
export async function fill(address: DatabaseAddress, scale: Scale): Promise<void> {
  const client = new pg.Client({ ...address, user: 'postgres' });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string }>(
      'SELECT id FROM prefixcast.tenant ORDER BY id LIMIT 1',
    );
    await fillTenant(client, rows[0]!.id, scale);
  } finally {
    await client.end();
  }
}

/** Triggers do not fire meanwhile; what they would have counted is counted at the end. @param client of a superuser */
export async function fillTenant(client: pg.Client, tenantId: string, scale: Scale): Promise<void> {
  const tenant = `'${tenantId}'::uuid`;
  await client.query(
    'SET search_path = prefixcast; SET session_replication_role = replica; SET synchronous_commit = off',
  );
  for (const table of Object.keys(MODULE_OF)) await client.query(`DROP INDEX IF EXISTS ${table}_search`);
  for (const statement of statementsFor(tenant, scale)) await client.query(statement);
  await client.query('SELECT make_search_indexes()');
  await client.query('RESET session_replication_role');
  await client.query(`UPDATE tenant_quota SET maximum = 100000000 WHERE tenant_id = ${tenant}`);
  await recount(client, tenant);
  await client.query('VACUUM (ANALYZE)');
}

/** Entries of each kind but ranges. */
export function someOf({ entries }: Pick<Scale, 'entries'>): number {
  return Math.max(1_000, Math.ceil(entries / 10));
}

function* statementsFor(tenant: string, scale: Scale): Generator<string> {
  const some = someOf(scale);
  // As many of each are disabled, however many there are: a page of them is as long.
  const [rarely, ofSome] = [scale.entries, some].map((count) => Math.max(10, Math.floor(count / 100)));
  yield `INSERT INTO tenant (id, name, slug)
         SELECT ${id('tenant')}, 'tenant ' || n, 'tenant-' || n FROM generate_series(1, ${scale.tenants}) n`;
  yield `INSERT INTO tenant_quota (tenant_id, resource, maximum)
         SELECT t.id, d.resource, d.maximum FROM tenant t CROSS JOIN default_quotas() d ON CONFLICT DO NOTHING`;
  yield `INSERT INTO module (tenant_id, id, name, name_key, type)
         SELECT ${tenant}, ${id('module')}, 'module ' || n, name_key('module ' || n), ${typeOfModule()}
           FROM generate_series(1, ${scale.modules}) n`;
  yield `INSERT INTO ip_range_entry (tenant_id, id, module_id, cidr, note, enabled)
         SELECT ${tenant}, ${id('ip_range_entry')}, ${moduleOf('ip_range_entry')}, set_masklen('8.0.0.0'::inet + n::bigint * 4, 32)::cidr,
                'customer ' || n, n % ${rarely} <> 0
           FROM generate_series(1, ${scale.entries}) n`;
  yield `INSERT INTO as_entry (tenant_id, id, module_id, asn, note, status, enabled)
         SELECT ${tenant}, ${id('as_entry')}, ${moduleOf('as_entry')}, 1000000 + n, 'customer ' || n, 'ok', n % ${ofSome} <> 0
           FROM generate_series(1, ${some}) n`;
  yield `INSERT INTO domain_entry (tenant_id, id, module_id, domain, note, status, enabled)
         SELECT ${tenant}, ${id('domain_entry')}, ${moduleOf('domain_entry')}, 'host' || n || '.example.net', 'customer ' || n, 'ok', n % ${ofSome} <> 0
           FROM generate_series(1, ${some}) n`;
  yield `INSERT INTO cdn_source (tenant_id, id, module_id, name, name_key, url, status, enabled)
         SELECT ${tenant}, ${id('cdn_source')}, ${moduleOf('cdn_source')}, 'source ' || n, name_key('source ' || n),
                'https://lists.example.net/' || n, 'ok', n % ${ofSome} <> 0
           FROM generate_series(1, ${some}) n`;
  yield `INSERT INTO geofeed_entry (tenant_id, id, module_id, name, name_key, url, countries, status, enabled)
         SELECT ${tenant}, ${id('geofeed_entry')}, ${moduleOf('geofeed_entry')}, 'feed ' || n, name_key('feed ' || n),
                'https://feeds.example.net/' || n, '{DE}', 'ok', n % ${ofSome} <> 0
           FROM generate_series(1, ${some}) n`;
  yield `INSERT INTO job (tenant_id, id, type, state, input, queued_at, started_at, finished_at, created_at, updated_at,
                          resource_type, resource_id, requested_by)
         SELECT ${tenant}, ${id('job')}, (ARRAY['module_refresh', 'revision_build', 'apply'])[1 + n % 3], 'succeeded', '{}',
                at, at, at, at, at, 'module', ${id('module', `1 + n % ${scale.modules}`)}, 'key:filler'
           FROM (SELECT n, date_trunc('milliseconds', now() - (${scale.jobs} - n) * interval '1 second') AS at
                   FROM generate_series(1, ${scale.jobs}) n) made`;
  yield `INSERT INTO audit_record (tenant_id, id, at, actor, action, severity, resource_type, resource_id, resource_name)
         SELECT ${tenant}, ${id('audit_record')}, date_trunc('milliseconds', now() - (${scale.auditRecords} - n) * interval '1 second'),
                'key:person ' || n % 50, (ARRAY['module.change', 'peer.change', 'apply.run'])[1 + n % 3],
                (ARRAY['info', 'notice'])[1 + n % 2], (ARRAY['module', 'peer', 'apply'])[1 + n % 3],
                ${id('module', `1 + n % ${scale.modules}`)}::text, 'module ' || n % ${scale.modules}
           FROM generate_series(1, ${scale.auditRecords}) n`;
}

/** What triggers count. */
async function recount(client: pg.Client, tenant: string): Promise<void> {
  const each = (Object.keys(MODULE_OF) as EntryKind[]).map(
    (table) => `SELECT tenant_id, module_id FROM ${table}`,
  );
  await client.query(
    `INSERT INTO module_entry_count (tenant_id, module_id, entries)
     SELECT tenant_id, module_id, count(*) FROM (${each.join(' UNION ALL ')}) e WHERE tenant_id = ${tenant} GROUP BY 1, 2`,
  );
  await client.query(
    `INSERT INTO tenant_entry_count (tenant_id, entries)
     SELECT tenant_id, sum(entries) FROM module_entry_count WHERE tenant_id = ${tenant} GROUP BY 1`,
  );
  await client.query(
    `INSERT INTO ended_job_count (tenant_id, state, jobs)
     SELECT tenant_id, state, count(*) FROM job WHERE tenant_id = ${tenant} AND state NOT IN ('queued', 'running') GROUP BY 1, 2`,
  );
}

function id(kind: Kind, number = 'n'): string {
  return `(lpad(to_hex(${0x0100_0000} + ${number}), 8, '0') || '-${KINDS[kind]}-7000-8000-000000000000')::uuid`;
}

function moduleOf(kind: EntryKind): string {
  return `'${idOf('module', MODULE_OF[kind].number)}'::uuid`;
}

function typeOfModule(): string {
  const cases = Object.values(MODULE_OF).map(({ number, type }) => `WHEN ${number} THEN '${type}'`);
  return `CASE n ${cases.join(' ')} ELSE 'IP_RANGES' END`;
}
