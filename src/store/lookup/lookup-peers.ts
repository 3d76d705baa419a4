/** Peers that are not sent all that their speaker announces, as a lookup names them. */
import { sql } from 'kysely';
import type { Revision } from '../../api/revisions/revisions.ts';
import type { Family } from '../../core/address.ts';
import type { TenantTx } from '../database/database.ts';

/** A peer of an enabled speaker that holds an older revision than that runs. */
export interface LookupReverted {
  readonly peer_id: string;
  readonly peer: string;
  readonly speaker_id: string;
  readonly speaker: string;
  /** What it holds; both null: nothing. */
  readonly number: number | null;
  readonly content_hash: string | null;
  readonly communities: Revision['communities'];
  /** It holds of that only what the speaker announces too. */
  readonly narrowed: boolean;
  /** Whether it has a session: nobody knows what one without still has. */
  readonly is_up: boolean;
  readonly families: readonly Family[];
  /** Communities that it is sent; none: all. */
  readonly community_ids: readonly string[];
  readonly error: string;
}

export async function listRevertedForLookup(tx: TenantTx): Promise<LookupReverted[]> {
  const { rows } = await sql<Omit<LookupReverted, 'content_hash'> & { content_hash: Buffer | null }>`
    SELECT peer.id AS peer_id, peer.name AS peer, speaker.id AS speaker_id, speaker.name AS speaker,
           held.number, held.content_hash, coalesce(held.communities, '[]') AS communities, r.narrowed, r.error, peer.families,
           EXISTS (SELECT FROM speaker_session s
                    WHERE s.tenant_id = r.tenant_id AND s.speaker_id = r.speaker_id AND s.peer_id = r.peer_id
                      AND s.state = 'established') AS is_up,
           ARRAY(SELECT c.community_id::text FROM peer_community c
                  WHERE c.tenant_id = peer.tenant_id AND c.peer_id = peer.id) AS community_ids
      FROM reverted_peer r
      JOIN peer ON peer.tenant_id = r.tenant_id AND peer.id = r.peer_id AND peer.enabled
      JOIN speaker ON speaker.tenant_id = r.tenant_id AND speaker.id = r.speaker_id AND speaker.enabled
      LEFT JOIN revision held ON held.tenant_id = r.tenant_id AND held.id = r.revision_id
     WHERE r.tenant_id = ${tx.tenantId}
       AND r.revision_id IS DISTINCT FROM speaker.applied_revision_id
     ORDER BY speaker.id, peer.id`.execute(tx.sql);
  return rows.map((row) => ({ ...row, content_hash: row.content_hash?.toString('hex') ?? null }));
}

/** A peer of an enabled speaker that would be sent more routes than its limit, and keeps what it has. */
export interface LookupLimited {
  readonly peer_id: string;
  readonly peer: string;
  readonly speaker_id: string;
  readonly speaker: string;
  readonly max_prefixes_out: number | null;
  /** It is sent covers, and so may hold one. */
  readonly fits: boolean;
  /** What its speaker ran when it was sent all of it last; null: nothing. */
  readonly content_hash: string | null;
  /** What it was sent of that: labels (null: all) and families. */
  readonly held_labels: readonly string[] | null;
  readonly held_families: readonly Family[];
  readonly families: readonly Family[];
  /** Communities that it is sent; none: all. */
  readonly community_ids: readonly string[];
}

export async function listLimitedForLookup(tx: TenantTx): Promise<LookupLimited[]> {
  const { rows } = await sql<Omit<LookupLimited, 'content_hash'> & { content_hash: Buffer | null }>`
    SELECT peer.id AS peer_id, peer.name AS peer, speaker.id AS speaker_id, speaker.name AS speaker,
           peer.max_prefixes_out, peer.when_too_many = 'fit' AS fits, held.content_hash,
           l.labels AS held_labels, l.families AS held_families, peer.families,
           ARRAY(SELECT c.community_id::text FROM peer_community c
                  WHERE c.tenant_id = peer.tenant_id AND c.peer_id = peer.id) AS community_ids
      FROM limited_peer l
      JOIN peer ON peer.tenant_id = l.tenant_id AND peer.id = l.peer_id AND peer.enabled
      JOIN speaker ON speaker.tenant_id = l.tenant_id AND speaker.id = l.speaker_id AND speaker.enabled
      LEFT JOIN revision held ON held.tenant_id = l.tenant_id AND held.id = l.revision_id
     WHERE l.tenant_id = ${tx.tenantId}
     ORDER BY speaker.id, peer.id`.execute(tx.sql);
  return rows.map((row) => ({ ...row, content_hash: row.content_hash?.toString('hex') ?? null }));
}

