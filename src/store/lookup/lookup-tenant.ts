/** What of a tenant every lookup needs, in one statement: it is read after each commit. */
import { sql, type RawBuilder } from 'kysely';
import type { LookupMatch } from '../../api/lookup/lookup.ts';
import type { TenantTx } from '../database/database.ts';

export interface LookupTenant {
  /** All of them, as matches name them. */
  readonly communities: LookupMatch['communities'];
  /** Which peers there may be that have something else than the routes of enabled speakers: where there are none, nobody has to ask. */
  readonly hasReverted: boolean;
  readonly hasLimited: boolean;
  readonly hasDisabledNodes: boolean;
  /** Enabled speakers. */
  readonly speakerIds: readonly string[];
  /** Of these the ones on nodes that nobody has heard of for a while. */
  readonly awayIds: readonly string[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * @param settings of a row of `tenant`, by key
 * @param isAway whether nobody has heard of the node of a row of `speaker` for a while
 */
export async function readLookupTenant(
  tx: TenantTx,
  settings: RawBuilder<LookupTenant['settings']>,
  isAway: RawBuilder<boolean>,
): Promise<LookupTenant> {
  const some = (table: string, condition = sql`true`): RawBuilder<boolean> =>
    sql`EXISTS (SELECT FROM ${sql.table(table)} WHERE tenant_id = tenant.id AND ${condition})`;
  const { rows } = await sql<LookupTenant>`
    SELECT ${settings} AS settings,
           (SELECT coalesce(json_agg(json_build_object('community_id', id, 'value', community, 'title', title)), '[]')
              FROM community WHERE tenant_id = tenant.id) AS communities,
           ARRAY(SELECT id::text FROM speaker WHERE tenant_id = tenant.id AND enabled ORDER BY id) AS "speakerIds",
           ARRAY(SELECT id::text FROM speaker WHERE tenant_id = tenant.id AND enabled AND ${isAway}) AS "awayIds",
           ${some('reverted_peer')} AS "hasReverted", ${some('limited_peer')} AS "hasLimited",
           ${some('speaker', sql`mode = 'agent' AND NOT enabled`)} AS "hasDisabledNodes"
      FROM (SELECT ${tx.tenantId}::uuid AS id) tenant`.execute(tx.sql);
  return rows[0]!;
}
