import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { ENTRY_TYPES } from '../../api/entries/entry-kinds.ts';
import type { JobType } from '../../api/activity/jobs.ts';
import type { Page } from '../../api/shapes/page.ts';
import { Problem, notFound } from '../../api/problems/problem.ts';
import type { TenantPolicy } from '../../api/access/tenant-policy.ts';
import type { Tenant, TenantPatch, TenantQuery } from '../../api/access/tenants.ts';
import { forgetRemovals } from '../database/actor.ts';
import type { SystemTx, TenantTx, Versioned } from '../database/database.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import { containing, readPage } from '../database/pagination.ts';
import { QUOTAS_OF_TENANT, USAGE_OF_TENANT, updateQuotas } from './quotas.ts';
import { nextVersion, versioned } from '../versions.ts';

const COLUMNS = ['id', 'created_at', 'updated_at', 'name', 'slug', 'status', 'policy'] as const;

/** Null of a tenant that is not stopped. */
const ANNOUNCING_NODES = sql<number | null>`
  CASE WHEN tenant.status = 'stopped' THEN (
    SELECT count(DISTINCT s.speaker_id)::integer
      FROM speaker_session s
      JOIN speaker ON speaker.tenant_id = s.tenant_id AND speaker.id = s.speaker_id AND speaker.mode = 'agent'
     WHERE s.tenant_id = tenant.id AND (s.state = 'established' OR s.routes_exported > 0)) END`;

function select(tx: SystemTx) {
  return tx.sql
    .selectFrom('tenant')
    .select([...COLUMNS, 'version'])
    .select([QUOTAS_OF_TENANT.as('quotas'), USAGE_OF_TENANT.as('usage')])
    .select(ANNOUNCING_NODES.as('announcing_nodes'));
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ version: _, announcing_nodes: nodes, ...tenant }: Row): Tenant {
  return nodes === null ? tenant : { ...tenant, announcing_nodes: nodes };
}

/** @param asker the tenant whose key asks: cursors are valid only for it */
export function listTenants(tx: SystemTx, asker: string, query: TenantQuery): Promise<Page<Tenant>> {
  const { status, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(status !== undefined, (rows) => rows.where('status', '=', status!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) => eb.or([eb('name', 'ilike', containing(q!)), eb('slug', 'ilike', containing(q!))])),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage({ tenantId: asker, sql: tx.sql }, 'tenants', query, fetch, present);
}

export async function getTenant(tx: SystemTx, id: string): Promise<Versioned<Tenant>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('tenant', id);
  return versioned(row, present);
}

/** A tenant with the default quotas. */
export async function insertTenant(
  tx: SystemTx,
  { name, slug, policy }: Pick<Tenant, 'name' | 'slug' | 'policy'>,
): Promise<Tenant> {
  const id = uuidv7();
  const insert = tx.sql.insertInto('tenant').values({ id, name, slug, policy: JSON.stringify(policy) });
  await mapConstraintErrors('tenant', { name, slug }, insert.execute());
  return (await getTenant(tx, id)).resource;
}

/** Whether there is more than one tenant. */
export async function hasSeveralTenants(tx: SystemTx): Promise<boolean> {
  return (await tx.sql.selectFrom('tenant').select('id').limit(2).execute()).length > 1;
}

export async function findTenantSlug(tx: SystemTx, id: string): Promise<string | null> {
  const row = await tx.sql.selectFrom('tenant').select('slug').where('id', '=', id).executeTakeFirst();
  return row?.slug ?? null;
}

export async function findTenantBySlug(tx: SystemTx, slug: string): Promise<Tenant | null> {
  const row = await select(tx).where('slug', '=', slug).executeTakeFirst();
  return row === undefined ? null : present(row);
}

/**
 * Locks the tenant until the transaction ends; see lockForChange in versions.ts. Its resources can change meanwhile, but none of its jobs
 * is parked.
 */
