import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { CdnSource, CdnSourceCreate, CdnSourcePatch, CdnSourceQuery } from '../api/cdn-sources.ts';
import type { Page, PrefixCount } from '../api/page.ts';
import { Problem } from '../api/problem.ts';
import { refusing } from './constraint-problem.ts';
import type { TenantTx, Versioned } from './database.ts';
import { getModule } from './modules.ts';
import { containing, readPage } from './pagination.ts';
import type { SecretBox } from './secrets.ts';
import { found, lockForChange, nextVersion } from './versions.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'module_id',
  'name',
  'url',
  'format',
  'json_path',
  'csv_column',
  'enabled',
  'community_id',
  'last_refreshed_at',
  'status',
  'last_error',
  'etag',
] as const;

/** Rows of one INSERT: at most a dozen parameters each, of the 65,535 a statement may have. */
const ROWS_AT_ONCE = 500;

function select(tx: TenantTx, moduleId: string) {
  return tx.sql
    .selectFrom('cdn_source')
    .select([...COLUMNS, 'header_names', 'prefix_count_ipv4', 'prefix_count_ipv6', 'version'])
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present(row: Row): CdnSource {
  const {
    version: _,
    header_names: names,
    prefix_count_ipv4: ipv4,
    prefix_count_ipv6: ipv6,
    ...source
  } = row;
  const headers = Object.fromEntries(names.map((name) => [name, null]));
  return { ...source, headers, prefix_count: { ipv4, ipv6 } };
}

export async function listCdnSources(
  tx: TenantTx,
  moduleId: string,
  query: CdnSourceQuery,
): Promise<Page<CdnSource>> {
  await getModule(tx, moduleId);
  const { enabled, status, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx, moduleId)
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(status !== undefined, (rows) => rows.where('status', '=', status!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) => eb.or([eb('name', 'ilike', containing(q!)), eb('url', 'ilike', containing(q!))])),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, `cdn-sources ${moduleId}`, query, fetch, present);
}

export async function getCdnSource(
  tx: TenantTx,
  moduleId: string,
  id: string,
): Promise<Versioned<CdnSource>> {
  const row = await select(tx, moduleId).where('id', '=', id).executeTakeFirst();
  return found('cdn_source', id, row === undefined ? null : { resource: present(row), version: row.version });
}

export async function insertCdnSource(
  tx: TenantTx,
  secrets: SecretBox,
  moduleId: string,
  body: CdnSourceCreate,
): Promise<Versioned<CdnSource>> {
  const [source] = await insertCdnSources(tx, secrets, moduleId, [body], () => '');
  return source!;
}

/**
 * Inserts all of them or, when a name is taken, none.
 * @param bodies no two of one name
 * @param pointerOf where a body stands in the request
 * @returns in the order given
 */
export async function insertCdnSources(
  tx: TenantTx,
  secrets: SecretBox,
  moduleId: string,
  bodies: readonly CdnSourceCreate[],
  pointerOf: (index: number) => string,
): Promise<Versioned<CdnSource>[]> {
  const ids = bodies.map(() => uuidv7());
  for (let at = 0; at < bodies.length; at += ROWS_AT_ONCE) {
    const some = bodies.slice(at, at + ROWS_AT_ONCE);
    const values = some.map(({ headers, ...body }, index) => {
      const id = ids[at + index]!;
      return {
        ...{ tenant_id: tx.tenantId, id, module_id: moduleId },
        ...{ format: 'auto' as const, enabled: true, ...body },
        ...sealedHeaders(tx, secrets, id, headers ?? {}),
      };
    });
    const insert = tx.sql
      .insertInto('cdn_source')
      .values(values)
      .onConflict((conflict) => conflict.columns(['tenant_id', 'module_id', 'name']).doNothing())
      .returning('id');
    const communities = [...new Set(some.flatMap((body) => body.community_id ?? []))].join(', ');
    const inserted = await refusing('cdn_source', { community_id: communities }, insert.execute());
    const made = new Set(inserted.map(({ id }) => id));
    const taken = some.flatMap(({ name }, index) =>
      made.has(ids[at + index]!) ? [] : [{ name, pointer: `${pointerOf(at + index)}/name` }],
    );
    refuseTaken(taken);
  }
  const rows = await select(tx, moduleId)
    .where(sql<boolean>`id = ANY(${ids}::uuid[])`)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ resource: present(row), version: row.version }));
}

