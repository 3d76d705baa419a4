/**
 * Turns of tenants in a queue. Workers serve the lowest turn first. A message gets the turn after the last waiting one of its tenant, and
 * after the one being served: so a tenant with one job is served before the second job of any other tenant, however many these have, and a
 * tenant's own messages keep their order. (Start-time fair queueing, with jobs of one size.)
 */
import { sql, type Kysely } from 'kysely';

/**
 * @param owner of the tables of pg-boss, which stores the turn as a negative priority
 * @param isFirst nothing of the tenant waits, so that its messages need not be searched for
 */
export async function nextTurn<T>(
  owner: Kysely<T>,
  {
    queue,
    tenantId,
    isFirst,
  }: { readonly queue: string; readonly tenantId: string; readonly isFirst: boolean },
): Promise<number> {
  const waiting = sql`name = ${queue} AND state < 'active' AND NOT blocked`;
  const own = isFirst
    ? sql`NULL`
    : sql`(SELECT max(-priority) FROM pgboss.job WHERE ${waiting} AND group_id = ${tenantId})`;
  const { rows } = await sql<{ turn: number }>`
    SELECT 1 + greatest(
             0,
             (SELECT max(-priority) FROM pgboss.job WHERE name = ${queue} AND state = 'active'),
             (SELECT -priority - 1 FROM pgboss.job WHERE ${waiting} ORDER BY priority DESC, created_on LIMIT 1),
             ${own}) AS turn`.execute(owner);
  return rows[0]!.turn;
}
