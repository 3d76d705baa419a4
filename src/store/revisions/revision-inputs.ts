import { type SelectQueryBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Module } from '../../api/lists/modules.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import type { PrefixCount } from '../../api/shapes/page.ts';
import type { TenantTx } from '../database/database.ts';
import type { HeldEntry } from './held-entries.ts';
import { type EntryInput, listRangeInputs, selectStamps } from './range-inputs.ts';
import { COLLECTED_TYPES, type CollectedType } from '../../api/entries/entry-kinds.ts';
import type { Tables } from '../generated/rows.ts';

/** A snapshot of a module, as revisions are built from it. */
export interface SnapshotInput {
  readonly content_hash: string;
  readonly prefix_count: PrefixCount;
  /** Of the list of entries that contributed to the snapshot; null: nothing of it changes by itself. */
  readonly entries_hash: string | null;
}

/** What was accepted of a module. */
export interface AcceptedInput extends SnapshotInput {
  /** Entries of the snapshot of which nothing was accepted, since they were disabled or gone. */
  readonly left_out: readonly string[];
}

/** An enabled module that has a snapshot: the latest. */
export interface ModuleInput extends SnapshotInput {
  readonly id: string;
  readonly name: string;
  readonly type: Module['type'];
  readonly purpose: Module['purpose'];
  readonly families: Module['families'];
  readonly community_id: string | null;
  /** Null: nothing yet. */
  readonly accepted: AcceptedInput | null;
  /** What somebody let through: this content may break these guardrails. */
  readonly released: { readonly content_hash: string; readonly codes: readonly string[] } | null;
  /** The content that a rollback took back; null: none. */
  readonly rolled_back_hash: string | null;
  /** Entries that did not count in it; null: unknown, since an earlier version wrote it. */
  readonly rolled_back_left_out: readonly string[] | null;
  /** Entries that were switched off while it was held, as far as they have not come back since. */
  readonly held_entries: readonly HeldEntry[];
}

/** The snapshot that a module is about to have. */
export interface NextSnapshot {
  readonly moduleId: string;
  readonly contentHash: string;
  readonly prefixCount: PrefixCount;
  readonly entriesHash: string | null;
}

/** What the tenant's next revision is made of, or would be if the one module had its next snapshot already. */
export async function listModuleInputs(tx: TenantTx, next?: NextSnapshot): Promise<ModuleInput[]> {
  const rows = await selectInputs(tx).orderBy('module.id').execute();
  return rows.flatMap((row) => {
    const latest = row.id === next?.moduleId ? asInput(next) : latestOf(row);
    if (latest === null) return [];
    const { id, name, type, purpose, families, community_id, released_codes, released_hash } = row;
    return {
      ...{ id, name, type, purpose, families, community_id, ...latest },
      accepted: acceptedOf(row),
      released:
        released_hash === null
          ? null
          : { content_hash: released_hash.toString('hex'), codes: released_codes ?? [] },
      rolled_back_hash: row.rolled_back_hash?.toString('hex') ?? null,
      rolled_back_left_out: row.rolled_back_left_out,
      held_entries: row.held_entries,
    };
  });
}