function refuseTaken(taken: readonly { readonly name: string; readonly pointer: string }[]): void {
  const [first] = taken;
  if (first === undefined) return;
  const tell = (name: string): string =>
    `A CDN source with the name ${name} exists already. Choose another name`;
  const rest = taken.length > 1 ? ` (and ${taken.length - 1} more, see errors)` : '';
  throw new Problem('conflict', `${tell(first.name)}${rest}.`, {
    errors: taken.slice(0, 100).map(({ name, pointer }) => ({ pointer, detail: `${tell(name)}.` })),
  });
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
  await lockForChange(tx, 'cdn_source', id, version, moduleId);
  const { headers, ...values } = patch;
  const asksAnew = ASKING.some((name) => patch[name] !== undefined);
  const update = tx.sql
    .updateTable('cdn_source')
    .set({
      ...values,
      ...sealedHeaders(tx, secrets, id, headers),
      ...(asksAnew ? { etag: null, last_modified: null } : {}),
      ...nextVersion,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
  await refusing('cdn_source', patch, update.execute());
  return getCdnSource(tx, moduleId, id);
}

export async function deleteCdnSource(
  tx: TenantTx,
  moduleId: string,
  id: string,
  version: number | null,
): Promise<void> {
  await lockForChange(tx, 'cdn_source', id, version, moduleId);
  await tx.sql.deleteFrom('cdn_source').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
}

/** What collecting a source needs, the values of its headers in clear. */
export interface SourceToCollect {
  readonly id: string;
  readonly version: number;
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
    .select(['id', 'version', 'url', 'format', 'json_path', 'csv_column'])
    .select(['headers_sealed', 'etag', 'last_modified'])
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    version: row.version,
    url: row.url,
    format: row.format,
    jsonPath: row.json_path,
    csvColumn: row.csv_column,
    headers: row.headers_sealed === null ? {} : openHeaders(tx, secrets, row.id, row.headers_sealed),
    etag: row.etag,
    lastModified: row.last_modified,
  }));
}

export interface CdnOutcome {
  readonly id: string;
  /** Of the source as it was read. */
  readonly version: number;
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
    sql<string | null>`CASE WHEN version = ${outcome.version} THEN ${validator}::text END`;
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

/** Has every source of the tenant read anew, not asked whether it changed: something else decides now what its list means. */
export async function forgetValidators(tx: TenantTx): Promise<void> {
  await tx.sql
    .updateTable('cdn_source')
    .set({ etag: null, last_modified: null })
    .where('tenant_id', '=', tx.tenantId)
    .execute();
}

function sealedHeaders(
  tx: TenantTx,
  secrets: SecretBox,
  id: string,
  headers: Readonly<Record<string, string>> | undefined,
): { header_names?: string[]; headers_sealed?: Buffer | null } {
  if (headers === undefined) return {};
  const names = Object.keys(headers);
  const sealed = names.length === 0 ? null : secrets.seal(JSON.stringify(headers), contextOf(tx, id));
  return { header_names: names, headers_sealed: sealed };
}

function openHeaders(tx: TenantTx, secrets: SecretBox, id: string, sealed: Buffer): Record<string, string> {
  return JSON.parse(secrets.open(sealed, contextOf(tx, id)).toString()) as Record<string, string>;
}

function contextOf(tx: TenantTx, id: string): string {
  return `cdn_source ${tx.tenantId} ${id}`;
}
