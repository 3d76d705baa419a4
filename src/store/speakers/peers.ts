import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type { Page } from '../../api/shapes/page.ts';
import type { Peer, PeerCreate, PeerPatch, PeerQuery } from '../../api/speakers/peers.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { containing, readPage } from '../database/pagination.ts';
import { replacePeerLinks } from './peer-links.ts';
import { EXPECTED_SPEAKERS, SESSIONS, sessionFields } from './peer-sessions.ts';
import { withinSessionQuota } from './session-quota.ts';
import { openFor, sealFor, unreadable } from '../sealed-values.ts';
import type { SecretBox } from '../secrets.ts';
import { found, lockForChange, nextVersion } from '../versions.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'name',
  'description',
  'address',
  'remote_asn',
  'families',
  'passive',
  'port',
  'multihop',
  'hold_time',
  'next_hop_ipv4',
  'next_hop_ipv6',
  'max_prefixes_out',
  'when_too_many',
  'graceful_restart',
  'bfd',
  'enabled',
] as const;

const SPEAKER_IDS = sql<string[]>`ARRAY(
  SELECT l.speaker_id FROM peer_speaker l
   WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id ORDER BY l.speaker_id)`;
const COMMUNITY_IDS = sql<string[]>`ARRAY(
  SELECT l.community_id FROM peer_community l
   WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id ORDER BY l.community_id)`;
const HAS_PASSWORD = sql<boolean>`peer.password_sealed IS NOT NULL`;

function select(tx: TenantTx) {
  return tx.sql
    .selectFrom('peer')
    .select([...COLUMNS, 'version'])
    .select([
      SPEAKER_IDS.as('speaker_ids'),
      COMMUNITY_IDS.as('community_ids'),
      HAS_PASSWORD.as('has_password'),
    ])
    .select([SESSIONS.as('sessions'), EXPECTED_SPEAKERS.as('expected_speakers')])
    .where('peer.tenant_id', '=', tx.tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ version: _, sessions, expected_speakers, ...peer }: Row): Peer {
  return { ...peer, ...sessionFields(sessions, expected_speakers) };
}

/** `speaker_id` selects the peers that belong on that speaker, by name or because they belong on every one. */
export function listPeers(tx: TenantTx, query: PeerQuery): Promise<Page<Peer>> {
  const { enabled, remote_asn: asn, speaker_id: speaker, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(enabled !== undefined, (rows) => rows.where('peer.enabled', '=', enabled!))
      .$if(asn !== undefined, (rows) => rows.where('peer.remote_asn', '=', asn!))
      .$if(speaker !== undefined, (rows) => rows.where(belongsOn(speaker!)))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) =>
          eb.or([
            eb('peer.name', 'ilike', containing(q!)),
            eb('peer.address', 'ilike', containing(q!)),
            eb('peer.description', 'ilike', containing(q!)),
          ]),
        ),
      )
      .where('peer.id', '>', after)
      .orderBy('peer.id')
      .limit(limit)
      .execute();
  return readPage(tx, 'peers', query, fetch, present);
}

function belongsOn(speakerId: string) {
  return sql<boolean>`(
    NOT EXISTS (SELECT FROM peer_speaker l WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id)
    OR EXISTS (SELECT FROM peer_speaker l
                WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id AND l.speaker_id = ${speakerId}))`;
}

/** Every peer of the tenant, oldest first. */
export async function listAllPeers(tx: TenantTx): Promise<Peer[]> {
  return (await select(tx).orderBy('peer.id').execute()).map(present);
}

export type PeerWithPassword = Peer & {
  readonly password: string | null;
  /** Why the password cannot be decrypted, and what to do; null: it can, or there is none. */
  readonly password_fault: string | null;
};

/** The peers of a speaker, with decrypted passwords: for the process that drives it. */
export async function listPeersOf(
  tx: TenantTx,
  speakerId: string,
  secrets: SecretBox,
): Promise<PeerWithPassword[]> {
  const rows = await select(tx)
    .select('peer.password_sealed')
    .where(belongsOn(speakerId))
    .orderBy('peer.id')
    .execute();
  return rows.map((row) => withPassword(tx, secrets, row));
}

/** {@link listPeersOf} for every speaker of the tenant at once. */
export async function listAllPeersWithPasswords(
  tx: TenantTx,
  secrets: SecretBox,
): Promise<PeerWithPassword[]> {
  const rows = await select(tx).select('peer.password_sealed').orderBy('peer.id').execute();
  return rows.map((row) => withPassword(tx, secrets, row));
}

function withPassword(
  tx: TenantTx,
  secrets: SecretBox,
  { password_sealed: sealed, ...row }: Row & { readonly password_sealed: Buffer | null },
): PeerWithPassword {
  const peer = present(row);
  if (sealed === null) return { ...peer, password: null, password_fault: null };
  const password = openFor(tx, secrets, { table: 'peer', id: row.id }, sealed);
  return password === null
    ? { ...peer, password, password_fault: UNREADABLE_PASSWORD }
    : { ...peer, password: password.toString(), password_fault: null };
}

const UNREADABLE_PASSWORD = unreadable(
  'its stored password',
  'there is no session with it',
  'set password of the peer again',
);

export async function getPeer(tx: TenantTx, id: string): Promise<Versioned<Peer>> {
  const row = await select(tx).where('peer.id', '=', id).executeTakeFirst();
  return found('peer', id, row === undefined ? null : { resource: present(row), version: row.version });
}

export async function insertPeer(
  tx: TenantTx,
  secrets: SecretBox,
  body: PeerCreate,
): Promise<Versioned<Peer>> {
  const id = uuidv7();
  const { name, address, remote_asn } = body;
  const insert = tx.sql
    .insertInto('peer')
    .values({ tenant_id: tx.tenantId, id, ...columnsOf(tx, secrets, id, body), name, address, remote_asn });
  await withinSessionQuota(tx, async () => {
    await mapConstraintErrors('peer', body, insert.execute());
    await replacePeerLinks(tx, id, body);
  });
  return getPeer(tx, id);
}

/** A patch that changes nothing, as of somebody who wants a session now, leaves the version: what a router refused is no reason to try it again. */
export async function updatePeer(
  tx: TenantTx,
  secrets: SecretBox,
  id: string,
  patch: PeerPatch,
  version: number | null,
): Promise<Versioned<Peer>> {
  const update = tx.sql
    .updateTable('peer')
    .set({ ...columnsOf(tx, secrets, id, patch), ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id);
  await withinSessionQuota(tx, async () => {
    await lockForChange(tx, 'peer', id, version);
    if (changesNothing((await getPeer(tx, id)).resource, patch)) return;
    await mapConstraintErrors('peer', patch, update.execute());
    await replacePeerLinks(tx, id, patch);
  });
  return getPeer(tx, id);
}

/** A password is written only. */
function changesNothing(peer: Peer, patch: PeerPatch): boolean {
  const members: Readonly<Record<string, unknown>> = { ...peer, password: undefined };
  return Object.entries(patch).every(([name, value]) => isDeepStrictEqual(members[name], value));
}

export async function deletePeer(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'peer', id, version);
  await tx.sql.deleteFrom('peer').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
}

function columnsOf(tx: TenantTx, secrets: SecretBox, id: string, body: PeerPatch) {
  const { password, speaker_ids: _speakers, community_ids: _communities, ...columns } = body;
  if (password === undefined) return columns;
  return {
    ...columns,
    password_sealed: password === null ? null : sealFor(tx, secrets, { table: 'peer', id }, password),
  };
}
