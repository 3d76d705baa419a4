import { sql } from 'kysely';
import { NO_REVISION } from '../../api/nodes/bundles.ts';
import type { RevisionCommunity } from '../../api/revisions/revisions.ts';
import type { SpeakerPolicies } from '../../api/speakers/speakers.ts';
import { EMPTY_TABLE_HASH } from '../../core/stored/table-manifest.ts';
import { secondsUntil } from '../database/database-clock.ts';
import type { TenantTx } from '../database/database.ts';
import { isFailedBehindUndo, isFrozen } from '../holding/apply-conditions.ts';
import { openFor, sealFor } from '../sealed-values.ts';
import type { SecretBox } from '../secrets.ts';

/** The bundle that was issued last to a speaker, without what is in it. */
export interface IssuedBundle {
  readonly sequence: number;
  /** How often this state was signed, from 1. */
  readonly issue: number;
  /** That of {@link NO_ROUTES}: it withdraws everything. */
  readonly revision_id: string;
  readonly revision_number: number;
  /** Of the routes, 64 hexadecimal digits. */
  readonly content_hash: string;
  /** RFC 3339, and in seconds from now. */
  readonly expires_at: string;
  readonly expires_in: number;
  /** Of the whole bundle. */
  readonly length: number;
  readonly sha256: string;
  /** Of the state, keyed. */
  readonly fingerprint: Buffer;
  readonly keys_hash: Buffer;
  /** The last that the node said it runs; null: none. */
  readonly applied_sequence: number | null;
}

/** A speaker of mode `agent`, what it is to run, and what it was given last. */
export interface AgentState {
  readonly id: string;
  readonly name: string;
  readonly router_id: string | null;
  readonly local_asn: number;
  readonly local_ipv4: string | null;
  readonly local_ipv6: string | null;
  readonly policies_json: SpeakerPolicies;
  readonly enabled: boolean;
  /**
   * That of its newest apply which has begun, else what it runs; null: nothing yet, and it was never given anything else. Speakers of one
   * revision share the object.
   */
  readonly revision: AgentRevision | null;
  /** What it runs, as it said last; null: nothing. */
  readonly running: AgentRevision | null;
  readonly bundle: IssuedBundle | null;
  /** An apply may begin, or has begun and no bundle carries it yet. */
  readonly has_applies: boolean;
}

export interface AgentRevision {
  readonly id: string;
  readonly number: number;
  /** 64 hexadecimal digits. */
  readonly content_hash: string;
  readonly communities: readonly RevisionCommunity[];
}

/** What a speaker goes back to that ran nothing before an apply which is taken back. */
const NO_ROUTES: AgentRevision = {
  id: NO_REVISION,
  number: 0,
  content_hash: EMPTY_TABLE_HASH,
  communities: [],
};

