/** URLs that sources had before somebody edited them, as the audit log knows them: revisions of then were built from these. */
import { sql } from 'kysely';
import type { TenantTx } from '../database/database.ts';
import { FETCHED_TABLES } from '../database/entry-tables.ts';

const EDITS = FETCHED_TABLES.map((kind) => `${kind}.change`);

interface PastUrl {
  readonly id: string;
  /** When it was replaced. */
  readonly until: string;
  readonly url: string;
}

/** Those of entries, by id, the oldest first. */
export type PastUrls = ReadonlyMap<string, readonly PastUrl[]>;

export async function listPastUrls(tx: TenantTx, ids: readonly string[]): Promise<PastUrls> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<PastUrl>`
    SELECT resource_id AS id, at AS until, changes_before ->> 'url' AS url
      FROM audit_record
     WHERE tenant_id = ${tx.tenantId} AND resource_id = ANY (${ids}) AND action = ANY (${EDITS})
       AND changes_before ->> 'url' IS NOT NULL
     ORDER BY at, id`.execute(tx.sql);
  return Map.groupBy(rows, ({ id }) => id);
}

/** The URL at that time; null: the one of today. */
export function urlAt(urls: PastUrls, id: string, time: string): string | null {
  const at = Date.parse(time);
  return urls.get(id)?.find(({ until }) => Date.parse(until) > at)?.url ?? null;
}
