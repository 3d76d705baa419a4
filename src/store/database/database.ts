/**
 * The store: the only room with SQL. migrations/ is the schema, one file per noun holds its statements, contents/ stores prefixes,
 * embedded/ runs a PostgreSQL if none is configured.
 *
 * Every statement runs in a transaction with one of two roles. As `prefixcast_tenant` it sees the rows of one tenant, by row level
 * security; as `prefixcast_system` those of all. The type of a function's first argument says which one it needs, so a tenant's request
 * cannot reach a function that crosses tenants.
 */
import { sql, type Kysely } from 'kysely';
import type pg from 'pg';
import type { OperatorEvent } from '../../api/activity/operator-events.ts';
import type { OwnAddress } from '../../core/own-addresses.ts';
import { Problem } from '../../api/problems/problem.ts';
import { isUuid } from '../../api/shapes/uuid.ts';
import { standBehindOthers } from '../../concurrency/low-priority.ts';
import type { DatabaseAddress } from './database-address.ts';
import {
  databaseProblem,
  isDiskFull,
  isUnanswered,
  mayBeRepeated,
  requestProblem,
} from './database-problem.ts';
import { Listener, type Subscription } from './listener.ts';
import { lockOf, type TenantLock } from './tenant-lock.ts';
import { actorSetting, openSession, type Session, type SessionPurpose } from './session.ts';
import type { Tables } from '../generated/rows.ts';
import { closeLanes, connectApart, openLanes, type Lane, type Lanes } from './lanes.ts';

/** A transaction that sees one tenant. */
export interface TenantTx {
  readonly tenantId: string;
  readonly sql: Kysely<Tables>;
  /** Addresses of this service and its database, which no tenant may announce. {@link Database.inTenant} sets it. */
  readonly ownAddresses?: readonly OwnAddress[];
  /** Events for operators, published once it has committed; see {@link emitEvent}. */
  readonly events?: OperatorEvent[];
  /** What the user that owns the database does before it commits; see {@link asOwner}. */
  readonly atEnd?: OwnersWork[];
  /** What it has read and keeps; see {@link readOnce}. */
  readonly memo?: Map<string, unknown>;
}

type TenantWork<T> = (tx: TenantTx) => Promise<T>;

/** A transaction that sees every tenant: to find the owner of a key, holders of speakers, and what is due. */
export interface SystemTx {
  readonly system: true;
  readonly sql: Kysely<Tables>;
}

/** A resource as the API shows it, and the number of operators' changes it has seen. */
export interface Versioned<T> {
  readonly resource: T;
  readonly version: number;
}

export interface DatabaseOptions {
  /** Most connections for transactions; one more listens, and one runs single statements, or three for requests. */
  readonly maximumConnections?: number;
  /**
   * For requests: tenants take turns at the connections, waits for locks are short, and a transaction that conflicts with another is
   * retried once, so its work must be repeatable.
   */
  readonly forRequests?: boolean;
  /** Addresses of this service and its database; none by default. */
  readonly ownAddresses?: readonly OwnAddress[];
  /** The server is our own, on this machine: the priority of its sessions for large requests may be lowered. */
  readonly isOwnServer?: boolean;
  /** Receives faults that no caller waits for, such as a broken idle connection. */
  readonly onFault?: (error: unknown) => void;
  /** Receives the events of each transaction of a tenant once it has committed. */
  readonly onEvents?: (tenantId: string, events: readonly OperatorEvent[]) => void;
}

/** Makes a small file grow, as most writes do eventually, and leaves nothing. */
const NEEDS_ROOM =
  "CREATE TEMPORARY TABLE room_on_disk ON COMMIT DROP AS SELECT repeat('x', 1900) FROM generate_series(1, 64)";

/** Opens no connection yet; each is opened on demand, and again after the server was down. */
export function openDatabase(address: DatabaseAddress, options: DatabaseOptions = {}): Database {
  return new Database(address, options);
}

export class Database {
  readonly #address: DatabaseAddress;
  readonly #lanes: Lanes;
  readonly #listener: Listener;
  readonly #isOwnServer: boolean;
  readonly #sessions = new WeakMap<pg.PoolClient, Session>();
  /** A write failed because the disk was full, and no ping has found space since. */
  #isFull = false;
  readonly #ownAddresses: readonly OwnAddress[];
  readonly #onEvents: NonNullable<DatabaseOptions['onEvents']>;

