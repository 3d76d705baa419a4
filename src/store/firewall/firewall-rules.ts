import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  FirewallRule,
  FirewallRulePatch,
  FirewallRuleQuery,
} from '../../api/firewall/firewall-rules.ts';
import type { Page } from '../../api/shapes/page.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { containing, readPage } from '../database/pagination.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'name',
  'action',
  'direction',
  'module_ids',
  'community_ids',
  'cidrs',
  'protocol',
  'ports',
  'priority',
  'client_ids',
  'enabled',
  'version',
] as const;

function select(tx: TenantTx) {
  return tx.sql.selectFrom('firewall_rule').select(COLUMNS).where('tenant_id', '=', tx.tenantId);
}

function present({ version: _, ...rule }: FirewallRule & { readonly version: number }): FirewallRule {
  return rule;
}

export function listFirewallRules(tx: TenantTx, query: FirewallRuleQuery): Promise<Page<FirewallRule>> {
  const { action, direction, enabled, client_id: clientId, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(action !== undefined, (rows) => rows.where('action', '=', action!))
      .$if(direction !== undefined, (rows) => rows.where('direction', '=', direction!))
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(clientId !== undefined, (rows) =>
        rows.where(sql<boolean>`(client_ids = '{}' OR ${clientId}::uuid = ANY (client_ids))`),
      )
      .$if(q !== undefined, (rows) => rows.where('name', 'ilike', containing(q!)))
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, 'firewall-rules', query, fetch, present);
}

export async function getFirewallRule(tx: TenantTx, id: string): Promise<Versioned<FirewallRule>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return found('firewall_rule', id, row === undefined ? null : versioned(row, present));
}

/** The enabled rules of all clients, in the order in which they apply. */
export async function listRulesToApply(tx: TenantTx): Promise<FirewallRule[]> {
  const rows = await select(tx).where('enabled', '=', true).orderBy('priority').orderBy('id').execute();
  return rows.map(present);
}

export type NewFirewallRule = Omit<FirewallRule, 'id' | 'created_at' | 'updated_at'>;

export async function insertFirewallRule(
  tx: TenantTx,
  rule: NewFirewallRule,
): Promise<Versioned<FirewallRule>> {
  const insert = tx.sql
    .insertInto('firewall_rule')
    .values({ tenant_id: tx.tenantId, id: uuidv7(), ...rule })
    .returning(COLUMNS);
  const row = await mapConstraintErrors(
    'firewall_rule',
    { name: rule.name },
    insert.executeTakeFirstOrThrow(),
  );
  return versioned(row, present);
}

export async function updateFirewallRule(
  tx: TenantTx,
  id: string,
  patch: FirewallRulePatch,
): Promise<Versioned<FirewallRule>> {
  const update = tx.sql
    .updateTable('firewall_rule')
    .set({ ...patch, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .returning(COLUMNS);
  const row = await mapConstraintErrors('firewall_rule', patch, update.executeTakeFirstOrThrow());
  return versioned(row, present);
}

export async function deleteFirewallRule(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'firewall_rule', id, version);
  await tx.sql
    .deleteFrom('firewall_rule')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}