export async function lockTenantForChange(
  tx: SystemTx,
  id: string,
  version: number | null,
): Promise<Pick<Tenant, 'slug' | 'status' | 'policy'>> {
  const row = await tx.sql
    .selectFrom('tenant')
    .select(['slug', 'status', 'policy', 'version'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (row === undefined) throw notFound('tenant', id);
  if (version !== null && row.version !== version)
    throw new Problem(
      'precondition_failed',
      'The tenant has been changed since it was read. Read it again, and repeat the change with its new ETag.',
    );
  return row;
}

export async function updateTenant(
  tx: SystemTx,
  id: string,
  { quotas = {}, policy, ...patch }: Omit<TenantPatch, 'policy'> & { readonly policy?: TenantPolicy },
): Promise<Versioned<Tenant>> {
  await tx.sql
    .updateTable('tenant')
    .set({
      ...patch,
      ...(policy === undefined ? {} : { policy: JSON.stringify(policy) }),
      ...nextVersion,
    })
    .where('id', '=', id)
    .execute();
  await updateQuotas(tx, id, quotas);
  return getTenant(tx, id);
}

/** The transaction's tenant. */
export type OwnTenant = Pick<Tenant, 'slug' | 'status' | 'policy'>;

/** The transaction's tenant, with what the service needs to know. */
export function readOwnTenant(tx: TenantTx): Promise<OwnTenant> {
  return tx.sql
    .selectFrom('tenant')
    .select(['slug', 'status', 'policy'])
    .where('id', '=', tx.tenantId)
    .executeTakeFirstOrThrow();
}

/** Jobs that were due while their tenant was suspended or stopped. */
export interface ParkedJob {
  readonly tenant_id: string;
  readonly id: string;
  readonly type: JobType;
}

/** Active tenants that have some all the same. */
export async function tenantsWithParkedJobs(tx: SystemTx): Promise<string[]> {
  const rows = await tx.sql
    .selectFrom('tenant')
    .select('id')
    .where('status', '=', 'active')
    .where(
      sql<boolean>`EXISTS (SELECT FROM job WHERE job.tenant_id = tenant.id AND state = 'queued' AND parked_at IS NOT NULL)`,
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Takes the tenant's jobs out of the park: each of them needs a message. */
export async function unparkJobs(tx: SystemTx, tenantId: string): Promise<ParkedJob[]> {
  return tx.sql
    .updateTable('job')
    .set({ parked_at: null })
    .where('tenant_id', '=', tenantId)
    .where('state', '=', 'queued')
    .where('parked_at', 'is not', null)
    .returning(['tenant_id', 'id', 'type'])
    .execute();
}

/** There may be millions of these: they are deleted in parts, because no statement may take long. */
const LARGE_TABLES = ENTRY_TYPES;
const ROWS_AT_ONCE = 100_000;
/**
 * Tables that other rows refer to are deleted after those; tables that are not named here are deleted with the tenant itself. Jobs are
 * deleted before it: writing one also writes an event, which waits for the tenant. Tokens with which nobody has enrolled yet refer to nothing.
 */
const REFERRING_TABLES = [
  ...(['module', 'peer', 'speaker', 'job', 'revision', 'community', 'enrollment_token'] as const),
] as const;

/** With all that belongs to it. */
export async function deleteTenant(tx: SystemTx, id: string): Promise<void> {
  // Before their peers, in the order of holders' locks.
  await tx.sql
    .selectFrom('speaker')
    .select('id')
    .where('tenant_id', '=', id)
    .orderBy('id')
    .forUpdate()
    .execute();
  await forgetRemovals(tx);
  // Before the revisions that they serve.
  await tx.sql.deleteFrom('feed').where('tenant_id', '=', id).execute();
  for (const table of LARGE_TABLES) while (await deleteSomeEntries(tx, id, table));
  for (const table of REFERRING_TABLES)
    await sql`DELETE FROM ${sql.table(table)} WHERE tenant_id = ${id}`.execute(tx.sql);
  await tx.sql.deleteFrom('tenant').where('id', '=', id).execute();
}

/**
 * In the order of the key, up to the last one of this part: a list of rows to delete would be compared with every row of the tenant, as
 * long as the statistics of a table do not know yet that they are many. @returns whether there may be more
 */
async function deleteSomeEntries(
  tx: SystemTx,
  id: string,
  table: (typeof LARGE_TABLES)[number],
): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ${sql.table(table)} WHERE tenant_id = ${id} ORDER BY id OFFSET ${ROWS_AT_ONCE - 1} LIMIT 1`.execute(
    tx.sql,
  );
  const last = rows[0]?.id;
  const part = last === undefined ? sql`` : sql`AND id <= ${last}`;
  await sql`DELETE FROM ${sql.table(table)} WHERE tenant_id = ${id} ${part}`.execute(tx.sql);
  return last !== undefined;
}
