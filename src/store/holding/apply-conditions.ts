/** What queries ask alike of applies at speakers. */
import { type RawBuilder, sql } from 'kysely';

/** Whether the setting stops every apply of the tenant, those too that were queued before. @param tenantId an expression of the query */
export function isFrozen(tenantId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`EXISTS (SELECT FROM setting
                      WHERE setting.tenant_id = ${tenantId} AND key = 'deploy_freeze' AND value = 'true'::jsonb)`;
}

/**
 * Whether an apply failed that came after one which is to be taken back: the speaker then goes back from that one, as if this had not been.
 * @param apply name of the table in the query
 */
export function isFailedBehindUndo(apply: string): RawBuilder<boolean> {
  const of = (column: string): RawBuilder<unknown> => sql.ref(`${apply}.${column}`);
  return sql`(${of('state')} = 'failed' AND EXISTS (
    SELECT FROM speaker_apply older
     WHERE older.tenant_id = ${of('tenant_id')} AND older.speaker_id = ${of('speaker_id')}
       AND older.sequence < ${of('sequence')} AND older.state = 'undoing'))`;
}
