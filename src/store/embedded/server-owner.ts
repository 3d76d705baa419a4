import { readFileSync, statSync } from 'node:fs';
import { embeddedFault } from './embedded-error.ts';

/** The user of the server's processes and files. */
export interface ServerOwner {
  readonly uid: number;
  readonly gid: number;
  /**
   * A user in /etc/passwd: initdb requires one, the server itself does not. The files are given to `uid` as soon as initdb is done.
   */
  readonly initUid: number;
}

/** Uids that no package uses: the range that systemd reserves for dynamic users. */
const FIRST_DYNAMIC_UID = 61_184;
const LAST_DYNAMIC_UID = 65_519;

/**
 * PostgreSQL refuses to run as root, so as root it gets a separate uid, which needs no entry in a user database. Once the data exist, their
 * owner runs the server.
 * @returns null for an ordinary user, who runs the server as itself
 */
export function chooseOwner(dataDir: string, clusterDir: string): ServerOwner | null {
  if (process.getuid?.() !== 0) return null;
  const accounts = readAccounts();
  const initUid = accounts.get('nobody') ?? accounts.get('daemon');
  if (initUid === undefined || initUid === 0) {
    throw embeddedFault('needs an unprivileged user', 'add `nobody` to /etc/passwd');
  }
  const existing = statSync(clusterDir, { throwIfNoEntry: false });
  if (existing !== undefined && existing.uid !== 0) {
    return { uid: existing.uid, gid: existing.gid, initUid };
  }
  const number = freeUid(dataDir, new Set(accounts.values()));
  return { uid: number, gid: number, initUid };
}

function readAccounts(): Map<string, number> {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    return new Map(
      lines.flatMap((line) => {
        const [name, , uid] = line.split(':');
        return name !== undefined && uid !== undefined && /^\d+$/.test(uid) ? [[name, Number(uid)]] : [];
      }),
    );
  } catch (error) {
    throw embeddedFault('needs an unprivileged user', 'make /etc/passwd readable', error);
  }
}

/** The search starts at a place derived from the data directory, so that two services on one machine seldom get the same uid. */
function freeUid(dataDir: string, taken: ReadonlySet<number>): number {
  const span = LAST_DYNAMIC_UID - FIRST_DYNAMIC_UID + 1;
  let start = 0;
  for (const byte of Buffer.from(dataDir)) start = (start * 31 + byte) % span;
  for (let offset = 0; offset < span; offset++) {
    const uid = FIRST_DYNAMIC_UID + ((start + offset) % span);
    if (!taken.has(uid)) return uid;
  }
  throw embeddedFault('found no free user number', 'run the service as an ordinary user');
}
