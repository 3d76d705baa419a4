/**
 * Which tenant owns which router: no two tenants connect to one address and port; the first one to write a peer there claims it. A peer
 * that is connected to makes the claim, which lasts as long as the tenant has a peer there, enabled or not: disabling it gives the router
 * to nobody else, nor does moving it to another port.
 */
import { sql } from 'kysely';
import pg from 'pg';
import { Problem } from '../../api/problems/problem.ts';
import { asOwner, asSystem, type TenantTx } from '../database/database.ts';

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

const UNIQUE_VIOLATION = '23505';

/** Enabled, and on a local speaker of this service: nodes connect in other networks. */
const NEEDS_ENDPOINT = sql<boolean>`peer.enabled AND (
  NOT EXISTS (SELECT FROM peer_speaker l WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id)
  OR EXISTS (SELECT FROM peer_speaker l JOIN speaker s ON s.tenant_id = l.tenant_id AND s.id = l.speaker_id
              WHERE l.tenant_id = peer.tenant_id AND l.peer_id = peer.id AND s.mode = 'local'))`;

/** Of an address, with the ports that a tenant has left: one peer that moves through all ports would else keep each of them. */
const CLAIMS_WITH_LEFT_PORTS = 16;

/**
 * Brings the tenant's claims in line with its peers, after the peer with this id was written or deleted: at the end of the transaction, since
 * whoever writes a claim keeps other tenants from that endpoint until then, and a plan, which keeps nothing, may take a minute. The caller holds the
 * lock of the tenant's peers.
 * @throws {Problem} `conflict` when another tenant has the endpoint of the peer; at the end as well
 */
export async function settleEndpoints(tx: TenantTx, peerId: string): Promise<void> {
  const needed = await findNeeded(tx, peerId);
  if (needed !== undefined && (await isOfAnother(tx, needed))) throw taken(needed);
  asOwner(tx, async (session) => {
    await sql`SET LOCAL ROLE prefixcast_tenant`.execute(session);
    await writeClaims({ tenantId: tx.tenantId, sql: session }, peerId);
    await sql`SET LOCAL ROLE NONE`.execute(session);
  });
}

function findNeeded(tx: TenantTx, peerId: string): Promise<Endpoint | undefined> {
  return tx.sql
    .selectFrom('peer')
    .select(['address', 'port'])
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', peerId)
    .where(NEEDS_ENDPOINT)
    .executeTakeFirst();
}

async function isOfAnother(tx: TenantTx, { address, port }: Endpoint): Promise<boolean> {
  const other = await asSystem(tx, (system) =>
    system.sql
      .selectFrom('peer_endpoint')
      .select('tenant_id')
      .where('address', '=', address)
      .where('port', '=', port)
      .where('tenant_id', '<>', tx.tenantId)
      .executeTakeFirst(),
  );
  return other !== undefined;
}

async function writeClaims(tx: TenantTx, peerId: string): Promise<void> {
  const needed = await findNeeded(tx, peerId);
  if (needed !== undefined) await claim(tx, needed);
  // All unneeded claims, not only the peer's: two concurrent changes of one peer have different views of it. Of left ports the lowest stay,
  // 179 among them, since that is where a router is called.
  await sql`
    DELETE FROM peer_endpoint e
     WHERE e.tenant_id = ${tx.tenantId}
       AND NOT EXISTS (SELECT FROM peer
                        WHERE peer.tenant_id = e.tenant_id AND peer.address = e.address AND peer.port = e.port)
       AND (NOT EXISTS (SELECT FROM peer WHERE peer.tenant_id = e.tenant_id AND peer.address = e.address)
         OR ${CLAIMS_WITH_LEFT_PORTS} <= (SELECT count(*) FROM peer_endpoint lower
              WHERE lower.tenant_id = e.tenant_id AND lower.address = e.address AND lower.port < e.port))`.execute(
    tx.sql,
  );
}

/** Another port of an address that the tenant has counts as claimed since the first one: connections from there stay its own. */
async function claim(tx: TenantTx, { address, port }: Endpoint): Promise<void> {
  try {
    await tx.sql
      .insertInto('peer_endpoint')
      .values({
        ...{ tenant_id: tx.tenantId, address, port },
        claimed_at: sql<string>`coalesce((SELECT min(claimed_at) FROM peer_endpoint
                                           WHERE tenant_id = ${tx.tenantId} AND address = ${address}), clock_timestamp())`,
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'address', 'port']).doNothing())
      .execute();
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION) throw taken({ address, port });
    throw error;
  }
}

/** Does not reveal who has it. */
export function taken({ address, port }: Endpoint): Problem {
  const detail = `The address ${address} port ${port} is in use already. Give the address of a router of your own.`;
  return new Problem('conflict', detail, { errors: [{ pointer: '/address', detail }] });
}

/** For daemons that cannot distinguish connections of two tenants. */
export function takenWhole(address: string): string {
  return `The address ${address} is in use already. Give the address of a router of your own, or have the builtin speaker connect to it.`;
}

/** For an address from which the router of another tenant calls. */
export function takenByCaller(address: string): string {
  return `The address ${address} is in use already, whatever the port. Give the address of a router of your own.`;
}

/** Claims of other tenants at an address of the tenant. */
export interface Neighbourhood {
  /** Ports that another tenant has claimed. */
  readonly taken: readonly number[];
  /** The tenant claimed the address first: incoming connections from there are for it. */
  readonly isFirst: boolean;
  /** A tenant that was there before has a passive peer: its router calls from there, and nobody knows at which port it listens. */
  readonly isOfCaller: boolean;
}

/** By address, for those that other tenants use too. */
export async function readNeighbourhoods(
  tx: TenantTx,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, Neighbourhood>> {
  if (addresses.length === 0) return new Map();
  const rows = await asSystem(tx, (system) =>
    system.sql
      .selectFrom('peer_endpoint')
      .select(['tenant_id', 'address', 'port'])
      .select(
        sql<boolean>`EXISTS (SELECT FROM peer p WHERE p.tenant_id = peer_endpoint.tenant_id
                                AND p.address = peer_endpoint.address AND p.passive)`.as('is_passive'),
      )
      .where(sql<boolean>`address = ANY(${[...new Set(addresses)]}::text[])`)
      .orderBy('claimed_at')
      .orderBy('tenant_id')
      .execute(),
  );
  const found = new Map<string, { taken: number[]; isFirst: boolean; isOfCaller: boolean }>();
  /** Where the tenant has been met: what follows came later. */
  const own = new Set<string>();
  for (const { tenant_id: tenant, address, port, is_passive: isPassive } of rows) {
    if (tenant === tx.tenantId) {
      own.add(address);
      continue;
    }
    const place = found.get(address) ?? { taken: [], isFirst: own.has(address), isOfCaller: false };
    place.taken.push(port);
    if (!own.has(address)) place.isOfCaller ||= isPassive;
    found.set(address, place);
  }
  return found;
}
