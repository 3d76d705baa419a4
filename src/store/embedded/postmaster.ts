import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { processExists } from '../../concurrency/process-identity.ts';
import { embeddedFault, explainFault } from './embedded-error.ts';
import type { Places } from './places.ts';
import type { ServerProgram } from './program.ts';
import type { ServerOwner } from './server-owner.ts';

/** Set on the command line at each start, so that an update of the program updates them too. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  // Several processes of the service may share it, each with its own pool; an unused slot costs a few kilobytes.
  max_connections: '200',
  shared_buffers: '64MB',
  max_wal_size: '512MB',
  // Nothing replicates from this server; acknowledged writes are still never lost.
  wal_level: 'minimal',
  max_wal_senders: '0',
  synchronous_commit: 'on',
  // Worker processes for reading ahead cost more memory than this service's small reads gain.
  io_method: 'sync',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  log_min_messages: 'warning',
};

const LONGEST_LOG_BYTES = 10 * 1024 * 1024;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const POLL_MS = 10;
const SOCKET = '.s.PGSQL.5432';

/** How to reach the server as `user`. */
export function socketConfig(places: Places, user: string, database: string): pg.ClientConfig {
  return { host: places.socketDir, port: 5432, user, database, connectionTimeoutMillis: 5_000 };
}

/** The pid of the server that runs on exactly this cluster and socket and answers; null if there is none. */
export async function findRunning(places: Places): Promise<number | null> {
  const file = readPidFile(places);
  if (file === null || !processExists(file.pid)) return null;
  if (file.cluster !== places.cluster || file.socketDir !== places.socketDir) return null;
  // Another process may have a dead server's pid: what counts is an answer at the socket.
  const worthWaiting = (): boolean => isServerProcess(file.pid);
  return (await waitUntilAnswering(places, worthWaiting, START_TIMEOUT_MS)) ? file.pid : null;
}

/** Starts the server and waits until it answers. The caller holds the start lock and found none running. */
export async function startPostmaster(
  places: Places,
  program: ServerProgram,
  owner: ServerOwner | null,
): Promise<number> {
  await refuseUnseenServer(places);
  await removeMisleadingPidFiles(places);
  shortenLog(places.log);
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    const outcome = await spawnPostmaster(places, program, owner);
    if (typeof outcome === 'number') return outcome;
    // Children of a killed server need a moment to notice; starting beside them would damage the data.
    const orphans = outcome.includes('pre-existing shared memory block');
    if (!orphans || performance.now() > deadline) throw explainFault('starting', outcome);
    await delay(100);
  }
}

/** The pid of a server that answers, or its output before it gave up. */
async function spawnPostmaster(
  places: Places,
  program: ServerProgram,
  owner: ServerOwner | null,
): Promise<number | string> {
  const log = openSync(places.log, 'a', 0o600);
  const logStart = fstatSync(log).size;
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  // Detached: a terminal's Ctrl-C is for the service, which then stops the server itself.
  const child = spawn(program.postgres, ['-D', places.cluster, '-k', places.socketDir, ...settings], {
    ...(owner === null ? {} : { uid: owner.uid, gid: owner.gid }),
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let ended: string | null = null;
  child.once('error', (error) => (ended = error.message));
  child.once('exit', (code, signal) => (ended ??= `it ended with ${code ?? signal ?? 'nothing'}`));
  child.unref();
  if (await waitUntilAnswering(places, () => ended === null, START_TIMEOUT_MS)) return child.pid!;
  if (ended === null) child.kill('SIGQUIT');
  const said = readFileSync(places.log).subarray(logStart).toString();
  return said || (ended ?? `no answer in ${START_TIMEOUT_MS / 1000} s`);
}

/** Closes every connection, flushes everything and stops; uses force when that takes too long. */
export async function stopPostmaster(places: Places, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    const deadline = performance.now() + STOP_TIMEOUT_MS;
    while (performance.now() < deadline) {
      if (readPidFile(places)?.pid !== pid || !processExists(pid)) return;
      await delay(POLL_MS);
    }
  }
}

/** Lines of postmaster.pid: pid, data directory, start time, port, socket directory. */
function readPidFile(places: Places): { pid: number; cluster: string; socketDir: string } | null {
  try {
    const lines = readFileSync(join(places.cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), cluster: lines[1] ?? '', socketDir: lines[4] ?? '' };
  } catch {
    return null;
  }
}

/**
 * Two containers that share a volume see the same socket, but not each other's processes: the pid file would look like that of a dead
 * server, and two servers would damage the data.
 * @throws {EmbeddedServerError}
 */
async function refuseUnseenServer(places: Places): Promise<void> {
  if (!(await isListening(join(places.socketDir, SOCKET)))) return;
  throw embeddedFault(
    `finds that a server works on ${places.cluster} already whose processes cannot be seen from here, such as one of another container`,
    'end that one, give each service a data directory of its own',
  );
}

/**
 * The server itself removes pid files of dead servers, after it has looked for their surviving children. It is misled by a pid that another
 * program has since (after a reboot), and by a zombie, which stays for ever in a container whose first process never waits for children. In
 * these cases we look for children.
 */
async function removeMisleadingPidFiles(places: Places): Promise<void> {
  const files = [join(places.cluster, 'postmaster.pid'), join(places.socketDir, `${SOCKET}.lock`)];
  // Without a number: the server was killed between creating the file and writing it.
  const misleading = files.filter((path) => existsSync(path) && !isServerProcess(readFirstNumber(path) ?? 0));
  if (misleading.length === 0) return;
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (hasServerProcesses(places.cluster) && performance.now() < deadline) await delay(POLL_MS);
  if (hasServerProcesses(places.cluster)) return;
  for (const path of misleading) rmSync(path, { force: true });
}

/** Whether any process works in its data directory, as all of a server's do. proc(5); elsewhere nothing is found. */
function hasServerProcesses(cluster: string): boolean {
  const directory = realpathSync(cluster);
  return readDirectory('/proc').some((name) => /^\d+$/.test(name) && workingDirectory(name) === directory);
}

function readDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function workingDirectory(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

/** Never takes a lock from a living PostgreSQL: its own refusal to start twice is the last safeguard. */
function isServerProcess(pid: number): boolean {
  if (pid === 0 || !processExists(pid)) return false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('postgres');
  } catch {
    return process.platform !== 'linux';
  }
}

function readFirstNumber(path: string): number | null {
  try {
    return Number.parseInt(readFileSync(path, 'latin1'), 10) || null;
  } catch {
    return null;
  }
}

function shortenLog(path: string): void {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LONGEST_LOG_BYTES) truncateSync(path);
}

async function waitUntilAnswering(
  places: Places,
  worthWaiting: () => boolean,
  timeout: number,
): Promise<boolean> {
  const deadline = performance.now() + timeout;
  while (worthWaiting() && performance.now() < deadline) {
    if (await answers(places)) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** Whether a server accepts connections there, including one that is starting or has no free slot. */
async function isListening(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

async function answers(places: Places): Promise<boolean> {
  const client = new pg.Client(socketConfig(places, 'postgres', 'postgres'));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