function selectInputs(tx: TenantTx) {
  return tx.sql
    .selectFrom('module')
    .leftJoin('snapshot', (join) =>
      join.onRef('snapshot.tenant_id', '=', 'module.tenant_id').onRef('snapshot.module_id', '=', 'module.id'),
    )
    .leftJoin('content', (join) =>
      join
        .onRef('content.tenant_id', '=', 'snapshot.tenant_id')
        .onRef('content.content_hash', '=', 'snapshot.content_hash'),
    )
    .leftJoin('accepted_snapshot as accepted', (join) =>
      join.onRef('accepted.tenant_id', '=', 'module.tenant_id').onRef('accepted.module_id', '=', 'module.id'),
    )
    .leftJoin('content as accepted_content', (join) =>
      join
        .onRef('accepted_content.tenant_id', '=', 'accepted.tenant_id')
        .onRef('accepted_content.content_hash', '=', 'accepted.content_hash'),
    )
    .leftJoin('released_snapshot as released', (join) =>
      join.onRef('released.tenant_id', '=', 'module.tenant_id').onRef('released.module_id', '=', 'module.id'),
    )
    .leftJoin('rolled_back_snapshot as rolled_back', (join) =>
      join
        .onRef('rolled_back.tenant_id', '=', 'module.tenant_id')
        .onRef('rolled_back.module_id', '=', 'module.id'),
    )
    .select([
      'module.id',
      'module.name',
      'module.type',
      'module.purpose',
      'module.families',
      'module.community_id',
    ])
    .select(['snapshot.content_hash', 'snapshot.entries_hash'])
    .select(['content.prefix_count_ipv4', 'content.prefix_count_ipv6'])
    .select(['accepted.content_hash as accepted_hash', 'accepted.entries_hash as accepted_entries'])
    .select(['accepted.left_out', 'accepted_content.prefix_count_ipv4 as accepted_ipv4'])
    .select('accepted_content.prefix_count_ipv6 as accepted_ipv6')
    .select(['rolled_back.content_hash as rolled_back_hash', 'rolled_back.left_out as rolled_back_left_out'])
    .select(['released.content_hash as released_hash', 'released.codes as released_codes'])
    .select(
      sql<HeldEntry[]>`(
        SELECT coalesce(json_agg(json_build_object('entry', entry_id || ' ' || version, 'content_hash', encode(content_hash, 'hex'))
                                 ORDER BY entry_id), '[]')
          FROM entry_before_hold h WHERE h.tenant_id = module.tenant_id AND h.module_id = module.id)`.as(
        'held_entries',
      ),
    )
    .where('module.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true);
}

type InputRow = Awaited<ReturnType<ReturnType<typeof selectInputs>['executeTakeFirstOrThrow']>>;

function asInput({ contentHash, prefixCount, entriesHash }: NextSnapshot): SnapshotInput {
  return { content_hash: contentHash, prefix_count: prefixCount, entries_hash: entriesHash };
}

function latestOf(row: InputRow): SnapshotInput | null {
  if (row.content_hash === null) return null;
  return {
    content_hash: row.content_hash.toString('hex'),
    prefix_count: { ipv4: row.prefix_count_ipv4 ?? 0, ipv6: row.prefix_count_ipv6 ?? 0 },
    entries_hash: row.entries_hash?.toString('hex') ?? null,
  };
}

function acceptedOf(row: InputRow): AcceptedInput | null {
  if (row.accepted_hash === null) return null;
  return {
    content_hash: row.accepted_hash.toString('hex'),
    prefix_count: { ipv4: row.accepted_ipv4 ?? 0, ipv6: row.accepted_ipv6 ?? 0 },
    entries_hash: row.accepted_entries?.toString('hex') ?? null,
    left_out: row.left_out ?? [],
  };
}

/**
 * The enabled entries of all enabled modules.
 * @param staleHours leaves out those that were not read with success for longer; null: none
 */
export async function listEntryInputs(tx: TenantTx, staleHours: number | null = null): Promise<EntryInput[]> {
  const entries = (table: CollectedType) =>
    tx.sql
      .selectFrom(table)
      .select(['id', 'module_id', 'community_ids'])
      .where('tenant_id', '=', tx.tenantId)
      .where('enabled', '=', true)
      .$if(staleHours !== null, (rows) => rows.where(sql<boolean>`NOT ${isStale(staleHours!)}`));
  // One statement for both; the range modules' rows have no communities.
  const rows = await tx.sql
    .selectFrom(allOf(COLLECTED_TYPES.map(entries)).as('entry'))
    .innerJoin('module', 'module.id', 'entry.module_id')
    .select('entry.module_id')
    .select(sql<readonly string[] | null>`entry.community_ids`.as('community_ids'))
    .select(sql<string>`string_agg(entry.id::text, ',' ORDER BY entry.id)`.as('text'))
    .where('module.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true)
    .groupBy(['entry.module_id', 'entry.community_ids'])
    .unionAll(selectStamps(tx))
    .orderBy('module_id')
    .orderBy('community_ids')
    .execute();
  const collected = rows.flatMap(({ module_id, community_ids, text: entry_ids }) =>
    community_ids === null ? [] : [{ module_id, community_ids, entry_ids }],
  );
  const stamps = rows.flatMap(({ module_id, community_ids, text: stamp }) =>
    community_ids === null ? [{ module_id, stamp }] : [],
  );
  // Each module has entries of one kind.
  const all = [...collected, ...(await listRangeInputs(tx, stamps))];
  return all.sort((one, other) =>
    one.module_id < other.module_id ? -1 : Number(one.module_id > other.module_id),
  );
}

/** What was never read has nothing that could be stale. */
function isStale(hours: number) {
  return sql<boolean>`coalesce(last_refreshed_at < now() - make_interval(hours => ${hours}::int), false)`;
}

/** An entry whose prefixes are older than they should be. */
export interface StaleEntry {
  readonly module_id: string;
  readonly module_name: string;
  readonly id: string;
  readonly hours: number;
}

/**
 * The enabled entries that hold prefixes and were not read with success for longer, at most `limit`, the oldest first.
 * @param moduleId of this one only
 */
export function listStaleEntries(
  tx: TenantTx,
  hours: number,
  limit: number,
  moduleId?: string,
): Promise<StaleEntry[]> {
  return selectStale(tx, hours, limit, moduleId).execute();
}

function selectStale(tx: TenantTx, hours: number, limit: number, moduleId?: string) {
  const entries = (table: CollectedType) =>
    tx.sql
      .selectFrom(table)
      .select(['id', 'module_id', 'last_refreshed_at'])
      .where('tenant_id', '=', tx.tenantId)
      .where('enabled', '=', true)
      .$if(moduleId !== undefined, (rows) => rows.where('module_id', '=', moduleId!))
      .where(sql<boolean>`prefix_count_ipv4 + prefix_count_ipv6 > 0`)
      .where(isStale(hours));
  return tx.sql
    .selectFrom(allOf(COLLECTED_TYPES.map(entries)).as('entry'))
    .innerJoin('module', 'module.id', 'entry.module_id')
    .select(['entry.module_id', 'module.name as module_name', 'entry.id'])
    .select(sql<number>`floor(extract(epoch FROM now() - entry.last_refreshed_at) / 3600)::int`.as('hours'))
    .where('module.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true)
    .orderBy('entry.last_refreshed_at')
    .orderBy('entry.id')
    .limit(limit);
}

/** What a revision has to warn of. */
export interface WarningFacts {
  /** What the snapshots of enabled modules contain, and what was accepted of each, oldest module first. */
  readonly snapshots: readonly {
    readonly module_id: string;
    readonly warnings: readonly Finding[];
    readonly accepted: readonly Finding[] | null;
  }[];
  /** As {@link listStaleEntries}. */
  readonly stale: readonly StaleEntry[];
}

/** @param hours and limit of {@link listStaleEntries} */
export async function readWarningFacts(tx: TenantTx, hours: number, limit: number): Promise<WarningFacts> {
  const snapshots = tx.sql
    .selectFrom('snapshot')
    .innerJoin('module', (join) =>
      join.onRef('module.tenant_id', '=', 'snapshot.tenant_id').onRef('module.id', '=', 'snapshot.module_id'),
    )
    .leftJoin('accepted_snapshot as accepted', (join) =>
      join.onRef('accepted.tenant_id', '=', 'module.tenant_id').onRef('accepted.module_id', '=', 'module.id'),
    )
    .select(['module.id as module_id', 'snapshot.warnings', 'accepted.warnings as accepted'])
    .where('snapshot.tenant_id', '=', tx.tenantId)
    .where('module.enabled', '=', true)
    .where(sql<boolean>`(snapshot.warnings <> '[]' OR accepted.warnings <> '[]')`)
    .orderBy('module.id');
  return tx.sql
    .selectNoFrom([
      jsonArrayFrom(snapshots).as('snapshots'),
      jsonArrayFrom(selectStale(tx, hours, limit)).as('stale'),
    ])
    .executeTakeFirstOrThrow();
}

/** The rows of all of them, of which there is one at least. */
function allOf<Row>(selects: readonly SelectQueryBuilder<Tables, never, Row>[]) {
  return selects.reduce((all, select) => all.unionAll(select));
}