  constructor(address: DatabaseAddress, options: DatabaseOptions) {
    const { onFault = () => undefined } = options;
    this.#onEvents = options.onEvents ?? (() => undefined);
    this.#ownAddresses = options.ownAddresses ?? [];
    this.#address = address;
    this.#isOwnServer = options.isOwnServer === true;
    this.#lanes = openLanes(address, options, onFault);
    this.#listener = new Listener(address, onFault);
  }

  /**
   * Runs `work` in one transaction of the tenant: all of it happens, or when `work` rejects, nothing.
   * @param lock what the transaction waits for before anything else, as {@link lockTenant} does, without a statement of its own
   * @param actor whose edits the work makes, for the revision that will hold them; null: nobody's
   * @throws {Problem} `database_unavailable` when the database does not answer
   */
  inTenant<T>(
    tenantId: string,
    work: TenantWork<T>,
    lock?: TenantLock,
    actor: string | null = null,
  ): Promise<T> {
    return this.#inTenant(this.#lanes.ordinary, tenantId, work, actor, lock);
  }

  /**
   * {@link inTenant} for a large request. Each tenant runs one at a time, on connections that other requests do not use.
   * @throws {Problem} as {@link inTenant}; `rate_limited` when many of the tenant wait
   */
  inBulk<T>(tenantId: string, work: TenantWork<T>, actor: string | null = null): Promise<T> {
    return this.#inTenant(this.#lanes.bulk, tenantId, work, actor);
  }

  async #inTenant<T>(
    lane: Lane,
    tenantId: string,
    work: TenantWork<T>,
    actor: string | null,
    lock?: TenantLock,
  ): Promise<T> {
    if (!isUuid(tenantId)) throw new TypeError(`${JSON.stringify(tenantId)} is not a tenant id`);
    const wait = lock === undefined ? '' : `, ${lockOf(tenantId, lock)}`;
    // The same as SET LOCAL, in one statement.
    const begin = `BEGIN; SELECT set_config('role', 'prefixcast_tenant', true), set_config('app.tenant_id', '${tenantId}', true)${actorSetting(actor)}${wait}`;
    const events: OperatorEvent[] = [];
    const atEnd: OwnersWork[] = [];
    const transact = (): Promise<T> =>
      this.#inTransaction(lane, begin, async (session) => {
        events.length = 0; // those of an attempt that was not committed
        atEnd.length = 0;
        const ownAddresses = this.#ownAddresses;
        const result = await work({ tenantId, sql: session, ownAddresses, events, atEnd, memo: new Map() });
        await endAsOwner(session, atEnd);
        return result;
      });
    const result = await (lane.turns === null ? transact() : lane.turns.inTurn(tenantId, transact));
    if (events.length > 0) this.#onEvents(tenantId, events);
    return result;
  }

  /** {@link inTenant} across tenants. */
  inSystem<T>(work: (tx: SystemTx) => Promise<T>): Promise<T> {
    return this.#inTransaction(this.#lanes.ordinary, 'BEGIN; SET LOCAL ROLE prefixcast_system', (sql) =>
      work({ system: true, sql }),
    );
  }

  /**
   * Runs statements across tenants, each in its own transaction, none of which may wait for a row. They share one connection, of requests three.
   * @throws {Problem} `database_unavailable` when the database does not answer
   */
  async alone<T>(statement: (tx: SystemTx) => Promise<T>): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await this.#lanes.looks.connect();
    } catch (error) {
      throw databaseProblem(error);
    }
    let broken = false;
    try {
      return await statement({ system: true, sql: await this.#sessionOf(client, 'system') });
    } catch (error) {
      broken = isUnanswered(error);
      if (isDiskFull(error)) this.#isFull = true;
      throw databaseProblem(error);
    } finally {
      client.release(broken);
    }
  }

  /**
   * Checks that the database answers and, after a write found its disk full, that there is space again.
   * @throws {Problem} `database_unavailable` when there is no answer within `deadlineMs`
   */
  async ping(deadlineMs = 1_000): Promise<void> {
    const late = new Problem('database_unavailable', `The database did not answer within ${deadlineMs} ms.`, {
      retryAfter: 2,
    });
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(late), deadlineMs);
    });
    const wasFull = this.#isFull;
    const answer = this.#lanes.ordinary.pool.query(wasFull ? NEEDS_ROOM : 'SELECT 1').then(
      () => {
        if (wasFull) this.#isFull = false;
      },
      (error: unknown) => {
        throw databaseProblem(error);
      },
    );
    await Promise.race([answer, deadline]).finally(() => clearTimeout(timer));
  }

  /**
   * A connection outside the pool, as the user that owns the database, for long statements outside transactions. The caller ends it.
   * @throws {Problem} `database_unavailable`
   */
  connectApart(): Promise<pg.Client> {
    return connectApart(this.#address);
  }

  /**
   * Names the committed state (`xmin:xmax:xip_list`, PostgreSQL's pg_snapshot): while the name is the same, so is every row.
   * @throws {Problem} `database_unavailable`
   */
  async snapshot(): Promise<string> {
    try {
      const { rows } = await this.#lanes.ordinary.pool.query<{ name: string }>({
        name: 'snapshot',
        text: 'SELECT pg_current_snapshot()::text AS name',
      });
      return rows[0]!.name;
    } catch (error) {
      throw databaseProblem(error);
    }
  }

  /**
   * Calls `onHint` for every {@link notify} on the channel, and with null when listening begins, at first and after a broken connection:
   * some hints may have been missed. Hints only shorten waiting; callers must also poll the rows.
   */
  listen(channel: string, onHint: (payload: string | null) => void): Subscription {
    return this.#listener.subscribe(channel, onHint);
  }

  async close(): Promise<void> {
    await this.#listener.close();
    await closeLanes(this.#lanes);
  }

  /** Runs the transaction; for requests, once more if it conflicted with another. */
  async #inTransaction<T>(lane: Lane, begin: string, work: (sql: Kysely<Tables>) => Promise<T>): Promise<T> {
    if (lane.turns === null) return this.#tryTransaction(lane, begin, work, databaseProblem);
    try {
      return await this.#tryTransaction(lane, begin, work, (error) => error);
    } catch (error) {
      if (!mayBeRepeated(error)) throw requestProblem(error);
    }
    return this.#tryTransaction(lane, begin, work, requestProblem);
  }

  async #tryTransaction<T>(
    { pool, purpose }: Lane,
    begin: string,
    work: (sql: Kysely<Tables>) => Promise<T>,
    explain: (error: unknown) => unknown,
  ): Promise<T> {
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      throw explain(error);
    }
    let broken = false;
    try {
      const session = await this.#sessionOf(client, purpose);
      await client.query(begin);
      const result = await work(session);
      const { command } = await client.query('COMMIT');
      // A statement failed and `work` continued nevertheless: nothing was committed.
      if (command !== 'COMMIT') throw new Error('The transaction had failed before it was committed');
      return result;
    } catch (error) {
      if (isDiskFull(error)) this.#isFull = true;
      broken = isUnanswered(error);
      if (!broken) await client.query('ROLLBACK').catch(() => (broken = true));
      throw explain(error);
    } finally {
      client.release(broken);
    }
  }

  async #sessionOf(client: pg.PoolClient, purpose: SessionPurpose): Promise<Session> {
    const known = this.#sessions.get(client);
    if (known !== undefined) return known;
    const session = await openSession(client, purpose);
    if (purpose === 'bulk' && this.#isOwnServer) standBehindOthers(await processOf(client));
    this.#sessions.set(client, session);
    return session;
  }
}

