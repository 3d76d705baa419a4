/** Peers that did not bear what their speaker runs, and hold what they held before. */
import { sql, type RawBuilder } from 'kysely';
import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';
import type { TenantTx } from '../database/database.ts';

export interface KnownReverted extends RevertedPeer {
  /** Somebody changed the peer since. */
  readonly is_changed: boolean;
  /** Routes of the revision that it holds. */
  readonly held_routes: number;
  /** It has come back since it failed. */
  readonly is_back: boolean;
  /** Newer routes may cost it the session once more: the pause that its failure asks for is over. */
  readonly is_due: boolean;
  /** The same routes are not tried again but on request. */
  readonly is_spent: boolean;
}

/** An UPDATE message error, or Cease for the number of prefixes or want of resources (RFC 4271 section 4.5, RFC 4486). */
const refuses = (row: string): RawBuilder<boolean> => {
  const notification = sql.ref(`${row}.notification`);
  return sql`coalesce((${notification}->>'code')::int = 3
    OR (${notification}->>'code')::int = 6 AND (${notification}->>'subcode')::int IN (1, 8), false)`;
};

/**
 * The pause after the first failure, from the peer's return on, the factor for each further one, and the longest. BIRD keeps a peer away for
 * 60 s after an error, and for longer each time unless it was up for 300 s in between.
 */
const FIRST_PAUSE_SECONDS = 900;
const PAUSE_FACTOR = 4;
const LONGEST_PAUSE_SECONDS = 86_400;
/** How much longer than its last outage a peer keeps what it holds at least. */
const OUTAGE_FACTOR = 10;
/** How many tries are made by themselves after the first failure. */
const AUTOMATIC_TRIES = 3;

const PAUSE_IS_OVER = sql<boolean>`coalesce(now() >= r.returned_at + make_interval(secs => greatest(
  ${OUTAGE_FACTOR}::float8 * r.outage_seconds,
  least(${LONGEST_PAUSE_SECONDS}::float8,
        ${FIRST_PAUSE_SECONDS}::float8 * ${PAUSE_FACTOR}::float8 ^ least(r.tries - 1, 16)))), false)`;

export async function listRevertedPeers(tx: TenantTx, speakerId: string): Promise<KnownReverted[]> {
  return tx.sql
    .selectFrom('reverted_peer as r')
    .innerJoin('peer as p', (join) =>
      join.onRef('p.tenant_id', '=', 'r.tenant_id').onRef('p.id', '=', 'r.peer_id'),
    )
    .select([
      'r.peer_id',
      'r.revision_id',
      'r.tried_revision_id',
      'r.error',
      'r.notification',
      'r.retry',
      'r.narrowed',
    ])
    .select(['r.requested', 'r.tried_routes'])
    .leftJoin('revision as held', (join) =>
      join.onRef('held.tenant_id', '=', 'r.tenant_id').onRef('held.id', '=', 'r.revision_id'),
    )
    .select(sql<boolean>`p.updated_at > r.since`.as('is_changed'))
    .select(sql<number>`coalesce(held.prefix_count_ipv4 + held.prefix_count_ipv6, 0)`.as('held_routes'))
    .select(sql<boolean>`r.returned_at IS NOT NULL`.as('is_back'))
    .select(sql<boolean>`NOT ${refuses('r')} OR ${PAUSE_IS_OVER}`.as('is_due'))
    .select(sql<boolean>`${refuses('r')} AND r.tries > ${AUTOMATIC_TRIES}`.as('is_spent'))
    .where('r.tenant_id', '=', tx.tenantId)
    .where('r.speaker_id', '=', speakerId)
    .orderBy('r.peer_id')
    .execute();
}

/** Speakers of which a peer holds something else than they run. */
export async function listSpeakersWithReverted(tx: TenantTx): Promise<ReadonlySet<string>> {
  const rows = await tx.sql
    .selectFrom('reverted_peer')
    .select('speaker_id')
    .distinct()
    .where('tenant_id', '=', tx.tenantId)
    .execute();
  return new Set(rows.map(({ speaker_id: id }) => id));
}

/** Writes down since when these are back after they failed. */
export async function noteReturns(
  tx: TenantTx,
  speakerId: string,
  returns: readonly { readonly peer_id: string; readonly since: string }[],
): Promise<void> {
  await sql`
    UPDATE reverted_peer r
       SET returned_at = back.since, outage_seconds = ceil(greatest(0, extract(epoch FROM back.since - r.tried_at)))::integer
      FROM jsonb_to_recordset(${JSON.stringify(returns)}::jsonb) AS back (peer_id uuid, since timestamptz)
     WHERE r.tenant_id = ${tx.tenantId} AND r.speaker_id = ${speakerId} AND r.peer_id = back.peer_id
       AND r.returned_at IS NULL`.execute(tx.sql);
}

/** Puts these in the place of what is written down of the speaker's peers; a peer that is gone is left out. */
export async function replaceRevertedPeers(
  tx: TenantTx,
  speakerId: string,
  peers: readonly RevertedPeer[],
): Promise<void> {
  const ids = peers.map(({ peer_id: id }) => id);
  await tx.sql
    .deleteFrom('reverted_peer')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', speakerId)
    .where(sql<boolean>`peer_id <> ALL(${ids}::uuid[])`)
    .execute();
  if (peers.length === 0) return;
  await put(
    tx,
    speakerId,
    peers,
    sql`since = CASE WHEN old.error <> excluded.error THEN excluded.since ELSE old.since END`,
  );
}

/** Writes down that these have failed just now. */
export async function addRevertedPeers(
  tx: TenantTx,
  speakerId: string,
  peers: readonly RevertedPeer[],
): Promise<void> {
  await put(
    tx,
    speakerId,
    peers,
    sql`since = excluded.since, tried_at = excluded.tried_at, returned_at = NULL, outage_seconds = NULL,
        tries = CASE WHEN NOT ${refuses('old')}
                       OR EXISTS (SELECT FROM peer WHERE peer.tenant_id = old.tenant_id AND peer.id = old.peer_id
                                                     AND peer.updated_at > old.since)
                     THEN 1 ELSE old.tries + 1 END`,
  );
}

/** @param more what changes of those that are known, too */
async function put(
  tx: TenantTx,
  speakerId: string,
  peers: readonly RevertedPeer[],
  more: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    INSERT INTO reverted_peer AS old
           (tenant_id, speaker_id, peer_id, revision_id, tried_revision_id, tried_routes, error, notification, retry, requested,
            narrowed)
    SELECT ${tx.tenantId}, ${speakerId}, peer.id, new.revision_id, tried.id, new.tried_routes, new.error, new.notification,
           new.retry, new.requested, new.narrowed
      FROM jsonb_to_recordset(${JSON.stringify(peers)}::jsonb)
           AS new (peer_id uuid, revision_id uuid, tried_revision_id uuid, tried_routes integer, error text, notification jsonb,
                   retry boolean, requested boolean, narrowed boolean)
      JOIN peer ON peer.tenant_id = ${tx.tenantId} AND peer.id = new.peer_id
      LEFT JOIN revision tried ON tried.tenant_id = ${tx.tenantId} AND tried.id = new.tried_revision_id
     ORDER BY peer.id
       FOR KEY SHARE OF peer
    ON CONFLICT (tenant_id, speaker_id, peer_id) DO UPDATE
       SET revision_id = excluded.revision_id, tried_revision_id = excluded.tried_revision_id,
           tried_routes = excluded.tried_routes, error = excluded.error, notification = excluded.notification,
           retry = excluded.retry, requested = excluded.requested,
           narrowed = excluded.narrowed, ${more}`.execute(tx.sql);
}
