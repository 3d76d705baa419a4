import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  Community,
  CommunityCreate,
  CommunityPatch,
  CommunityQuery,
} from '../../api/lists/communities.ts';
import { ENTRY_TYPES } from '../../api/entries/entry-kinds.ts';
import type { Page } from '../../api/shapes/page.ts';
import { Problem } from '../../api/problems/problem.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { ENTRY_TABLES } from '../database/entry-tables.ts';
import { containing, readPage } from '../database/pagination.ts';
import { requireUnreferenced } from '../references.ts';
import { getSetting } from './settings.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'community',
  'title',
  'description',
  'color',
  'next_hop_ipv4',
  'next_hop_ipv6',
  'version',
] as const;

function present({ version: _, ...community }: Community & { readonly version: number }): Community {
  return community;
}

function select(tx: TenantTx) {
  return tx.sql.selectFrom('community').select(COLUMNS).where('tenant_id', '=', tx.tenantId);
}

export function listCommunities(tx: TenantTx, query: CommunityQuery): Promise<Page<Community>> {
  const { community, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(community !== undefined, (rows) => rows.where('community', '=', community!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) =>
          eb.or([
            eb('community', 'ilike', containing(q!)),
            eb('title', 'ilike', containing(q!)),
            eb('description', 'ilike', containing(q!)),
          ]),
        ),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, 'communities', query, fetch, present);
}

/** Every community of the tenant, oldest first. */
export async function listAllCommunities(tx: TenantTx): Promise<Community[]> {
  return (await select(tx).orderBy('id').execute()).map(present);
}

export async function getCommunity(tx: TenantTx, id: string): Promise<Versioned<Community>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return found('community', id, row === undefined ? null : versioned(row, present));
}

/** @param body with `community` in canonical form */
export async function insertCommunity(tx: TenantTx, body: CommunityCreate): Promise<Versioned<Community>> {
  const insert = tx.sql
    .insertInto('community')
    .values({ tenant_id: tx.tenantId, id: uuidv7(), ...body })
    .returning(COLUMNS);
  return versioned(await mapConstraintErrors('community', body, insert.executeTakeFirstOrThrow()), present);
}

/** The community as it is, which nobody else changes until the transaction ends. */
export async function lockCommunity(tx: TenantTx, id: string, version: number | null): Promise<Community> {
  await lockForChange(tx, 'community', id, version);
  return (await getCommunity(tx, id)).resource;
}

export async function updateCommunity(
  tx: TenantTx,
  id: string,
  patch: CommunityPatch,
  version: number | null,
): Promise<Versioned<Community>> {
  await lockForChange(tx, 'community', id, version);
  const update = tx.sql
    .updateTable('community')
    .set({ ...patch, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .returning(COLUMNS);
  return versioned(await mapConstraintErrors('community', patch, update.executeTakeFirstOrThrow()), present);
}

/** @throws {Problem} `in_use`, naming what still refers to it */
export async function deleteCommunity(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'community', id, version);
  const uses = await usesOf(tx, id);
  if (uses.length > 0) {
    const shown = uses.slice(0, 5).join(', ');
    const rest = uses.length > 5 ? ` and ${uses.length - 5} more` : '';
    throw new Problem(
      'in_use',
      `The community is used by ${shown}${rest}. Give them another one, or none, first.`,
    );
  }
  await requireUnreferenced(tx, 'community_ids', id);
  await tx.sql.deleteFrom('community').where('tenant_id', '=', tx.tenantId).where('id', '=', id).execute();
}

async function usesOf(tx: TenantTx, id: string): Promise<string[]> {
  const modules = await tx.sql
    .selectFrom('module')
    .select('name')
    .where('tenant_id', '=', tx.tenantId)
    .where('community_id', '=', id)
    .execute();
  const entries: string[] = [];
  for (const table of ENTRY_TYPES) {
    const { rows } = await sql<{ title: string }>`
      SELECT ${ENTRY_TABLES[table].title} AS title FROM ${sql.table(table)}
       WHERE tenant_id = ${tx.tenantId} AND community_id = ${id}
       UNION ALL
      SELECT ${ENTRY_TABLES[table].title} FROM ${sql.table(table)}
       WHERE tenant_id = ${tx.tenantId} AND cardinality(community_ids) > 1 AND community_id <> ${id}
         AND ${id} = ANY (community_ids)`.execute(tx.sql);
    entries.push(...rows.map(({ title }) => title));
  }
  const peers = await tx.sql
    .selectFrom('peer_community as link')
    .innerJoin('peer', (join) =>
      join.onRef('peer.tenant_id', '=', 'link.tenant_id').onRef('peer.id', '=', 'link.peer_id'),
    )
    .select('peer.name')
    .where('link.tenant_id', '=', tx.tenantId)
    .where('link.community_id', '=', id)
    .execute();
  const isDefault = (await getSetting(tx, 'default_community_id')) === id;
  return [
    ...modules.map(({ name }) => `the module ${name}`),
    ...entries,
    ...peers.map(({ name }) => `the peer ${name}`),
    ...(isDefault ? ['the setting default_community_id'] : []),
  ];
}