/** Publishes the event to operators once the transaction has committed; a rollback drops it. */
export function emitEvent(tx: TenantTx, event: OperatorEvent): void {
  tx.events?.push(event);
}

async function processOf(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

/** Sends a hint to listeners when the transaction commits. */
export async function notify(tx: TenantTx | SystemTx, channel: string, payload: string): Promise<void> {
  await sql`SELECT pg_notify(${channel}, ${payload})`.execute(tx.sql);
}

/** Runs `work` in the tenant's transaction across tenants: for super roles. The role is restored afterwards. */
export async function asSystem<T>(tx: TenantTx, work: (tx: SystemTx) => Promise<T>): Promise<T> {
  await sql`SET LOCAL ROLE prefixcast_system`.execute(tx.sql);
  const result = await work({ system: true, sql: tx.sql });
  await sql`SET LOCAL ROLE prefixcast_tenant`.execute(tx.sql);
  return result;
}

type OwnersWork = (owner: Kysely<Tables>) => Promise<void>;

/**
 * Runs `work` at the end of the tenant's transaction as the user that owns the database: for the tables of pg-boss, which tenants may not
 * access. Nothing of the tenant comes after it, so that the role need not be restored, and is changed once. A {@link takingBack | rollback}
 * to before this drops it.
 */
export function asOwner(tx: TenantTx, work: OwnersWork): void {
  if (tx.atEnd === undefined) throw new TypeError('The transaction has no end to wait for');
  tx.atEnd.push(work);
}

async function endAsOwner(session: Session, atEnd: readonly OwnersWork[]): Promise<void> {
  if (atEnd.length === 0) return;
  await sql`SET LOCAL ROLE NONE`.execute(session);
  for (const work of atEnd) await work(session);
}
