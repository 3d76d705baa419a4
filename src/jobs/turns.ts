/**
 * Turns of tenants in a queue. Workers serve the lowest turn first. A message gets the turn behind the last of its tenant that waits, and
 * behind what is being served: so a tenant with one job is served before the second one of any other, however many these have, and a
 * tenant's own messages stay in their order. (Start-time fair queueing, with jobs of one size.)
 */
import { sql, type Kysely } from 'kysely';

/**
 * @param owner of the tables of pg-boss, which keeps the turn as a priority below zero
 * @param isFirst nothing of the tenant waits, so that its messages need not be looked for among all others
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
