import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { v7 as uuidv7 } from 'uuid';
import type { Page, PrefixCount } from '../../api/shapes/page.ts';
import {
  type Finding,
  NEWEST_REVISION_FIRST,
  type Revision,
  type RevisionQuery,
} from '../../api/revisions/revisions.ts';
import { type TenantTx, type Versioned, emitEvent } from '../database/database.ts';
import { writeTime } from '../database/column-types.ts';
import { lockTenant } from '../database/locks.ts';
import type { JudgedModule } from './held-modules.ts';
import { appliedSpans, firstOf, periodsOf } from './applied-periods.ts';
import { eventOf, modulesOf } from './revision-events.ts';
import { type RevisionInput, insertInputs } from './revision-history.ts';
import { type Place, behind, fetchEach, readSort, readSorted, valuesOf } from '../database/pagination.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';

export interface NewRevision {
  readonly state: Revision['state'];
  readonly content_hash: string;
  readonly parent_id: string | null;
  readonly rollback_of: string | null;
  readonly trigger: Revision['trigger'];
  readonly reason?: Revision['reason'];
  readonly prefix_count: PrefixCount;
  readonly communities: Revision['communities'];
  /** Null, or left out: nobody has counted them. */
  readonly without_community?: Revision['without_community'];
  readonly warnings: Revision['warnings'];
  readonly findings?: readonly Finding[];
  readonly quarantined?: readonly JudgedModule[];
  /** The guardrails by which the findings were found. */
  readonly rails_hash?: string | null;
}

/**
 * Adds the tenant's next revision. The row of the tenant is locked until the end, so numbers have no gaps.
 * @param inputs what it was built from: contents, lists of entries and policies that are stored
 */
export async function insertRevision(
  tx: TenantTx,
  revision: NewRevision,
  inputs: readonly RevisionInput[] = [],
): Promise<Revision> {
  const id = uuidv7();
  const row = await tx.sql
    .with('inputs', () => sql<Readonly<Record<string, never>>>`(${insertInputs(tx, id, inputs)})`)
    .with('next', (with_) =>
      with_
        .updateTable('tenant')
        .set((eb) => ({ last_revision_number: eb('last_revision_number', '+', 1) }))
        .where('id', '=', tx.tenantId)
        .returning('last_revision_number as number'),
    )
    .insertInto('revision')
    .values((eb) => ({
      tenant_id: tx.tenantId,
      id,
      number: eb.selectFrom('next').select('number'),
      state: revision.state,
      findings: JSON.stringify(revision.findings ?? []),
      quarantined: JSON.stringify(revision.quarantined ?? []),
      rails_hash: typeof revision.rails_hash === 'string' ? Buffer.from(revision.rails_hash, 'hex') : null,
      content_hash: Buffer.from(revision.content_hash, 'hex'),
      parent_id: revision.parent_id,
      rollback_of: revision.rollback_of,
      trigger: JSON.stringify(revision.trigger),
      reason: revision.reason ?? null,
      prefix_count_ipv4: revision.prefix_count.ipv4,
      prefix_count_ipv6: revision.prefix_count.ipv6,
      communities: JSON.stringify(revision.communities),
      without_community_ipv4: revision.without_community?.ipv4 ?? null,
      without_community_ipv6: revision.without_community?.ipv6 ?? null,
      warnings: JSON.stringify(revision.warnings),
    }))
    .returningAll()
    .executeTakeFirstOrThrow();
  const resource = present({ ...row, applied_on: [], applied_spans: [] });
  emitEvent(tx, eventOf(resource, await modulesOf(tx, resource)));
  return resource;
}

/**
 * Makes a held revision a ready one: somebody has let it through for all. Else an older one would stay the latest, and the next apply would
 * take back what this one did.
 * @param quarantined the modules that are held with it
 */
export async function letRevisionThrough(
  tx: TenantTx,
  revision: Revision,
  quarantined: readonly JudgedModule[] = revision.quarantined,
): Promise<void> {
  await tx.sql
    .updateTable('revision')
    .set({ state: 'ready', quarantined: JSON.stringify(quarantined) })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', revision.id)
    .execute();
  const ready = eventOf({ ...revision, state: 'ready' }, []);
  emitEvent(tx, { ...ready, text: `${ready.text}; it was held, and an operator overrode the guardrails` });
}

