import { type RawBuilder, sql } from 'kysely';
import type { EventKind } from '../api/activity/events.ts';
import type { TenantTx } from './database/database.ts';
import { lockTenant } from './database/locks.ts';

/** Channel with a hint for each change that creates an event; the payload is the tenant. See migrations/0006_events.sql. */
export const EVENTS_CHANNEL = 'prefixcast_events';

/** Older events are removed, and so are those that precede this many newer ones of their tenant. */
const KEPT = sql`interval '24 hours'`;
const KEPT_AT_MOST = 100_000;

/** Events that get their numbers in one statement. */
const NUMBERED_AT_ONCE = 10_000;

export interface StoredEvent {
  /** In the order of writing. */
  readonly entry: number;
  /** Consecutive for the tenant, in the order in which all readers see them. */
  readonly sequence: number;
  readonly kind: EventKind;
  readonly data: Record<string, unknown>;
}

/**
 * The events after that one, in order. An event that is committed later has a higher number than any that was ever read, so a reader that
 * continues from its last event misses none and sees none twice.
 */
export async function readEvents(tx: TenantTx, after: number, limit: number): Promise<StoredEvent[]> {
  await numberEvents(tx);
  return readNumbered(tx, after, limit);
}

/** {@link readEvents}, without those that have no number yet: for a transaction that must wait for nobody. */
export async function readNumbered(tx: TenantTx, after: number, limit: number): Promise<StoredEvent[]> {
  const rows = await tx.sql
    .selectFrom('event')
    .select(['entry', 'sequence', 'kind', 'data', 'written_at'])
    .where('tenant_id', '=', tx.tenantId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute();
  return rows.map(({ entry, sequence, kind, data, written_at: at }) => ({
    entry,
    sequence: sequence!,
    kind,
    data: { at, ...data },
  }));
}

/** The range of the tenant's events. Some of those up to `pruned` were removed. */
export async function readEventRange(tx: TenantTx): Promise<{ last: number; pruned: number }> {
  // All of them: a new reader must not receive events from before.
  while (await numberEvents(tx)) continue;
  return readNumberedRange(tx);
}

/** {@link readEventRange} of the events that have a number. */
export async function readNumberedRange(tx: TenantTx): Promise<{ last: number; pruned: number }> {
  const row = await tx.sql
    .selectFrom('event_counter')
    .select(['last_sequence as last', 'pruned_sequence as pruned'])
    .where('tenant_id', '=', tx.tenantId)
    .executeTakeFirst();
  return row ?? { last: 0, pruned: 0 };
}

/**
 * Where a reader begins that is sent what happens from now on: behind the last number, without the events that have none yet. One
 * statement reads both, so that no event is missing from them; it waits for nobody.
 */
export function fromNowOn({ tenantId }: Pick<TenantTx, 'tenantId'>): {
  readonly position: RawBuilder<number>;
  readonly passed: RawBuilder<number[]>;
} {
  return {
    position: sql<number>`coalesce((SELECT last_sequence FROM event_counter WHERE tenant_id = ${tenantId}), 0)`,
    passed: sql<number[]>`ARRAY(SELECT entry FROM event WHERE tenant_id = ${tenantId} AND sequence IS NULL)`,
  };
}

/** Whether an event has no number yet. */
export async function hasFreshEvents(tx: TenantTx): Promise<boolean> {
  const { rows } = await sql`SELECT FROM event WHERE ${isFresh(tx)} LIMIT 1`.execute(tx.sql);
  return rows.length > 0;
}

const isFresh = (tx: TenantTx) => sql`tenant_id = ${tx.tenantId} AND sequence IS NULL`;

/**
 * Numbers committed events, under a lock: a reader that sees a number sees all lower ones. Transactions that write events are not involved
 * and never wait.
 * @returns whether there may be more
 */
export async function numberEvents(tx: TenantTx): Promise<boolean> {
  if (!(await hasFreshEvents(tx))) return false;
  await lockTenant(tx, 'events');
  const { numAffectedRows } = await sql`
    WITH fresh AS (
      SELECT entry, row_number() OVER (ORDER BY entry) AS place
        FROM (SELECT entry FROM event WHERE ${isFresh(tx)} ORDER BY entry LIMIT ${NUMBERED_AT_ONCE}) AS oldest
    ),
    counted AS (
      INSERT INTO event_counter AS counter (tenant_id, last_sequence)
      SELECT ${tx.tenantId}::uuid, count(*) FROM fresh
      ON CONFLICT (tenant_id) DO UPDATE SET last_sequence = counter.last_sequence + excluded.last_sequence
      RETURNING last_sequence - (SELECT count(*) FROM fresh) AS before
    )
    UPDATE event SET sequence = counted.before + fresh.place
      FROM fresh, counted
     WHERE event.tenant_id = ${tx.tenantId} AND event.entry = fresh.entry`.execute(tx.sql);
  return numAffectedRows === BigInt(NUMBERED_AT_ONCE);
}

/** Writes an event that no trigger can: for something that was deleted. */
export async function writeEvent(
  tx: TenantTx,
  kind: EventKind,
  data: Readonly<Record<string, unknown>>,
): Promise<void> {
  await sql`SELECT write_event(${tx.tenantId}, ${kind}, ${JSON.stringify(data)}::jsonb)`.execute(tx.sql);
}

/** Removes the tenant's events that are too old, or too many. */
export async function pruneEvents(tx: TenantTx): Promise<void> {
  const { last } = await readEventRange(tx);
  await sql`
    WITH bound AS (
      SELECT greatest(max(sequence), ${last - KEPT_AT_MOST}::bigint) AS sequence
        FROM event WHERE tenant_id = ${tx.tenantId} AND sequence IS NOT NULL AND written_at < now() - ${KEPT}
    ),
    noted AS (
      UPDATE event_counter SET pruned_sequence = greatest(pruned_sequence, bound.sequence)
        FROM bound WHERE tenant_id = ${tx.tenantId}
    )
    DELETE FROM event USING bound
     WHERE tenant_id = ${tx.tenantId} AND event.sequence <= bound.sequence`.execute(tx.sql);
}
