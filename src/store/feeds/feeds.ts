import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Feed, FeedContent, FeedPatch, FeedQuery } from '../../api/feeds/feeds.ts';
import type { Page } from '../../api/shapes/page.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { SystemTx, TenantTx, Versioned } from '../database/database.ts';
import { containing, readPage } from '../database/pagination.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';
import type { FeedMemory, ServedFeed } from '../../api/feeds/served-feed.ts';

const COLUMNS = [
  ...(['id', 'created_at', 'updated_at', 'name', 'description', 'community_ids', 'module_ids'] as const),
  ...(['families', 'format', 'max_prefixes', 'when_too_many', 'allowed_networks', 'enabled'] as const),
  ...(['token_prefix', 'status', 'last_error', 'served', 'last_fetched_at', 'last_fetched_by'] as const),
  'version',
] as const;

type Row = Omit<Feed, 'path' | 'served'> & { readonly served: ServedFeed | null; readonly version: number };

function present({ version: _, served, ...feed }: Row): Feed {
  return { ...feed, path: `/feeds/${feed.name}`, served: served === null ? null : contentOf(served) };
}

function contentOf({ revision_id, number, prefix_count, bytes, fitted }: ServedFeed): FeedContent {
  return { revision_id, revision: number, prefix_count, bytes, fitted };
}

function select(tx: TenantTx) {
  return tx.sql.selectFrom('feed').select(COLUMNS).where('tenant_id', '=', tx.tenantId);
}

export function listFeeds(tx: TenantTx, query: FeedQuery): Promise<Page<Feed>> {
  const { format, enabled, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(format !== undefined, (rows) => rows.where('format', '=', format!))
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) =>
          eb.or([eb('name', 'ilike', containing(q!)), eb('description', 'ilike', containing(q!))]),
        ),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, 'feeds', query, fetch, present);
}

export async function getFeed(tx: TenantTx, id: string): Promise<Versioned<Feed>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return found('feed', id, row === undefined ? null : versioned(row, present));
}

export interface FeedToken {
  readonly token_prefix: string;
  readonly token_hash: Buffer;
}

export type NewFeed = Required<FeedPatch> & FeedToken;

export async function insertFeed(tx: TenantTx, feed: NewFeed): Promise<Versioned<Feed>> {
  const insert = tx.sql
    .insertInto('feed')
    .values({ tenant_id: tx.tenantId, id: uuidv7(), ...feed })
    .returning(COLUMNS);
  return versioned(
    await mapConstraintErrors('feed', { name: feed.name }, insert.executeTakeFirstOrThrow()),
    present,
  );
}

export async function updateFeed(
  tx: TenantTx,
  id: string,
  change: FeedPatch | FeedToken,
  version: number | null,
): Promise<Versioned<Feed>> {
  await lockForChange(tx, 'feed', id, version);
  const update = tx.sql
    .updateTable('feed')
    .set({ ...change, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .returning(COLUMNS);
  return versioned(
    await mapConstraintErrors('feed', { ...change }, update.executeTakeFirstOrThrow()),
    present,
  );
}

export async function deleteFeed(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'feed', id, version);
  await tx.sql.deleteFrom('feed').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
}

/** A feed with what is needed to serve it. */
export interface FeedToServe extends Row {
  readonly tenant_id: string;
  readonly tenant_slug: string;
  readonly tried: string | null;
}

/** The feed of this token, in any active tenant. */
export async function findFeedByToken(tx: SystemTx, tokenHash: Buffer): Promise<FeedToServe | null> {
  const row = await tx.sql
    .selectFrom('feed')
    .innerJoin('tenant', 'tenant.id', 'feed.tenant_id')
    .select(COLUMNS.map((column) => `feed.${column}` as const))
    .select(['feed.tenant_id', 'feed.tried', 'tenant.slug as tenant_slug'])
    .where('feed.token_hash', '=', tokenHash)
    .where('tenant.status', '=', 'active')
    .executeTakeFirst();
  return row ?? null;
}

/** How an attempt to render the content ended. */
export interface FeedOutcome {
  /** The state that was attempted. */
  readonly tried: string;
  readonly made:
    | { readonly ok: true; readonly served: ServedFeed }
    | { readonly ok: false; readonly error: string };
}

/**
 * Records the outcome if the feed is still the one that was tried. It is not an edit, so the version stays.
 * @param remember recently served content, including the present one
 */
export async function recordFeedOutcome(
  tx: TenantTx,
  { id, version }: Pick<FeedToServe, 'id' | 'version'>,
  { tried, made }: FeedOutcome,
  remember: (before: ServedFeed | null, served: ServedFeed) => readonly FeedMemory[],
): Promise<void> {
  const row = await tx.sql
    .selectFrom('feed')
    .select('served')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .where('version', '=', version)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return;
  const set = made.ok
    ? {
        served: JSON.stringify({ ...made.served, memories: remember(row.served, made.served) }),
        served_revision_id: made.served.revision_id,
        ...{ status: 'ok' as const, last_error: null },
      }
    : {
        status: sql<'stale' | 'failed'>`CASE WHEN served IS NULL THEN 'failed' ELSE 'stale' END`,
        last_error: made.error,
      };
  await tx.sql
    .updateTable('feed')
    .set({ tried, ...set })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}

/** Who last fetched a feed, and how many seconds ago. */
export interface FeedFetch {
  readonly id: string;
  readonly by: string;
  readonly age: number;
}

export async function recordFeedFetches(tx: SystemTx, fetches: readonly FeedFetch[]): Promise<void> {
  await sql`
    UPDATE feed SET last_fetched_at = now() - make_interval(secs => f.age), last_fetched_by = f.by
      FROM jsonb_to_recordset(${JSON.stringify(fetches)}::jsonb) AS f (id uuid, "by" text, age float8)
     WHERE feed.id = f.id`.execute(tx.sql);
}