/** The newest first where the query says nothing else. */
export function listRevisions(tx: TenantTx, query: RevisionQuery): Promise<Page<Revision>> {
  const { pinned, since, until, sort = NEWEST_REVISION_FIRST } = query;
  const { by, isDescending } = readSort<'number' | 'created_at'>(sort);
  const direction = isDescending ? 'desc' : 'asc';
  const fetchOne = (after: Place | null, limit: number, state: Revision['state'] | undefined) =>
    selectRevisions(tx)
      .$if(after !== null, (rows) => rows.where(behind(`revision.${by}`, 'revision.id', sort, after!)))
      .$if(state !== undefined, (rows) => rows.where('state', '=', state!))
      .$if(pinned !== undefined, (rows) => rows.where('pinned', '=', pinned!))
      .$if(since !== undefined, (rows) => rows.where('revision.created_at', '>=', writeTime(since!)))
      .$if(until !== undefined, (rows) => rows.where('revision.created_at', '<', writeTime(until!)))
      .orderBy(`revision.${by}`, direction)
      .orderBy('revision.id', direction)
      .limit(limit)
      .execute();
  const positionOf = (row: RevisionRow): number =>
    by === 'number' ? row.number : Date.parse(row.created_at);
  const fetch = (after: Place | null, limit: number): Promise<RevisionRow[]> =>
    fetchEach(valuesOf(query.state), (state) => fetchOne(after, limit, state), {
      ...{ isDescending, limit, positionOf },
    });
  const sorted: RevisionQuery = { ...query, sort };
  return readSorted(tx, 'revisions', sorted, fetch, positionOf, present);
}

export async function getRevision(tx: TenantTx, id: string): Promise<Versioned<Revision>> {
  const row = await selectRevisions(tx).where('revision.id', '=', id).executeTakeFirst();
  return found('revision', id, row === undefined ? null : versioned(row, present));
}

export async function findRevision(tx: TenantTx, id: string): Promise<Revision | null> {
  const row = await selectRevisions(tx).where('revision.id', '=', id).executeTakeFirst();
  return row === undefined ? null : present(row);
}

