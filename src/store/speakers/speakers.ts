import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Page } from '../../api/shapes/page.ts';
import { Problem } from '../../api/problems/problem.ts';
import type {
  LastApply,
  Speaker,
  SpeakerCreate,
  SpeakerPatch,
  SpeakerQuery,
} from '../../api/speakers/speakers.ts';
import { revokeNodeKeys } from '../keys/api-keys.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { containing, readPage } from '../database/pagination.ts';
import { readLive } from './speaker-live.ts';
import { withinSessionQuota } from './session-quota.ts';
import { found, lockForChange, nextVersion } from '../versions.ts';

/** Channel with hints for holders of speakers and waiting nodes. */
export const SPEAKERS_CHANNEL = 'prefixcast_speakers';
/**
 * Channel with hints of triggers about edits that holders may have to follow; the payload is read by {@link editedOf}
 * (migrations/0028_hints.sql, 0059_peer_hints.sql, and that of claims).
 */
export const SPEAKER_EDITS_CHANNEL = 'prefixcast_speaker_edits';

/** Which speakers a hint is about: those of a tenant, those with a peer at an address, or all. */
export type EditedSpeakers = { readonly tenantId: string } | { readonly address: string } | 'all';

const OF_ADDRESS = 'address ';

/** @param payload of a hint; null or empty: it may be about any speaker */
export function editedOf(payload: string | null): EditedSpeakers {
  if (payload === null || payload === '') return 'all';
  return payload.startsWith(OF_ADDRESS)
    ? { address: payload.slice(OF_ADDRESS.length) }
    : { tenantId: payload };
}

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'name',
  'label',
  'daemon',
  'mode',
  'router_id',
  'local_asn',
  'local_ipv4',
  'local_ipv6',
  'policies_json',
  'enabled',
  'applied_revision_id',
  'applied_at',
] as const;

/** The apply that describes the present state: the newest, unless it ended before it began. */
const LAST_APPLY = sql<LastApply | null>`(
  SELECT jsonb_build_object(
           'status', CASE WHEN a.state = 'succeeded' AND a.partial THEN 'partial'
                          WHEN a.state = 'succeeded' THEN 'ok'
                          WHEN a.state IN ('failed', 'undone') THEN 'failed' ELSE 'running' END,
           'error', a.error, 'job_id', a.job_id)
    FROM speaker_apply a
   WHERE a.tenant_id = speaker.tenant_id AND a.speaker_id = speaker.id
     AND a.state NOT IN ('superseded', 'planned', 'skipped')
   ORDER BY a.sequence DESC, a.id DESC LIMIT 1)`;

