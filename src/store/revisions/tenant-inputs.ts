/** What the tenant's next revision follows from beside its modules and their entries, in one statement. */
import { type RawBuilder, sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import { HAS_EXPIRED } from '../past-expiries.ts';
import { GUARDRAIL_FACTS, type GuardrailFacts } from './guardrail-facts.ts';
import type { HeldRow, ReleasedWithdrawal } from './held-withdrawals.ts';

export interface TenantInputs {
  /** Oldest first, as the lists below are ordered by module. */
  readonly communities: readonly {
    readonly id: string;
    readonly community: string;
    readonly title: string;
  }[];
  /** Ids of entries that have left by themselves, in ascending order. */
  readonly expiredIds: readonly string[];
  /** Modules that are held for what was collected: the content of each. */
  readonly heldSnapshots: readonly { readonly module_id: string; readonly hash: string }[];
  readonly heldWithdrawals: readonly HeldRow[];
  readonly releasedWithdrawals: readonly ReleasedWithdrawal[];
  /** Of every module, enabled or not. */
  readonly names: ReadonlyMap<string, string>;
  readonly facts: GuardrailFacts;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Of a row of `held_withdrawal`. */
const IS_EDITED = sql`EXISTS (SELECT FROM pending_change p
                               WHERE p.tenant_id = held_withdrawal.tenant_id AND p.module_id = held_withdrawal.module_id
                                 AND p.edits > 0 AND NOT p.is_expiry AND p.at > held_withdrawal.since)`;

type Row = Omit<TenantInputs, 'names'> & {
  readonly names: Readonly<Record<string, string>>;
};

/** @param settings of a row of `tenant`, by key */
export async function readTenantInputs(
  tx: TenantTx,
  settings: RawBuilder<TenantInputs['settings']>,
): Promise<TenantInputs> {
  const { rows } = await sql<Row>`
    SELECT ${listOf('community', 'id', { id: sql`id`, community: sql`community`, title: sql`title` })} AS communities,
           ARRAY(SELECT entry_id FROM past_expiry
                  WHERE tenant_id = tenant.id AND ${HAS_EXPIRED} ORDER BY entry_id) AS "expiredIds",
           ${listOf('held_snapshot', 'module_id', { module_id: sql`module_id`, hash: hex('content_hash') })} AS "heldSnapshots",
           ${listOf('held_withdrawal', 'module_id', {
             ...{ module_id: sql`module_id`, name: sql`name`, findings: sql`findings` },
             ...{ hash: hex('hash'), state_hash: hex('state_hash'), is_edited: IS_EDITED },
           })} AS "heldWithdrawals",
           ${listOf('released_withdrawal', 'module_id', {
             ...{ module_id: sql`module_id`, revision_id: sql`revision_id`, state_hash: hex('state_hash') },
           })} AS "releasedWithdrawals",
           (SELECT coalesce(json_object_agg(id, name), '{}') FROM module WHERE tenant_id = tenant.id) AS names,
           ${settings} AS settings,
           ${GUARDRAIL_FACTS} AS facts
      FROM tenant WHERE id = ${tx.tenantId}`.execute(tx.sql);
  const { names, ...inputs } = rows[0]!;
  return { ...inputs, names: new Map(Object.entries(names)) };
}

/** The tenant's rows of a table as a JSON array of objects with these members. */
function listOf(
  table: string,
  order: string,
  members: Readonly<Record<string, RawBuilder<unknown>>>,
): RawBuilder<unknown> {
  const pairs = Object.entries(members).map(([name, value]) => sql`${sql.lit(name)}, ${value}`);
  return sql`(SELECT coalesce(json_agg(json_build_object(${sql.join(pairs)}) ORDER BY ${sql.ref(order)}), '[]')
                FROM ${sql.table(table)} WHERE tenant_id = tenant.id)`;
}

/** JSON has no bytes. */
function hex(column: string): RawBuilder<unknown> {
  return sql`encode(${sql.ref(column)}, 'hex')`;
}