/** The number of the newest held revision that is newer than this one; null: there is none. */
export async function findNewerHeld(tx: TenantTx, id: string): Promise<number | null> {
  const row = await tx.sql
    .selectFrom('revision')
    .innerJoin('revision as this', 'this.tenant_id', 'revision.tenant_id')
    .select('revision.number')
    .where('revision.tenant_id', '=', tx.tenantId)
    .where('this.id', '=', id)
    .where('revision.state', '=', 'held')
    .whereRef('revision.number', '>', 'this.number')
    .orderBy('revision.number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.number ?? null;
}

export async function findLatestReadyRevision(tx: TenantTx): Promise<Revision | null> {
  const row = await selectRevisions(tx)
    .where('state', '=', 'ready')
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : present(row);
}

export async function findRevisionNumber(tx: TenantTx, id: string): Promise<number | null> {
  const row = await tx.sql
    .selectFrom('revision')
    .select('number')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.number ?? null;
}

export async function findRevisionNumbered(tx: TenantTx, number: number): Promise<Revision | null> {
  const row = await selectRevisions(tx).where('number', '=', number).executeTakeFirst();
  return row === undefined ? null : present(row);
}

/** What enabled speakers run; of several revisions the one that was applied last. */
export async function findAppliedRevision(tx: TenantTx, besides?: string): Promise<Revision | null> {
  const row = await selectRunning(tx)
    .$if(besides !== undefined, (rows) => rows.where('speaker.id', '!=', besides!))
    .executeTakeFirst();
  return row === undefined ? null : present(row);
}

/** The newest good revision of its content, which shows best what was let through of it; itself where there is none that is newer. */
export async function findNewestAlike(tx: TenantTx, revision: Revision): Promise<Revision> {
  if (revision.content_hash === null) return revision;
  const row = await selectRevisions(tx)
    .where('revision.content_hash', '=', Buffer.from(revision.content_hash, 'hex'))
    .where('state', '=', 'ready')
    .where('number', '>', revision.number)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? revision : present(row);
}

/**
 * What enabled speakers run and are to go on running: not what is tried on canaries while others wait for them, nor what is being taken back.
 * Null also while there is only such.
 */
export async function findSettledRevision(tx: TenantTx): Promise<Revision | null> {
  const row = await selectRunning(tx)
    .where(
      sql<boolean>`NOT EXISTS (
        SELECT FROM speaker_apply tried
         WHERE tried.tenant_id = speaker.tenant_id AND tried.speaker_id = speaker.id AND tried.revision_id = revision.id
           AND (tried.state = 'undoing'
                OR tried.state = 'succeeded' AND EXISTS (
                  SELECT FROM speaker_apply waiting
                   WHERE waiting.tenant_id = tried.tenant_id AND waiting.job_id = tried.job_id AND waiting.state = 'planned')))`,
    )
    .executeTakeFirst();
  return row === undefined ? null : present(row);
}

/** Of what enabled speakers run, the one that was applied last. */
function selectRunning(tx: TenantTx) {
  return selectRevisions(tx)
    .innerJoin('speaker', (join) =>
      join
        .onRef('speaker.tenant_id', '=', 'revision.tenant_id')
        .onRef('speaker.applied_revision_id', '=', 'revision.id'),
    )
    .where('speaker.enabled', '=', true)
    .orderBy('speaker.applied_at', 'desc')
    .orderBy('revision.number', 'desc')
    .limit(1);
}

/** Of whatever state. */
export async function findNewestRevision(tx: TenantTx): Promise<Revision | null> {
  const row = await selectRevisions(tx).orderBy('number', 'desc').limit(1).executeTakeFirst();
  return row === undefined ? null : present(row);
}

/** Pins the revision, so that it is never pruned, or lets it go. */
export async function pinRevision(
  tx: TenantTx,
  id: string,
  pinned: boolean,
  version: number | null,
): Promise<Versioned<Revision>> {
  await lockTenant(tx, 'revision'); // a prune that is at work would not see it
  await lockForChange(tx, 'revision', id, version);
  await tx.sql
    .updateTable('revision')
    .set({ pinned, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
  return getRevision(tx, id);
}

type RevisionRow = Awaited<ReturnType<ReturnType<typeof selectRevisions>['executeTakeFirstOrThrow']>>;

function selectRevisions(tx: TenantTx) {
  return tx.sql
    .selectFrom('revision')
    .selectAll('revision')
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('speaker')
          .select(['speaker.id as speaker_id', 'speaker.applied_at', 'speaker.enabled'])
          .whereRef('speaker.tenant_id', '=', 'revision.tenant_id')
          .whereRef('speaker.applied_revision_id', '=', 'revision.id')
          .orderBy('speaker.id'),
      ).as('applied_on'),
    )
    .select(appliedSpans(tx).as('applied_spans'))
    .where('revision.tenant_id', '=', tx.tenantId);
}

function present(row: RevisionRow): Revision {
  return {
    id: row.id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    number: row.number,
    state: row.state,
    findings: row.findings,
    quarantined: row.quarantined,
    content_hash: row.content_hash?.toString('hex') ?? null,
    parent_id: row.parent_id,
    rollback_of: row.rollback_of,
    trigger: row.trigger,
    reason: row.reason,
    prefix_count: { ipv4: row.prefix_count_ipv4, ipv6: row.prefix_count_ipv6 },
    communities: row.communities,
    without_community:
      row.without_community_ipv4 === null || row.without_community_ipv6 === null
        ? null
        : { ipv4: row.without_community_ipv4, ipv6: row.without_community_ipv6 },
    warnings: row.warnings,
    pinned: row.pinned,
    // Inside JSON the server writes times its own way.
    applied_on: row.applied_on.map(({ speaker_id, applied_at }) => ({
      speaker_id,
      applied_at: new Date(applied_at ?? row.updated_at).toISOString(),
    })),
    first_applied_at: firstOf(row.applied_spans),
    applied_periods: periodsOf(
      row.applied_spans,
      row.applied_on.some(({ enabled }) => enabled),
    ),
  };
}

/** Of each revision that there is the communities in its routes, by the values that they had when it was built. */
export async function listRevisionCommunities(
  tx: TenantTx,
  ids: readonly string[],
): Promise<Revision['communities'][]> {
  if (ids.length === 0) return [];
  const rows = await tx.sql
    .selectFrom('revision')
    .select('communities')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ communities }) => communities);
}
