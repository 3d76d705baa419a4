/** Peers that did not bear what their speaker runs, and hold what they held before. */
import { sql } from 'kysely';
import type { RevertedPeer } from '../../api/speakers/reverted-peer.ts';
import type { TenantTx } from '../database/database.ts';

export interface KnownReverted extends RevertedPeer {
  /** Somebody changed the peer since. */
  readonly is_changed: boolean;
  /** Routes of the revision that it holds. */
  readonly held_routes: number;
  /** Whether newer routes may cost it the session once more: of one that ended it for what it was sent, the pause doubles with each try. */
  readonly is_due: boolean;
}

/** An UPDATE message error, or Cease for the number of prefixes or want of resources (RFC 4271 section 4.5, RFC 4486). */
const REFUSES = sql<boolean | null>`((r.notification->>'code')::int = 3
  OR (r.notification->>'code')::int = 6 AND (r.notification->>'subcode')::int IN (1, 8))`;

/** The pause after the first try, and the longest. */
const FIRST_PAUSE_SECONDS = 60;
const LONGEST_PAUSE_SECONDS = 3_600;

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
    .leftJoin('revision as held', (join) =>
      join.onRef('held.tenant_id', '=', 'r.tenant_id').onRef('held.id', '=', 'r.revision_id'),
    )
    .select(sql<boolean>`p.updated_at > r.since`.as('is_changed'))
    .select(sql<number>`coalesce(held.prefix_count_ipv4 + held.prefix_count_ipv6, 0)`.as('held_routes'))
    .select(
      sql<boolean>`${REFUSES} IS NOT TRUE OR now() >= r.tried_at + make_interval(secs =>
        least(${LONGEST_PAUSE_SECONDS}::float8, ${FIRST_PAUSE_SECONDS}::float8 * 2 ^ least(r.tries - 1, 16)))`.as(
        'is_due',
      ),
    )
    .where('r.tenant_id', '=', tx.tenantId)
    .where('r.speaker_id', '=', speakerId)
    .orderBy('r.peer_id')
    .execute();
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
  if (peers.length > 0) await addRevertedPeers(tx, speakerId, peers);
}

/** Adds these to what is written down of the speaker's peers, or puts them in the place of what is. */
export async function addRevertedPeers(
  tx: TenantTx,
  speakerId: string,
  peers: readonly RevertedPeer[],
): Promise<void> {
  await sql`
    INSERT INTO reverted_peer AS old
           (tenant_id, speaker_id, peer_id, revision_id, tried_revision_id, error, notification, retry, narrowed)
    SELECT ${tx.tenantId}, ${speakerId}, peer.id, new.revision_id, tried.id, new.error, new.notification, new.retry, new.narrowed
      FROM jsonb_to_recordset(${JSON.stringify(peers)}::jsonb)
           AS new (peer_id uuid, revision_id uuid, tried_revision_id uuid, error text, notification jsonb, retry boolean, narrowed boolean)
      JOIN peer ON peer.tenant_id = ${tx.tenantId} AND peer.id = new.peer_id
      LEFT JOIN revision tried ON tried.tenant_id = ${tx.tenantId} AND tried.id = new.tried_revision_id
     ORDER BY peer.id
       FOR KEY SHARE OF peer
    ON CONFLICT (tenant_id, speaker_id, peer_id) DO UPDATE
       SET revision_id = excluded.revision_id, tried_revision_id = excluded.tried_revision_id, error = excluded.error,
           notification = excluded.notification, retry = excluded.retry, narrowed = excluded.narrowed,
           tries = CASE WHEN old.tried_revision_id IS DISTINCT FROM excluded.tried_revision_id THEN old.tries + 1 ELSE old.tries END,
           tried_at = CASE WHEN old.tried_revision_id IS DISTINCT FROM excluded.tried_revision_id
                           THEN excluded.tried_at ELSE old.tried_at END,
           since = CASE WHEN old.tried_revision_id IS DISTINCT FROM excluded.tried_revision_id
                          OR old.error <> excluded.error THEN excluded.since ELSE old.since END`.execute(
    tx.sql,
  );
}
