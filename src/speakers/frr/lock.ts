/**
 * Allows one process at a time to drive an FRR. We own no directory of FRR, and its socket directory is often not accessible; so the lock
 * is a socket without a file (unix(7) calls its name abstract), named after that directory. Linux gives a name to one process and takes it
 * back when the process ends in any way. Names are unique in a network namespace, which FRR and this process share, since the feed runs
 * over loopback.
 */
import { randomUUID } from 'node:crypto';
import { on, once } from 'node:events';
import { stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { hostname } from 'node:os';

/** What the holder of the lock answers to those who ask. */
interface Owner {
  /** Random: a process in another pid namespace may have the same pid. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** RFC 3339, for people. */
  readonly since: string;
}

const PROCESS_ID = randomUUID();

/** The holder may release the lock just when it is asked who it is. */
const ATTEMPTS = 5;
/** For the holder to say who it is. */
const ANSWER_MILLISECONDS = 1_000;
/** Octets: anybody on the machine may hold the name. */
const LONGEST_ANSWER = 1_000;

export class FrrLock {
  readonly #directory: string;
  #held: { readonly name: string; readonly server: Server } | null = null;

  /** @param directory the directory of the sockets of FRR's daemons */
  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Takes the lock, unless another process has it. @returns why it can't be taken, for a person; null: this process has it */
  async claim(): Promise<string | null> {
    const name = await nameOf(this.#directory);
    // Without the directory there is no FRR to drive.
    if (name === null || name === this.#held?.name) return null;
    await this.release();
    const where = `FRR with its sockets in ${this.#directory}`;
    try {
      const owner = await this.#take(name);
      return owner === null
        ? null
        : `${where} is driven by ${owner}: give each service an FRR of its own, or end that process`;
    } catch (error) {
      return `${where} can't be taken for this process: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  async release(): Promise<void> {
    const server = this.#held?.server;
    this.#held = null;
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  /** @returns who has the lock; null: this process */
  async #take(name: string): Promise<string | null> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const server = await listen(name);
      if (server !== null) {
        this.#held = { name, server };
        return null;
      }
      const answer = await ask(name);
      if (answer === null) continue;
      const owner = readOwner(answer);
      if (owner?.id === PROCESS_ID) return null;
      return owner === null
        ? 'another process, which does not say who it is'
        : `the process ${owner.pid} on ${owner.host}, since ${owner.since}`;
    }
    return 'other processes, one after the other';
  }
}

/**
 * By the device and inode of the directory, since its path may differ for others. Null if it does not exist, or on a system without
 * abstract names.
 */
async function nameOf(directory: string): Promise<string | null> {
  if (process.platform !== 'linux') return null;
  const found = await stat(directory).catch(() => null);
  return found === null ? null : `\0prefixcast-frr-${found.dev}-${found.ino}`;
}

/** @returns null if another process has the name */
async function listen(name: string): Promise<Server | null> {
  const owner: Owner = {
    ...{ id: PROCESS_ID, pid: process.pid, host: hostname() },
    since: new Date().toISOString(),
  };
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // the caller did not wait for the answer
    socket.end(JSON.stringify(owner), () => socket.destroy());
  });
  server.unref();
  try {
    server.listen({ path: name });
    await once(server, 'listening');
    server.on('error', () => undefined); // a connection that could not be accepted: the name stays ours
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return null;
    throw error;
  }
}

/** @returns what the process with the name answers; empty: it hangs. Null: it has ended or released the name before it answered */
async function ask(name: string): Promise<string | null> {
  const socket = connect({ path: name });
  const signal = AbortSignal.timeout(ANSWER_MILLISECONDS);
  try {
    for await (const answer of on(socket, 'data', { signal, close: ['close'] })) {
      const [bytes] = answer as [Buffer];
      return bytes.length > LONGEST_ANSWER ? '' : bytes.toString();
    }
    return null;
  } catch (error) {
    // Linux resets a pending connection when the listening process ends.
    return ['ECONNREFUSED', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '') ? null : '';
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

function readOwner(answer: string): Owner | null {
  try {
    const owner = JSON.parse(answer) as Partial<Owner>;
    const { id, pid, host, since } = owner;
    const isWhole = [id, host, since].every((word) => typeof word === 'string') && typeof pid === 'number';
    return isWhole ? (owner as Owner) : null;
  } catch {
    return null;
  }
}
