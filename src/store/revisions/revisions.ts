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
import { presentStored, selectStored, type StoredRevision } from './stored-revisions.ts';
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
  next: NewRevision,
  inputs: readonly RevisionInput[] = [],
): Promise<StoredRevision> {
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
      state: next.state,
      findings: JSON.stringify(next.findings ?? []),
      quarantined: JSON.stringify(next.quarantined ?? []),
      rails_hash: typeof next.rails_hash === 'string' ? Buffer.from(next.rails_hash, 'hex') : null,
      content_hash: Buffer.from(next.content_hash, 'hex'),
      parent_id: next.parent_id,
      rollback_of: next.rollback_of,
      trigger: JSON.stringify(next.trigger),
      reason: next.reason ?? null,
      prefix_count_ipv4: next.prefix_count.ipv4,
      prefix_count_ipv6: next.prefix_count.ipv6,
      communities: JSON.stringify(next.communities),
      without_community_ipv4: next.without_community?.ipv4 ?? null,
      without_community_ipv6: next.without_community?.ipv6 ?? null,
      warnings: JSON.stringify(next.warnings),
    }))
    .returningAll()
    .executeTakeFirstOrThrow();
  const revision = presentStored(row);
  emitEvent(tx, eventOf(revision, await modulesOf(tx, revision)));
  return revision;
}

/**
 * Makes a held revision a ready one: somebody has let it through for all. Else an older one would stay the latest, and the next apply would
 * take back what this one did.
 * @param quarantined the modules that are held with it
 */
export async function letRevisionThrough(
  tx: TenantTx,
  revision: StoredRevision,
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
  return selectStored(tx)
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
    .select(appliedSpans(tx).as('applied_spans'));
}

function present(row: RevisionRow): Revision {
  return {
    ...presentStored(row),
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
