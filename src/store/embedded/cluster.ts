import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { embeddedFault, explainFault } from './embedded-error.ts';
import type { Places } from './places.ts';
import type { ServerProgram } from './program.ts';
import type { ServerOwner } from './server-owner.ts';

/** Only the server's user and root can access the socket directory, so everyone there may connect. */
const ACCESS_RULES = 'local all all trust\n';

/**
 * Creates the cluster if there is none; rejects one of another major version.
 * @returns whether it is new, and so not yet {@link syncCluster | synced}
 */
export async function prepareCluster(
  places: Places,
  program: ServerProgram,
  owner: ServerOwner | null,
): Promise<boolean> {
  removeHalves(places.home);
  const version = clusterVersion(places.cluster);
  if (version === null) {
    await createCluster(places, program, owner);
    return true;
  }
  if (version !== program.majorVersion) {
    throw embeddedFault(
      `is version ${program.majorVersion}, but version ${version} made ${places.cluster}`,
      `go on with the release that carries version ${version}, move the data over by hand`,
    );
  }
  return false;
}

/**
 * Syncs a new cluster's files to disk. It takes seconds if others write too, so it happens while the server runs: a first start has little
 * to lose in a power failure.
 */
export async function syncCluster(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true, recursive: true })) {
    if (entry.isFile() || entry.isDirectory()) await syncPath(join(entry.parentPath, entry.name));
  }
  await syncPath(directory);
}

async function syncPath(path: string): Promise<void> {
  try {
    const file = await open(path, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    // The server itself deletes files.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function clusterVersion(cluster: string): string | null {
  const path = join(cluster, 'PG_VERSION');
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  if (existsSync(cluster)) {
    throw embeddedFault(`finds no database in ${cluster}`, `restore the directory, remove it to start again`);
  }
  return null;
}

/** Prefix of the directory of an incomplete cluster. */
const HALF = 'data.new-';

/** Creates it beside its place and renames it, so that an interrupted start leaves nothing that looks complete. */
async function createCluster(
  places: Places,
  program: ServerProgram,
  owner: ServerOwner | null,
): Promise<void> {
  const half = mkdtempSync(join(places.home, HALF));
  if (owner !== null) chownSync(half, owner.initUid, owner.gid);
  await initdb(program, owner, [
    ...[
      '--pgdata',
      half,
      '--username',
      'postgres',
      '--encoding',
      'UTF8',
      '--auth',
      'trust',
      '--no-sync',
      '--no-instructions',
    ],
    ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
  ]);
  writeFileSync(join(half, 'pg_hba.conf'), ACCESS_RULES);
  chmodSync(half, 0o700);
  if (owner !== null) giveAway(half, owner);
  renameSync(half, places.cluster);
}

/**
 * Removes what interrupted starts left. An `initdb` may outlive its start for a moment and continue writing: that does no harm, because
 * each attempt has its own directory, and the next start removes the rest.
 */
function removeHalves(home: string): void {
  for (const name of readdirSync(home)) {
    // `data.new` is an older name.
    if (!name.startsWith(HALF) && name !== 'data.new') continue;
    try {
      rmSync(join(home, name), { recursive: true, force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }
}

function giveAway(path: string, owner: ServerOwner): void {
  lchownSync(path, owner.uid, owner.gid);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) giveAway(child, owner);
    else lchownSync(child, owner.uid, owner.gid);
  }
}

async function initdb(program: ServerProgram, owner: ServerOwner | null, args: string[]): Promise<void> {
  const identity = owner === null ? {} : { uid: owner.initUid, gid: owner.gid };
  const child = spawn(program.initdb, args, {
    ...identity,
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const status = await new Promise<number | string>((resolve, reject) => {
    child.once('error', (error) => {
      reject(explainFault('making its database', error.message, error));
    });
    child.once('close', (code, signal) => {
      resolve(code ?? signal ?? 'unknown');
    });
  });
  if (status !== 0)
    throw explainFault('making its database', Buffer.concat(said).toString() || `exit ${status}`);
}
