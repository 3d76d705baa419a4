/** What entries with a URL have in common: request headers, and validators of the last good answer. */
import { sql } from 'kysely';
import type { RejectedLine } from '../../api/entries/rejected-lines.ts';
import type { HeadersPatch } from '../../api/shapes/request-headers.ts';
import type { TenantTx } from '../database/database.ts';
import {
  ENTRY_TABLES,
  FETCHED_TABLES,
  type FetchedTable,
  VALIDATED_TABLES,
} from '../database/entry-tables.ts';
import type { ValidatedOutcome } from './entry-statuses.ts';
import { type OpenedHeaders, openHeaders, sealMergedHeaders } from '../sealed-headers.ts';
import type { SecretBox } from '../secrets.ts';

/** What a fetch needs for every kind of entry, with the values of headers decrypted. */
export interface EntryToFetch extends OpenedHeaders {
  readonly id: string;
  /** Version at which the columns that determine the answer were last edited, or the entry enabled. */
  readonly questionVersion: number;
  /** Version of the last edit of any column. */
  readonly version: number;
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** The patch as columns. If it changes what determines the source's answer, its validators are dropped. */
export async function columnsOfFetched<Patch extends { readonly headers?: HeadersPatch | undefined }>(
  tx: TenantTx,
  secrets: SecretBox,
  owner: { readonly table: FetchedTable; readonly id: string },
  patch: Patch,
) {
  const { headers, ...values } = patch;
  const asksOtherwise =
    headers !== undefined ||
    ENTRY_TABLES[owner.table].asking.some((name) => patch[name as keyof Patch] !== undefined);
  return {
    ...values,
    ...(await sealMergedHeaders(tx, secrets, owner, headers)),
    ...(asksOtherwise ? { etag: null, last_modified: null } : {}),
  };
}

type FetchRow<Question> = Question & {
  readonly id: string;
  readonly question_version: number;
  readonly version: number;
  readonly url: string;
  readonly headers_sealed: Buffer | null;
  readonly etag: string | null;
  readonly last_modified: string | null;
};

/** The module's enabled entries. @param question columns that say how the list is read */
export async function listEntriesToFetch<Question>(
  tx: TenantTx,
  table: FetchedTable,
  moduleId: string,
  secrets: SecretBox,
  question: readonly (keyof Question & string)[],
): Promise<(EntryToFetch & { readonly question: Question })[]> {
  const { rows } = await sql<FetchRow<Question>>`
    SELECT id, version, question_version, url, headers_sealed, etag, last_modified, ${sql.join(question.map((column) => sql.ref(column)))}
      FROM ${sql.table(table)}
     WHERE tenant_id = ${tx.tenantId} AND module_id = ${moduleId} AND enabled
     ORDER BY id`.execute(tx.sql);
  return rows.map((row) => {
    const { id, version, question_version: questionVersion, url, headers_sealed: sealed, etag } = row;
    const opened = openHeaders(tx, secrets, { table, id }, sealed);
    const validators = { etag, lastModified: row.last_modified };
    return { id, version, questionVersion, url, ...opened, ...validators, question: row };
  });
}

/** The outcome of a list with a URL. */
export interface FetchOutcome extends ValidatedOutcome {
  /** Version of the entry when it was read. */
  readonly version: number;
  readonly rejected: number;
  /** The first of them. */
  readonly rejects: readonly RejectedLine[];
}

/**
 * Records the outcome of an entry in a refresh. It is not an operator's change, so the version stays. If an operator has changed the entry
 * meanwhile, the validators may belong to another URL and are not kept.
 */
export async function recordFetchOutcome(
  tx: TenantTx,
  table: FetchedTable,
  outcome: FetchOutcome,
): Promise<void> {
  const ifUnchanged = (validator: string | null) =>
    sql<string | null>`CASE WHEN version = ${outcome.version} THEN ${validator}::text END`;
  await tx.sql
    .updateTable(table)
    .set({
      status: outcome.status,
      last_error: outcome.error,
      prefix_count_ipv4: outcome.prefixCount.ipv4,
      prefix_count_ipv6: outcome.prefixCount.ipv6,
      ...(outcome.modified
        ? {
            etag: ifUnchanged(outcome.etag),
            last_modified: ifUnchanged(outcome.lastModified),
            rejected_count: outcome.rejected,
            rejected: JSON.stringify(outcome.rejects),
          }
        : {}),
      ...(outcome.status === 'ok' ? { last_refreshed_at: sql<string>`now()` } : {}),
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', outcome.id)
    .execute();
}

/** Counts of an entry's last good answer. */
export interface RejectedCount {
  readonly id: string;
  readonly name: string;
  readonly rejected_count: number;
}

/** Numbers of rejected lines of these entries. */
export function listRejectedCounts(
  tx: TenantTx,
  table: FetchedTable,
  ids: readonly string[],
): Promise<RejectedCount[]> {
  return tx.sql
    .selectFrom(table)
    .select(['id', 'name', 'rejected_count'])
    .where('tenant_id', '=', tx.tenantId)
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();
}

/** Makes the lists of these modules be read in full next time: their last content was not accepted. */
export async function forgetValidatorsOf(tx: TenantTx, moduleIds: readonly string[]): Promise<void> {
  if (moduleIds.length === 0) return;
  for (const table of VALIDATED_TABLES)
    await tx.sql
      .updateTable(table)
      .set({ etag: null, last_modified: null })
      .where('tenant_id', '=', tx.tenantId)
      .where('module_id', 'in', moduleIds)
      .where((eb) => eb.or([eb('etag', 'is not', null), eb('last_modified', 'is not', null)]))
      .execute();
}

/** Makes every list of the tenant be read in full next time: its meaning has changed, even if its content has not. */
export async function forgetValidators(tx: TenantTx): Promise<void> {
  for (const table of FETCHED_TABLES)
    await tx.sql
      .updateTable(table)
      .set({ etag: null, last_modified: null })
      .where('tenant_id', '=', tx.tenantId)
      .execute();
}
