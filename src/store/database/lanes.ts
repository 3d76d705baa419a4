/** The connections of a process, by the kind of work that they are for. */
import pg from 'pg';
import { columnTypes } from './column-types.ts';
import type { DatabaseAddress } from './database-address.ts';
import { databaseProblem } from './database-problem.ts';
import { BULK_CONNECTIONS, bulkTurns, turnsOf } from './request-turns.ts';
import type { SessionPurpose } from './session.ts';
import type { TenantTurns } from './tenant-turns.ts';

const CONNECTIONS = 10;
/** Connections for single statements: who has a key that is not known yet waits for one of them. */
const LOOKS_OF_REQUESTS = 3;

/** Milliseconds to wait for a connection of the pool, and for the answer to a ping. */
const CONNECT_MS = 5_000;
/** Longer than the server's own limit for a statement: for a server that does not answer at all. */
const QUERY_MS = 60_000;

/** Connections for one kind of work. */
export interface Lane {
  readonly pool: pg.Pool;
  /** Null: first come, first served. */
  readonly turns: TenantTurns | null;
  readonly purpose: SessionPurpose;
}

export interface Lanes {
  readonly ordinary: Lane;
  /** For large requests; without requests, the same as the others. */
  readonly bulk: Lane;
  /** Connections that see every tenant, for single statements. */
  readonly looks: pg.Pool;
}

/** Opens no connection yet. */
export function openLanes(
  address: DatabaseAddress,
  {
    maximumConnections = CONNECTIONS,
    forRequests = false,
  }: { readonly maximumConnections?: number; readonly forRequests?: boolean },
  onFault: (error: unknown) => void,
): Lanes {
  const open = (max: number): pg.Pool => {
    const pool = new pg.Pool({
      ...address,
      max,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: QUERY_MS,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      types: columnTypes,
      application_name: 'prefixcast',
    });
    // A connection that the server closes while we shut down is not a fault.
    return pool.on('error', (error) => {
      if (!pool.ending) onFault(error);
    });
  };
  const pool = open(maximumConnections);
  if (!forRequests) {
    const ordinary: Lane = { pool, turns: null, purpose: 'work' };
    return { ordinary, bulk: ordinary, looks: open(1) };
  }
  return {
    ordinary: { pool, turns: turnsOf(maximumConnections), purpose: 'requests' },
    bulk: { pool: open(BULK_CONNECTIONS), turns: bulkTurns(), purpose: 'bulk' },
    looks: open(LOOKS_OF_REQUESTS),
  };
}

export async function closeLanes({ ordinary, bulk, looks }: Lanes): Promise<void> {
  await Promise.all(Array.from(new Set([ordinary.pool, bulk.pool, looks]), (pool) => pool.end()));
}

/** A connection of its own, which the caller ends. @throws {Problem} `database_unavailable` */
export async function connectApart(address: DatabaseAddress): Promise<pg.Client> {
  const client = new pg.Client({
    ...address,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'prefixcast-maintenance',
  });
  // A broken connection shows in the statement that fails.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw databaseProblem(error);
  }
  return client;
}