function select(tx: TenantTx) {
  return tx.sql
    .selectFrom('speaker')
    .select([...COLUMNS, 'agent_version', 'agent_last_seen_at', 'agent_hostname', 'version'])
    .select(LAST_APPLY.as('last_apply'))
    .where('tenant_id', '=', tx.tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present(row: Row): Speaker {
  const { version: _, agent_version, agent_last_seen_at, agent_hostname, ...speaker } = row;
  const isKnown = agent_version !== null || agent_last_seen_at !== null || agent_hostname !== null;
  const agent = { version: agent_version, last_seen_at: agent_last_seen_at, hostname: agent_hostname };
  return { ...speaker, agent: isKnown ? agent : null };
}

/**
 * With `live` in the query, each with its live status.
 * @param uptimeSeconds of what nodes report to
 */
export async function listSpeakers(
  tx: TenantTx,
  query: SpeakerQuery,
  uptimeSeconds?: number,
): Promise<Page<Speaker>> {
  const { live = false, ...filters } = query;
  const { daemon, enabled, q } = filters;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(daemon !== undefined, (rows) => rows.where('daemon', '=', daemon!))
      .$if(enabled !== undefined, (rows) => rows.where('enabled', '=', enabled!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) =>
          eb.or([eb('name', 'ilike', containing(q!)), eb('label', 'ilike', containing(q!))]),
        ),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  const page = await readPage(tx, 'speakers', filters, fetch, present);
  return live ? { ...page, items: await withLive(tx, page.items, uptimeSeconds) } : page;
}

/** Every speaker of the tenant, oldest first. */
export async function listAllSpeakers(tx: TenantTx): Promise<Speaker[]> {
  return (await select(tx).orderBy('id').execute()).map(present);
}

async function find(tx: TenantTx, id: string): Promise<Versioned<Speaker> | null> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : { resource: present(row), version: row.version };
}

export async function findSpeaker(tx: TenantTx, id: string): Promise<Speaker | null> {
  return (await find(tx, id))?.resource ?? null;
}

export async function getSpeaker(
  tx: TenantTx,
  id: string,
  live = false,
  uptimeSeconds?: number,
): Promise<Versioned<Speaker>> {
  const speaker = found('speaker', id, await find(tx, id));
  if (!live) return speaker;
  const [resource] = await withLive(tx, [speaker.resource], uptimeSeconds);
  return { ...speaker, resource: resource! };
}

async function withLive(
  tx: TenantTx,
  speakers: readonly Speaker[],
  uptimeSeconds: number | undefined,
): Promise<Speaker[]> {
  const live = await readLive(tx, speakers, uptimeSeconds);
  return speakers.map((speaker) => ({ ...speaker, live: live.get(speaker.id)! }));
}

export async function insertSpeaker(tx: TenantTx, body: SpeakerCreate): Promise<Versioned<Speaker>> {
  const id = uuidv7();
  const { name, local_asn } = body;
  const insert = tx.sql
    .insertInto('speaker')
    .values({ tenant_id: tx.tenantId, id, ...columnsOf(body), name, local_asn });
  await withinSessionQuota(tx, () => mapConstraintErrors('speaker', body, insert.execute()));
  return getSpeaker(tx, id);
}

export async function updateSpeaker(
  tx: TenantTx,
  id: string,
  patch: SpeakerPatch,
  version: number | null,
): Promise<Versioned<Speaker>> {
  const update = tx.sql
    .updateTable('speaker')
    .set({ ...columnsOf(patch), ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
  // The quota first: a change of a peer locks it, and then the speakers that it names.
  await withinSessionQuota(tx, async () => {
    await lockForChange(tx, 'speaker', id, version);
    await mapConstraintErrors('speaker', patch, update.execute());
  });
  return getSpeaker(tx, id);
}

/** Removes what speakers' policies say about a deleted peer. */
export async function forgetPeer(tx: TenantTx, peerId: string): Promise<void> {
  await tx.sql
    .updateTable('speaker')
    .set({ policies_json: sql`policies_json #- ${['peers', peerId]}::text[]`, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`policies_json -> 'peers' ? ${peerId}`)
    .execute();
}

function columnsOf({ policies_json: policies, ...columns }: Partial<SpeakerCreate>) {
  return policies === undefined ? columns : { ...columns, policies_json: JSON.stringify(policies) };
}

/**
 * Deletes the speaker with its sessions and applies, and removes it from the lists of peers. A peer that names no other speaker would be
 * left with an empty list, which means every speaker: the operator must decide that.
 * @throws {Problem} `in_use`, naming such peers
 */
export async function deleteSpeaker(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'speaker', id, version);
  const { rows } = await sql<{ name: string }>`
    SELECT peer.name FROM peer_speaker link
      JOIN peer ON peer.tenant_id = link.tenant_id AND peer.id = link.peer_id
     WHERE link.tenant_id = ${tx.tenantId} AND link.speaker_id = ${id}
       AND NOT EXISTS (SELECT FROM peer_speaker other
                        WHERE other.tenant_id = link.tenant_id AND other.peer_id = link.peer_id
                          AND other.speaker_id <> link.speaker_id)
     ORDER BY peer.id LIMIT 5`.execute(tx.sql);
  if (rows.length > 0) {
    const names = rows.map(({ name }) => name).join(', ');
    throw new Problem(
      'in_use',
      `It is the only speaker of ${names}. Give these peers other speaker_ids, or delete them.`,
    );
  }
  await tx.sql
    .deleteFrom('peer_speaker')
    .where('tenant_id', '=', tx.tenantId)
    .where('speaker_id', '=', id)
    .execute();
  await revokeNodeKeys(tx, id);
  await tx.sql.deleteFrom('speaker').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
}

export interface AppliedContent {
  readonly speaker_id: string;
  /** Content of the revision that the speaker runs; null: none yet, or a pending apply may change it. */
  readonly content_hash: string | null;
  /** The revision that the speaker runs; null: none yet. */
  readonly revision_id: string | null;
}

/**
 * Whether a pending apply will bring the speaker other content than it has. Its job may have ended long ago: the speaker's next holder
 * still carries it out.
 */
const IS_TO_MOVE = sql<boolean>`EXISTS (
  SELECT FROM (SELECT CASE a.state WHEN 'undoing' THEN a.previous_revision_id ELSE a.revision_id END AS id
                 FROM speaker_apply a
                WHERE a.tenant_id = speaker.tenant_id AND a.speaker_id = speaker.id
                  AND a.state IN ('queued', 'running', 'undoing') AND a.revision_id IS NOT NULL
                ORDER BY a.sequence DESC LIMIT 1) target
    LEFT JOIN revision r ON r.tenant_id = speaker.tenant_id AND r.id = target.id
   WHERE r.content_hash IS DISTINCT FROM revision.content_hash)`;

/** What each enabled speaker runs. */
export async function listAppliedContents(tx: TenantTx): Promise<AppliedContent[]> {
  const rows = await tx.sql
    .selectFrom('speaker')
    .leftJoin('revision', (join) =>
      join
        .onRef('revision.tenant_id', '=', 'speaker.tenant_id')
        .onRef('revision.id', '=', 'speaker.applied_revision_id'),
    )
    .select(['speaker.id as speaker_id', 'revision.id as revision_id', 'revision.content_hash'])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('job')
            .select('job.id')
            .whereRef('job.tenant_id', '=', 'speaker.tenant_id')
            .where('job.type', '=', 'apply')
            .where('job.state', 'in', ['queued', 'running']),
        )
        .as('changing'),
    )
    .select(IS_TO_MOVE.as('to_move'))
    .where('speaker.tenant_id', '=', tx.tenantId)
    .where('speaker.enabled', '=', true)
    .orderBy('speaker.id')
    .execute();
  return rows.map(({ speaker_id, revision_id, content_hash, changing, to_move }) => ({
    ...{ speaker_id, revision_id },
    content_hash: changing || to_move ? null : (content_hash?.toString('hex') ?? null),
  }));
}
