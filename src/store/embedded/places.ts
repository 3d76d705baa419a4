import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { embeddedFault } from './embedded-error.ts';
import type { ServerOwner } from './server-owner.ts';

/** The paths of one embedded server. */
export interface Places {
  /** Below the data directory; contains everything except the socket if its path would be too long. */
  readonly home: string;
  /** PGDATA. */
  readonly cluster: string;
  readonly socketDir: string;
  readonly log: string;
  readonly locks: string;
}

/** sun_path holds 108 bytes on Linux and 104 on macOS, the final NUL among them. */
const LONGEST_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;

export function placesOf(dataDir: string): Places {
  const home = join(dataDir, 'postgres');
  return {
    home,
    cluster: join(home, 'data'),
    socketDir: socketDirectory(dataDir, join(home, 'run')),
    log: join(home, 'server.log'),
    locks: join(home, 'locks'),
  };
}

/** The server's setting is a list of directories, so a path with list syntax is replaced like one that is too long. */
function socketDirectory(dataDir: string, preferred: string): string {
  const path = join(preferred, '.s.PGSQL.5432');
  if (Buffer.byteLength(path) <= LONGEST_SOCKET_PATH && !/[",'\\\s]/.test(path)) return preferred;
  const uid = process.getuid?.() ?? 0;
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const base = uid === 0 ? '/run' : (process.env.XDG_RUNTIME_DIR ?? tmpdir());
  return join(base, `prefixcast-${uid}-${hash}`);
}

/** Creates the directories, each accessible only to the server's owner and root. */
export function makePlaces(dataDir: string, places: Places, owner: ServerOwner | null): void {
  mkdirSync(dataDir, { recursive: true, mode: owner === null ? 0o700 : 0o711 });
  if (owner !== null) letThrough(dataDir);
  // Group, not others: only the server's own user needs access, and initdb, which gets the group as well.
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  if (owner !== null) {
    chownSync(places.home, 0, owner.gid);
    chmodSync(places.home, 0o710);
  }
  mkdirSync(places.locks, { recursive: true, mode: 0o700 });
  mkdirSync(places.socketDir, { recursive: true, mode: 0o700 });
  if (owner !== null) chownSync(places.socketDir, owner.uid, owner.gid);
  refuseForeignDirectory(places.socketDir, owner?.uid ?? process.getuid?.() ?? 0);
}

/** The server's user has no rights of its own on the way to its data: every directory above must be passable for everyone. */
function letThrough(dataDir: string): void {
  const mode = statSync(dataDir).mode & 0o777;
  if ((mode & 0o001) === 0) chmodSync(dataDir, mode | 0o001);
  for (let path = dirname(dataDir); path !== dirname(path); path = dirname(path)) {
    if ((statSync(path).mode & 0o001) === 0) {
      throw embeddedFault(
        `runs as an unprivileged user, which may not enter ${path}`,
        `put APP_DATA_DIR outside of it (now ${dataDir})`,
      );
    }
  }
}

/** In a shared directory such as /tmp, another user could have created it beforehand as a trap. */
function refuseForeignDirectory(path: string, uid: number): void {
  const stat = lstatSync(path);
  if (!stat.isDirectory() || stat.uid !== uid || (stat.mode & 0o077) !== 0) {
    throw embeddedFault(`will not use ${path}, which others can reach`, `remove ${path}`);
  }
}
