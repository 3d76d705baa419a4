/** Which next hops of communities speakers were sent last: others wait for an apply, as while applies are frozen. */
import { sql } from 'kysely';
import type { Community } from '../../api/lists/communities.ts';
import type { TenantTx } from '../database/database.ts';

const HOPS = ['next_hop_ipv4', 'next_hop_ipv6'] as const;
type SentHops = Pick<Community, 'id' | (typeof HOPS)[number]>;

/**
 * What speakers that a process of the service holds announce communities with, as far as that is not what these have now. An apply sends the
 * next hops of its moment, so that others are those that the audit log says were changed since.
 * @returns all communities, by speaker; those that have what there is now are left out
 */
export async function listSentNextHops(
  tx: TenantTx,
  communities: readonly SentHops[],
): Promise<ReadonlyMap<string, readonly SentHops[]>> {
  const { rows } = await sql<Change>`
    SELECT speaker.id AS speaker_id, record.resource_id AS community_id, record.changes_before AS before
      FROM speaker
      LEFT JOIN LATERAL (
       SELECT started_at FROM speaker_apply apply
        WHERE apply.tenant_id = speaker.tenant_id AND apply.speaker_id = speaker.id AND apply.state = 'succeeded'
        ORDER BY sequence DESC LIMIT 1) last ON true
      JOIN audit_record record
        ON record.tenant_id = speaker.tenant_id AND record.resource_type = 'community'
       AND record.at > coalesce(last.started_at, speaker.applied_at)
     WHERE speaker.tenant_id = ${tx.tenantId} AND speaker.mode = 'local'
       AND record.changes_before ?| ${[...HOPS]}
     ORDER BY record.at, record.id`.execute(tx.sql);
  return new Map(
    [...Map.groupBy(rows, (row) => row.speaker_id)].map(([id, changes]) => [
      id,
      communities.map((community) =>
        before(
          community,
          changes.filter((change) => change.community_id === community.id),
        ),
      ),
    ]),
  );
}

interface Change {
  readonly speaker_id: string;
  readonly community_id: string;
  /** What it changed. */
  readonly before: Partial<SentHops>;
}

/** @param changes the oldest first */
function before({ id, ...now }: SentHops, changes: readonly Change[]): SentHops {
  const { next_hop_ipv4, next_hop_ipv6 } = changes.reduceRight(
    (hops, change) => ({ ...hops, ...change.before }),
    now,
  );
  return { id, next_hop_ipv4, next_hop_ipv6 };
}
