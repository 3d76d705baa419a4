import { type RawBuilder, sql } from 'kysely';
import type { Source, SourceQuery } from '../../api/entries/sources.ts';
import type { Page } from '../../api/shapes/page.ts';
import type { TenantTx } from '../database/database.ts';
import { COLLECTED_TYPES, type CollectedType } from '../../api/entries/entry-kinds.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import { containing, type Place, readSorted } from '../database/pagination.ts';
import { PLANNED_EACH_TIME } from '../database/session.ts';

/** Entries that were never read come first, as if read at the beginning of time. */
const READ_AT = sql`coalesce(last_refreshed_at, to_timestamp(0))`;

type SourceRow = Omit<Source, 'prefix_count' | 'retained'> & {
  readonly prefix_count_ipv4: number;
  readonly prefix_count_ipv6: number;
};

/**
 * Entries with a source, the longest unread first. One that is read between two pages moves to the end, so it may occur twice; none is left
 * out.
 * @param staleHours age from which an entry is too old
 */
export function listSources(tx: TenantTx, query: SourceQuery, staleHours: number): Promise<Page<Source>> {
  const direction = directionOf(query);
  const fetch = async (after: Place | null, limit: number): Promise<SourceRow[]> => {
    const tables = COLLECTED_TYPES.filter((table) => query.type?.includes(table) ?? true);
    const parts = tables.map((table) => selectSome(tx, table, query, after, limit));
    const { rows } = await sql<SourceRow>`
      SELECT entry.id, entry.type, entry.module_id, module.name AS module_name, entry.name,
             entry.enabled AND module.enabled AS enabled, entry.status, entry.last_refreshed_at,
             CASE WHEN entry.last_refreshed_at IS NOT NULL
               THEN greatest(0, floor(extract(epoch FROM now() - entry.last_refreshed_at)))::float8 END AS age_seconds,
             coalesce(entry.last_refreshed_at < now() - make_interval(hours => ${staleHours}::int), false) AS is_too_old,
             entry.last_error, entry.prefix_count_ipv4, entry.prefix_count_ipv6, module.next_refresh_at
        FROM (${sql.join(parts, sql` UNION ALL `)}) AS entry
        JOIN module ON module.tenant_id = ${tx.tenantId} AND module.id = entry.module_id
       ORDER BY entry.read_at ${direction}, entry.id ${direction} LIMIT ${limit} ${PLANNED_EACH_TIME}`.execute(
      tx.sql,
    );
    return rows;
  };
  return readSorted(tx, 'sources', query, fetch, positionOf, present);
}

/** As many of one kind as may be on the page. */
function selectSome(
  tx: TenantTx,
  table: CollectedType,
  query: SourceQuery,
  after: Place | null,
  limit: number,
): RawBuilder<unknown> {
  const { status, module_id, enabled, has_prefixes: hasPrefixes, q, sort } = query;
  const direction = directionOf(query);
  const { name } = ENTRY_TABLES[table];
  const isEnabled = sql`(enabled AND EXISTS (SELECT FROM module m
                          WHERE m.tenant_id = ${tx.tenantId} AND m.id = module_id AND m.enabled))`;
  const conditions = [
    sql`tenant_id = ${tx.tenantId}`,
    ...(status === undefined ? [] : [sql`status = ANY(${[...status]}::text[])`]),
    ...(module_id === undefined ? [] : [sql`module_id = ${module_id}`]),
    ...(enabled === undefined ? [] : [sql`${isEnabled} = ${enabled}`]),
    ...(hasPrefixes === undefined ? [] : [sql`(prefix_count_ipv4 + prefix_count_ipv6 > 0) = ${hasPrefixes}`]),
    ...(q === undefined ? [] : [sql`${name} ILIKE ${containing(q)}`]),
    ...(after === null
      ? []
      : [
          sql`(${READ_AT}, id) ${sort === '-last_refreshed_at' ? sql`<` : sql`>`} (${new Date(after.position).toISOString()}::timestamptz, ${after.id}::uuid)`,
        ]),
  ];
  return sql`
    (SELECT id, ${table} AS type, module_id, ${name} AS name, enabled, status, last_refreshed_at, ${READ_AT} AS read_at,
            last_error, prefix_count_ipv4, prefix_count_ipv6
       FROM ${sql.table(table)} WHERE ${sql.join(conditions, sql` AND `)}
      ORDER BY ${READ_AT} ${direction}, id ${direction} LIMIT ${limit})`;
}

function directionOf({ sort }: SourceQuery): RawBuilder<unknown> {
  return sort === '-last_refreshed_at' ? sql`DESC` : sql`ASC`;
}

function positionOf({ last_refreshed_at: at }: SourceRow): number {
  return at === null ? 0 : Date.parse(at);
}

function present({ prefix_count_ipv4: ipv4, prefix_count_ipv6: ipv6, ...source }: SourceRow): Source {
  const isRetained = source.status === 'stale' && ipv4 + ipv6 > 0;
  return { ...source, prefix_count: { ipv4, ipv6 }, retained: isRetained ? { ipv4, ipv6 } : null };
}