/** Those of the speakers that are of mode `agent`, in order. */
export async function listAgentStates(tx: TenantTx, ids: readonly string[]): Promise<AgentState[]> {
  const { rows } = await sql<AgentRow>`
    SELECT s.id, s.name, s.router_id, s.local_asn, s.local_ipv4, s.local_ipv6, s.policies_json, s.enabled,
           r.id AS revision_id, s.applied_revision_id AS running_id,
           wanted.is_begun IS TRUE AND wanted.id IS NULL AS goes_back_to_nothing,
           EXISTS (SELECT FROM speaker_apply a
                    WHERE a.tenant_id = s.tenant_id AND a.speaker_id = s.id
                      AND (a.state = 'running' AND a.bundle_sequence IS NULL AND r.id IS NOT NULL
                           OR a.state = 'queued' AND NOT ${isFrozen(sql.ref('s.tenant_id'))})) AS has_applies
      FROM speaker s
      LEFT JOIN LATERAL (
        -- A canary that failed is not to try again: what it was to try has failed with it.
        SELECT true AS is_begun,
               CASE WHEN a.state IN ('undoing', 'undone') OR a.state = 'failed' AND a.wave = 0
                    THEN coalesce(a.previous_revision_id, nullif(s.applied_revision_id, a.revision_id))
                    ELSE a.revision_id END AS id
          FROM speaker_apply a
         WHERE a.tenant_id = s.tenant_id AND a.speaker_id = s.id AND a.revision_id IS NOT NULL
           AND a.started_at IS NOT NULL
           AND a.state IN ('running', 'succeeded', 'failed', 'undoing', 'undone')
           AND NOT ${isFailedBehindUndo('a')}
         ORDER BY a.sequence DESC, a.id DESC LIMIT 1) wanted ON true
      LEFT JOIN revision r ON r.tenant_id = s.tenant_id AND r.content_hash IS NOT NULL
                          AND r.id = CASE WHEN wanted.is_begun THEN wanted.id ELSE s.applied_revision_id END
     WHERE s.tenant_id = ${tx.tenantId} AND s.mode = 'agent' AND s.id = ANY(${[...ids]}::uuid[])
     ORDER BY s.id`.execute(tx.sql);
  const issued = await select(tx)
    .where(sql<boolean>`b.speaker_id = ANY(${[...ids]}::uuid[])`)
    .execute();
  const bundles = new Map(issued.map((row) => [row.speaker_id, present(row)]));
  const named = rows.flatMap(({ revision_id, running_id }) => [revision_id ?? [], running_id ?? []].flat());
  const revisions = await findRevisions(tx, [...new Set(named)]);
  const revisionOf = (id: string | null) => (id === null ? null : (revisions.get(id) ?? null));
  return rows.map(({ revision_id, running_id, goes_back_to_nothing: isTakenBack, ...row }) => {
    const bundle = bundles.get(row.id) ?? null;
    // Whoever was never given anything to run is not asked to withdraw it. The apply that was taken back may be pruned since.
    const isWithdrawn = bundle !== null && (isTakenBack || bundle.revision_id === NO_REVISION);
    const none = isWithdrawn ? NO_ROUTES : null;
    const revision = revision_id === null ? none : revisionOf(revision_id);
    return { ...row, revision, running: revisionOf(running_id), bundle };
  });
}

interface AgentRow extends Omit<AgentState, 'revision' | 'running' | 'bundle'> {
  readonly revision_id: string | null;
  readonly running_id: string | null;
  readonly goes_back_to_nothing: boolean;
}

async function findRevisions(tx: TenantTx, ids: readonly string[]): Promise<Map<string, AgentRevision>> {
  const rows = await tx.sql
    .selectFrom('revision')
    .select(['id', 'number', 'communities', sql<string>`encode(content_hash, 'hex')`.as('content_hash')])
    .where('tenant_id', '=', tx.tenantId)
    .where(sql<boolean>`id = ANY(${[...ids]}::uuid[])`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

function select(tx: TenantTx) {
  return tx.sql
    .selectFrom('speaker_bundle as b')
    .leftJoin('revision as r', (join) =>
      join.onRef('r.tenant_id', '=', 'b.tenant_id').onRef('r.id', '=', 'b.revision_id'),
    )
    .select(['b.speaker_id', 'b.sequence', 'b.issue', 'b.revision_id', 'b.expires_at', 'b.length'])
    .select([
      'b.sha256',
      'b.fingerprint',
      'b.keys_hash',
      'b.applied_sequence',
      'r.number as revision_number',
      'r.content_hash',
    ])
    .select(secondsUntil<number>('b.expires_at').as('expires_in'))
    .where('b.tenant_id', '=', tx.tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ speaker_id: _, sha256, content_hash: contentHash, ...row }: Row): IssuedBundle {
  return {
    ...row,
    sha256: sha256.toString('hex'),
    revision_id: row.revision_id ?? NO_ROUTES.id,
    revision_number: row.revision_number ?? NO_ROUTES.number,
    content_hash: contentHash?.toString('hex') ?? NO_ROUTES.content_hash,
  };
}

/** What is in a bundle beside the routes. */
export interface BundleText {
  readonly manifest: Uint8Array;
  /** 64 bytes. */
  readonly signature: Uint8Array;
  readonly speaker: Uint8Array;
}

export interface NewBundle extends Pick<
  IssuedBundle,
  'sequence' | 'issue' | 'revision_id' | 'expires_at' | 'length' | 'fingerprint' | 'keys_hash'
> {
  readonly speaker_id: string;
  readonly sha256: Buffer;
  readonly text: BundleText;
}

/** Puts the bundle in the place of the one before. The caller holds the lock of the tenant's bundles. */
export async function putBundle(tx: TenantTx, secrets: SecretBox, bundle: NewBundle): Promise<void> {
  const { speaker_id, text, revision_id: revisionId, ...rest } = bundle;
  const revision_id = revisionId === NO_ROUTES.id ? null : revisionId;
  const columns = { ...rest, revision_id, sealed: seal(tx, secrets, speaker_id, text) };
  await tx.sql
    .insertInto('speaker_bundle')
    .values({ tenant_id: tx.tenantId, speaker_id, ...columns })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'speaker_id']).doUpdateSet(columns))
    .execute();
}