/** A peer that is sent no route of a family, since nothing says which next hop these have. */
export interface LookupNextHop {
  readonly peer_id: string;
  readonly peer: string;
  readonly speaker_id: string;
  readonly speaker: string;
  readonly family: Family;
  /** Communities that it is sent; none: all. */
  readonly community_ids: readonly string[];
}

/**
 * A session over one family gives routes of that family its own address as their next hop; those of the other have that of the peer, of
 * a community, of the speaker or of the tenant. Where some community sets one for the family, nothing is answered: it depends on the route.
 */
export async function listWithoutNextHop(
  tx: TenantTx,
  sources: Readonly<Record<Family, string | null>>,
): Promise<LookupNextHop[]> {
  const { rows } = await sql<LookupNextHop>`
    SELECT peer.id AS peer_id, peer.name AS peer, speaker.id AS speaker_id, speaker.name AS speaker, other.family,
           ARRAY(SELECT c.community_id::text FROM peer_community c
                  WHERE c.tenant_id = peer.tenant_id AND c.peer_id = peer.id) AS community_ids
      FROM speaker
      JOIN peer ON peer.tenant_id = speaker.tenant_id AND peer.enabled
      CROSS JOIN LATERAL (
        SELECT CASE WHEN peer.address::text LIKE '%:%' THEN 'ipv4' ELSE 'ipv6' END AS family) other
     WHERE speaker.tenant_id = ${tx.tenantId} AND speaker.enabled
       AND other.family = ANY(peer.families::text[])
       AND CASE other.family
             WHEN 'ipv4' THEN coalesce(peer.next_hop_ipv4::text, speaker.local_ipv4::text, ${sources.ipv4}) IS NULL
             ELSE coalesce(peer.next_hop_ipv6::text, speaker.local_ipv6::text, ${sources.ipv6}) IS NULL END
       AND NOT EXISTS (
         SELECT FROM community c WHERE c.tenant_id = speaker.tenant_id
            AND CASE other.family WHEN 'ipv4' THEN c.next_hop_ipv4 IS NOT NULL ELSE c.next_hop_ipv6 IS NOT NULL END)
       AND (NOT EXISTS (SELECT FROM peer_speaker l WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id)
            OR EXISTS (SELECT FROM peer_speaker l
                        WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id AND l.speaker_id = speaker.id))
     ORDER BY speaker.id, peer.id`.execute(tx.sql);
  return rows;
}

/** A peer that the node of a disabled speaker announces to as far as anybody knows: the node has not reported that the session has ended. */
export interface LookupLeft {
  readonly peer_id: string;
  readonly peer: string;
  readonly speaker_id: string;
  readonly speaker: string;
  /** It is deleted: which communities and families it was sent, nobody knows any more. */
  readonly is_deleted: boolean;
  /** When the node reported it last. */
  readonly reported_at: string;
  /** What it ran then. */
  readonly number: number;
  readonly revision_id: string;
  readonly content_hash: string;
  readonly communities: Revision['communities'];
  readonly families: readonly Family[];
  /** Communities that it is sent; none: all. */
  readonly community_ids: readonly string[];
}

export async function listLeftOnNodes(tx: TenantTx): Promise<LookupLeft[]> {
  const { rows } = await sql<Omit<LookupLeft, 'content_hash'> & { content_hash: Buffer }>`
    SELECT s.peer_id, coalesce(peer.name, s.deleted_peer->>'name') AS peer, peer.id IS NULL AS is_deleted,
           speaker.id AS speaker_id, speaker.name AS speaker,
           rfc3339(s.reported_at) AS reported_at, held.number, held.id AS revision_id, held.content_hash, held.communities,
           coalesce(peer.families::text[], '{ipv4,ipv6}') AS families,
           ARRAY(SELECT c.community_id::text FROM peer_community c
                  WHERE c.tenant_id = peer.tenant_id AND c.peer_id = peer.id) AS community_ids
      FROM speaker
      JOIN speaker_session s ON s.tenant_id = speaker.tenant_id AND s.speaker_id = speaker.id
       AND (s.state = 'established' OR s.routes_exported > 0)
      LEFT JOIN peer ON peer.tenant_id = s.tenant_id AND peer.id = s.peer_id
      JOIN revision held ON held.tenant_id = speaker.tenant_id AND held.id = speaker.applied_revision_id
       AND held.content_hash IS NOT NULL
     WHERE speaker.tenant_id = ${tx.tenantId} AND speaker.mode = 'agent' AND NOT speaker.enabled
       AND (peer.id IS NOT NULL OR s.deleted_peer IS NOT NULL)
     ORDER BY speaker.id, s.peer_id`.execute(tx.sql);
  return rows.map((row) => ({ ...row, content_hash: row.content_hash.toString('hex') }));
}
