import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { CdnSource, CdnSourceCreate, CdnSourcePatch } from '../api/cdn-sources.ts';
import type { PrefixCount } from '../api/page.ts';
import type { TenantTx, Versioned } from './database/database.ts';
import { COLLECTED_COLUMNS, ENTRY_COLUMNS, entryStore } from './entries.ts';
import { openHeaders, sealHeaders, sealMergedHeaders } from './sealed-headers.ts';
import type { SecretBox } from './secrets.ts';

const entries = entryStore({
  table: 'cdn_source',
  path: 'cdn-sources',
  columns: [
    ...ENTRY_COLUMNS,
    ...COLLECTED_COLUMNS,
    'name',
    'url',
    'format',
    'json_path',
    'csv_column',
    'header_names',
    'etag',
  ],
  key: 'name',
  search: [sql<string>`name`, sql<string>`url`],
  present({
    version: _,
    header_names: names,
    prefix_count_ipv4: ipv4,
    prefix_count_ipv6: ipv6,
    ...source
  }): CdnSource {
    const headers = Object.fromEntries(names.map((name) => [name, null]));
    return { ...source, headers, prefix_count: { ipv4, ipv6 } };
  },
  tellKnown: (name) => `A CDN source with the name ${String(name)} exists already. Choose another name.`,
});

export const { list: listCdnSources, get: getCdnSource, remove: deleteCdnSource } = entries;

/** All or none, as {@link entryStore} says. */
export async function insertCdnSources(
  tx: TenantTx,
  secrets: SecretBox,
  moduleId: string,
  bodies: readonly CdnSourceCreate[],
  pointerOf: (index: number) => string = () => '',
): Promise<Versioned<CdnSource>[]> {
  const rows = bodies.map((body) => {
    const { name, url, format = 'auto', json_path = null, csv_column = null } = body;
    const { headers = {}, enabled = true, community_id = null } = body;
    const id = uuidv7();
    const reading = { name, url, format, json_path, csv_column };
    return {
      id,
      ...reading,
      enabled,
      community_id,
      ...sealHeaders(tx, secrets, { table: 'cdn_source', id }, headers),
    };
  });
  return entries.insert(tx, moduleId, rows, pointerOf);
}

/** What decides what a source answers: when one of them changes, what it said before counts no more. */
const ASKING = ['url', 'format', 'json_path', 'csv_column', 'headers'] as const;

export async function updateCdnSource(
  tx: TenantTx,
  secrets: SecretBox,
  moduleId: string,
  id: string,
  patch: CdnSourcePatch,
  version: number | null,
): Promise<Versioned<CdnSource>> {
  const { headers, ...values } = patch;
  const asksAnew = ASKING.some((name) => patch[name] !== undefined);
  const set = {
    ...values,
    ...(await sealMergedHeaders(tx, secrets, { table: 'cdn_source', id }, headers)),
    ...(asksAnew ? { etag: null, last_modified: null } : {}),
  };
  return entries.update(tx, moduleId, id, set, version);
}

/** What collecting a source needs, the values of its headers in clear. */
export interface SourceToCollect {
  readonly id: string;
  /** In which what decides what is read was edited last, or the source enabled. */
  readonly questionVersion: number;
  readonly url: string;
  readonly format: CdnSource['format'];
  readonly jsonPath: string | null;
  readonly csvColumn: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** The module's enabled sources. */
export async function listSourcesToCollect(
  tx: TenantTx,
  moduleId: string,
  secrets: SecretBox,
): Promise<SourceToCollect[]> {
  const rows = await tx.sql
    .selectFrom('cdn_source')
    .select(['id', 'question_version', 'url', 'format', 'json_path', 'csv_column'])
    .select(['headers_sealed', 'etag', 'last_modified'])
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    questionVersion: row.question_version,
    url: row.url,
    format: row.format,
    jsonPath: row.json_path,
    csvColumn: row.csv_column,
    headers:
      row.headers_sealed === null
        ? {}
        : openHeaders(tx, secrets, { table: 'cdn_source', id: row.id }, row.headers_sealed),
    etag: row.etag,
    lastModified: row.last_modified,
  }));
}

export interface CdnOutcome {
  readonly id: string;
  /** Of the source as it was read. */
  readonly questionVersion: number;
  /** Whether there is a new answer, with these validators. */
  readonly modified: boolean;
  readonly status: 'ok' | 'stale' | 'failed';
  readonly error: string | null;
  readonly prefixCount: PrefixCount;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/**
 * Writes down what became of a source in a refresh. It is no change by an operator, so the version stays. Where an operator has changed
 * the source meanwhile, the validators may be those of another URL and are not kept.
 */
export async function recordCdnOutcome(tx: TenantTx, outcome: CdnOutcome): Promise<void> {
  const ifUnchanged = (validator: string | null) =>
    sql<string | null>`CASE WHEN question_version = ${outcome.questionVersion} THEN ${validator}::text END`;
  await tx.sql
    .updateTable('cdn_source')
    .set({
      status: outcome.status,
      last_error: outcome.error,
      prefix_count_ipv4: outcome.prefixCount.ipv4,
      prefix_count_ipv6: outcome.prefixCount.ipv6,
      ...(outcome.modified
        ? { etag: ifUnchanged(outcome.etag), last_modified: ifUnchanged(outcome.lastModified) }
        : {}),
      ...(outcome.status === 'ok' ? { last_refreshed_at: sql<string>`now()` } : {}),
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', outcome.id)
    .execute();
}

/** Has the sources and AS numbers of these modules read anew, whatever they say: what they answered last was not accepted. */
export async function forgetValidatorsOf(tx: TenantTx, moduleIds: readonly string[]): Promise<void> {
  if (moduleIds.length === 0) return;
  for (const table of ['cdn_source', 'as_entry'] as const)
    await tx.sql
      .updateTable(table)
      .set({ etag: null, last_modified: null })
      .where('tenant_id', '=', tx.tenantId)
      .where('module_id', 'in', moduleIds)
      .where((eb) => eb.or([eb('etag', 'is not', null), eb('last_modified', 'is not', null)]))
      .execute();
}

/** Has every source of the tenant read anew, not asked whether it changed: something else decides now what its list means. */
export async function forgetValidators(tx: TenantTx): Promise<void> {
  await tx.sql
    .updateTable('cdn_source')
    .set({ etag: null, last_modified: null })
    .where('tenant_id', '=', tx.tenantId)
    .execute();
}