/**
 * Has another bundle issued, with a higher number, to a node that has verified this one where only lower ones were issued: the database
 * was restored, and the node takes nothing of before. Numbers go by time, so one of the future proves nothing; one of this second is waited for, since
 * the next bundle would have the same.
 */
export async function outdateBundle(tx: TenantTx, speakerId: string, sequence: number): Promise<void> {
  await sql`
    UPDATE speaker_bundle SET fingerprint = '', applied_sequence = NULL
     WHERE tenant_id = ${tx.tenantId} AND speaker_id = ${speakerId}
       AND sequence < ${sequence} AND ${sequence} < floor(extract(epoch FROM now()))`.execute(tx.sql);
}

/** Has another bundle issued in the place of one that cannot be opened any more. */
export async function replaceBundle(tx: TenantTx, speakerId: string): Promise<void> {
  await sql`
    UPDATE speaker_bundle SET fingerprint = '' WHERE tenant_id = ${tx.tenantId} AND speaker_id = ${speakerId}`.execute(
    tx.sql,
  );
}

/** The bundle that was issued last, with what is in it but the routes (null: it cannot be opened); null: none was. */
export async function findBundle(
  tx: TenantTx,
  secrets: SecretBox,
  speakerId: string,
): Promise<{ readonly issued: IssuedBundle; readonly text: BundleText | null } | null> {
  const row = await select(tx).select('b.sealed').where('b.speaker_id', '=', speakerId).executeTakeFirst();
  if (row === undefined) return null;
  const { sealed, ...issued } = row;
  const text = openFor(tx, secrets, { table: 'speaker_bundle', id: speakerId }, sealed);
  return { issued: present(issued), text: text && open(text) };
}

/** Lengths of manifest and signature, then the three one after the other. */
function seal(tx: TenantTx, secrets: SecretBox, speakerId: string, text: BundleText): Buffer {
  const { manifest, signature, speaker } = text;
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(manifest.length, 0);
  lengths.writeUInt32BE(signature.length, 4);
  const clear = Buffer.concat([lengths, manifest, signature, speaker]);
  return sealFor(tx, secrets, { table: 'speaker_bundle', id: speakerId }, clear);
}

function open(opened: Buffer): BundleText {
  const manifestEnd = 8 + opened.readUInt32BE(0);
  const signatureEnd = manifestEnd + opened.readUInt32BE(4);
  return {
    manifest: opened.subarray(8, manifestEnd),
    signature: opened.subarray(manifestEnd, signatureEnd),
    speaker: opened.subarray(signatureEnd),
  };
}
