/** Which next hops of communities, and whether with NO_EXPORT, speakers were sent last: others wait for an apply, as while applies are frozen. */
import { type RawBuilder, sql } from 'kysely';
import type { Community } from '../../api/lists/communities.ts';
import { CHANGES_ATTRIBUTES, type HOPS } from '../audit/attribute-changes.ts';
import type { TenantTx } from '../database/database.ts';

type NextHops = Pick<Community, 'id' | (typeof HOPS)[number]>;

const ENDED = ['succeeded', 'undoing', 'undone'] as const;

/**
 * When the apply began by which the row of `speaker` was sent what it announces with; null: it was sent nothing.
 * @param states of applies that count, for a speaker that has no node
 */
const sentAt = (states: readonly string[]): RawBuilder<string | null> => sql<string | null>`coalesce(
  (SELECT started_at FROM speaker_apply apply
    WHERE apply.tenant_id = speaker.tenant_id AND apply.speaker_id = speaker.id
      AND (apply.state = ANY (${states}::text[]) OR speaker.mode = 'agent' AND apply.started_at IS NOT NULL)
    ORDER BY sequence DESC LIMIT 1), speaker.applied_at)`;

/** What routes are sent with beside what their revision says. */
export interface RouteAttributes {
  /** Of all communities. */
  readonly nextHops: readonly NextHops[];
  /** The setting `guard_no_export`. */
  readonly noExport: boolean;
}

/**
 * What speakers announce routes with, as far as that is not what an apply would send now. An apply sends what there is when it begins, so that
 * other values are those that the audit log says were changed since. A node has what its bundle says, which is made when its apply begins and
 * stays whatever comes of it; any other speaker goes back from an apply that fails. A canary that has taken a revision and is taken back from it
 * keeps what else came with that.
 * @param speakerIds null: all
 * @param underWay whether an apply counts from its beginning on: its routers have what it sends before it has ended, or are about to
 * @returns by speaker; those that have what there is now are left out, and those that have the same share an object
 */
export async function listSentAttributes(
  tx: TenantTx,
  now: RouteAttributes,
  speakerIds: readonly string[] | null = null,
  underWay = false,
): Promise<ReadonlyMap<string, RouteAttributes>> {
  const { rows } = await sql<Change>`
    SELECT speaker.id AS speaker_id, record.id, record.resource_id AS community_id, record.changes_before AS before
      FROM speaker
     CROSS JOIN LATERAL (SELECT ${sentAt(underWay ? [...ENDED, 'running'] : ENDED)} AS sent_at) last
      JOIN audit_record record
        ON record.tenant_id = speaker.tenant_id AND record.at > last.sent_at AND ${CHANGES_ATTRIBUTES}
     WHERE speaker.tenant_id = ${tx.tenantId}
       AND (${speakerIds}::uuid[] IS NULL OR speaker.id = ANY (${speakerIds}::uuid[]))
     ORDER BY record.at, record.id`.execute(tx.sql);
  const known = new Map<string, RouteAttributes>();
  return new Map(
    [...Map.groupBy(rows, (row) => row.speaker_id)].map(([id, changes]) => {
      const name = changes.map((change) => change.id).join(' ');
      const made = known.get(name) ?? before(now, changes);
      known.set(name, made);
      return [id, made];
    }),
  );
}

/**
 * Since when {@link listSentAttributes} needs the audit log; null: no speaker was sent anything. One may be frozen, or disabled, for longer than
 * records are kept: without them, whatever there is now would look as if it had been sent.
 */
export async function oldestSent(tx: TenantTx): Promise<string | null> {
  const { rows } = await sql<{ since: string | null }>`
    SELECT min(${sentAt(ENDED)}) AS since FROM speaker WHERE speaker.tenant_id = ${tx.tenantId}`.execute(
    tx.sql,
  );
  return rows[0]!.since;
}

interface Change {
  readonly id: string;
  readonly speaker_id: string;
  /** Null: of settings. */
  readonly community_id: string | null;
  /** What it changed. */
  readonly before: Partial<NextHops> & { readonly settings?: { readonly guard_no_export?: boolean } };
}

/** @param changes the oldest first */
function before(now: RouteAttributes, changes: readonly Change[]): RouteAttributes {
  const ofCommunities = Map.groupBy(changes, (change) => change.community_id);
  const nextHops = now.nextHops.map((community) =>
    hopsBefore(community, ofCommunities.get(community.id) ?? []),
  );
  const was = changes.find((change) => change.before.settings !== undefined)?.before.settings;
  return { nextHops, noExport: was?.guard_no_export ?? now.noExport };
}

function hopsBefore({ id, ...now }: NextHops, changes: readonly Change[]): NextHops {
  const { next_hop_ipv4, next_hop_ipv6 } = changes.reduceRight(
    (hops, change) => ({ ...hops, ...change.before }),
    now,
  );
  return { id, next_hop_ipv4, next_hop_ipv6 };
}
