import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  MaintenancePolicy,
  MaintenancePolicyCreate,
  MaintenancePolicyQuery,
  MaintenanceRun,
} from '../../api/operation/maintenance.ts';
import type { Page } from '../../api/shapes/page.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { SystemTx, TenantTx, Versioned } from '../database/database.ts';
import { readPage } from '../database/pagination.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'name',
  'kind',
  'parameters',
  'schedule',
  'enabled',
  'next_run_at',
  'version',
] as const;

/** The newest job of the policy; ids of jobs are in the order of time. */
const LAST_RUN = sql<MaintenanceRun | null>`(
  SELECT jsonb_build_object('job_id', job.id, 'state', job.state, 'queued_at', rfc3339(job.queued_at),
                            'finished_at', rfc3339(job.finished_at))
    FROM job
   WHERE job.tenant_id = maintenance_policy.tenant_id AND job.resource_id = maintenance_policy.id
   ORDER BY job.id DESC LIMIT 1)`;

function select(tx: TenantTx) {
  return tx.sql
    .selectFrom('maintenance_policy')
    .select(COLUMNS)
    .select(LAST_RUN.as('last_run'))
    .where('tenant_id', '=', tx.tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ version: _, ...policy }: Row): MaintenancePolicy {
  return policy;
}

export function listMaintenancePolicies(
  tx: TenantTx,
  query: MaintenancePolicyQuery,
): Promise<Page<MaintenancePolicy>> {
  const { kind, enabled } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(kind !== undefined, (rows) => rows.where('kind', '=', kind!))
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, 'maintenance_policies', query, fetch, present);
}

export async function getMaintenancePolicy(tx: TenantTx, id: string): Promise<Versioned<MaintenancePolicy>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return found('maintenance_policy', id, row === undefined ? null : versioned(row, present));
}

export async function countMaintenancePolicies(tx: TenantTx): Promise<number> {
  const { count } = await tx.sql
    .selectFrom('maintenance_policy')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tx.tenantId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** What is stored of a policy; `next_run_at` follows from its schedule. */
export type StoredPolicy = Required<MaintenancePolicyCreate> & { readonly next_run_at: Date | null };

export async function insertMaintenancePolicy(
  tx: TenantTx,
  policy: StoredPolicy,
): Promise<Versioned<MaintenancePolicy>> {
  const id = uuidv7();
  const insert = tx.sql
    .insertInto('maintenance_policy')
    .values({ tenant_id: tx.tenantId, id, ...columnsOf(policy), kind: policy.kind });
  await mapConstraintErrors('maintenance_policy', policy, insert.execute());
  return getMaintenancePolicy(tx, id);
}

/** @param version what the caller read last; null: any */
export function lockMaintenancePolicy(tx: TenantTx, id: string, version: number | null): Promise<void> {
  return lockForChange(tx, 'maintenance_policy', id, version);
}

/** The caller has locked it. */
export async function updateMaintenancePolicy(
  tx: TenantTx,
  id: string,
  policy: Omit<StoredPolicy, 'kind'>,
): Promise<Versioned<MaintenancePolicy>> {
  const update = tx.sql
    .updateTable('maintenance_policy')
    .set({ ...columnsOf(policy), ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
  await mapConstraintErrors('maintenance_policy', policy, update.execute());
  return getMaintenancePolicy(tx, id);
}

function columnsOf({ name, parameters, schedule, enabled, next_run_at }: Omit<StoredPolicy, 'kind'>) {
  return {
    ...{ name, schedule, enabled },
    parameters: JSON.stringify(parameters),
    next_run_at: next_run_at?.toISOString() ?? null,
  };
}

/** Its runs stay as jobs. */
export async function deleteMaintenancePolicy(
  tx: TenantTx,
  id: string,
  version: number | null,
): Promise<void> {
  await lockMaintenancePolicy(tx, id, version);
  await tx.sql
    .deleteFrom('maintenance_policy')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}

/** Active tenants with a policy that is due. */
export async function listTenantsWithDuePolicies(tx: SystemTx): Promise<string[]> {
  const { rows } = await sql<{ tenant_id: string }>`
    SELECT DISTINCT policy.tenant_id
      FROM maintenance_policy policy JOIN tenant ON tenant.id = policy.tenant_id AND tenant.status = 'active'
     WHERE policy.next_run_at <= clock_timestamp()`.execute(tx.sql);
  return rows.map(({ tenant_id: id }) => id);
}

/** Policies of the tenant that are due and that no other transaction holds; they are held until this one ends. */
export async function lockDuePolicies(tx: TenantTx): Promise<MaintenancePolicy[]> {
  const rows = await select(tx)
    .where('next_run_at', '<=', sql<string>`clock_timestamp()`)
    .orderBy('next_run_at')
    .forUpdate()
    .skipLocked()
    .execute();
  return rows.map(present);
}

/** No change of an operator's, so that the version stays. */
export async function setNextRun(tx: TenantTx, id: string, next: Date | null): Promise<void> {
  await tx.sql
    .updateTable('maintenance_policy')
    .set({ next_run_at: next?.toISOString() ?? null })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}

export async function readDatabaseTime(tx: TenantTx): Promise<Date> {
  const { rows } = await sql<{ now: string }>`SELECT clock_timestamp()::timestamptz(3) AS now`.execute(
    tx.sql,
  );
  return new Date(rows[0]!.now);
}
