/**
 * One process at a time for a BIRD: a file in the directory that is ours says which. Made in one step, with its text, so that of two
 * processes one has it; and left behind by one that was killed, which is told by its pid and when that was started.
 */
import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Whose lock it is. */
interface Owner {
  readonly pid: number;
  readonly host: string;
  /** When the process was started, in ticks of its machine since this was; null where the system does not tell. */
  readonly started: string | null;
  /** Of the machine since it was started; null likewise. */
  readonly boot: string | null;
  /** RFC 3339, for people. */
  readonly since: string;
}

const NAME = 'prefixcast.lock';
/** Of taking a lock that a dead process left: others may be at it as well. */
const ATTEMPTS = 5;

export class DirectoryLock {
  readonly #directory: string;
  readonly #path: string;
  #isOurs = false;

  constructor(directory: string) {
    this.#directory = directory;
    this.#path = join(directory, NAME);
  }

  /** Takes the lock, unless another process that lives has it. @returns what is against that, for a person; null: this process has it */
  async claim(): Promise<string | null> {
    const where = `BIRD's directory ${this.#directory}`;
    try {
      const owner = await this.#claim();
      return owner === null
        ? null
        : `${where} is driven by ${owner}: give each service a BIRD and a directory of its own, or end that process`;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return `${where} can't be taken (${words}): give it to the user of this process`;
    }
  }

  /** @returns who has the lock; null: this process */
  async #claim(): Promise<string | null> {
    if (this.#isOurs && (await this.#isThere())) return null;
    this.#isOurs = false;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await this.#make()) {
        this.#isOurs = true;
        return null;
      }
      const text = await readFile(this.#path, 'utf8').catch(ifGone);
      if (text === null) continue;
      const owner = readOwner(text);
      if (owner !== null && (await isThisProcess(owner))) {
        this.#isOurs = true;
        return null;
      }
      if (owner !== null && (await isAlive(owner)))
        return `the process ${owner.pid} on ${owner.host}, since ${owner.since}`;
      await this.#clear(text);
    }
    return 'another process that was started at the same moment';
  }

  async release(): Promise<void> {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    if (await this.#isThere()) await rm(this.#path, { force: true });
  }

  /** Whether our lock is in the directory, which somebody may have emptied. What can't be read was taken by nobody. */
  async #isThere(): Promise<boolean> {
    try {
      const owner = readOwner(await readFile(this.#path, 'utf8'));
      return owner !== null && (await isThisProcess(owner));
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  }

  /** @returns false where there is a lock already */
  async #make(): Promise<boolean> {
    const draft = `${this.#path}.${randomUUID()}`; // speakers of one process may be at it together
    await writeFile(draft, JSON.stringify(await thisProcess()), { mode: 0o640 });
    try {
      await link(draft, this.#path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Takes away the lock that a dead process left, unless it has become another's meanwhile. */
  async #clear(text: string): Promise<void> {
    const aside = `${this.#path}.${randomUUID()}.dead`;
    try {
      await rename(this.#path, aside);
      if ((await readFile(aside, 'utf8')) !== text) await link(aside, this.#path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
    } finally {
      await rm(aside, { force: true });
    }
  }
}

async function thisProcess(): Promise<Owner> {
  const { pid } = process;
  const since = new Date().toISOString();
  return { pid, host: hostname(), started: await startOf(pid), boot: await bootId(), since };
}

function readOwner(text: string): Owner | null {
  try {
    const owner = JSON.parse(text) as Partial<Owner>;
    return typeof owner.pid === 'number' && typeof owner.host === 'string' ? (owner as Owner) : null;
  } catch {
    return null;
  }
}

async function isThisProcess({ pid, host, started, boot }: Owner): Promise<boolean> {
  const own = await thisProcess();
  return pid === own.pid && host === own.host && started === own.started && boot === own.boot;
}

/** A process of another machine, whose directory this one shares, counts as alive: nobody here can tell. */
async function isAlive({ pid, host, started, boot }: Owner): Promise<boolean> {
  if (host !== hostname()) return true;
  if (boot !== (await bootId())) return false;
  if (started !== null) return (await startOf(pid)) === started;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Field 22 of proc(5); the second may hold blanks, so they are counted from behind its bracket. Null for a process that has ended, also
 * where nobody has taken note of that yet (field 3).
 */
async function startOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? null : (fields[19] ?? null);
}

async function bootId(): Promise<string | null> {
  const text = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => null);
  return text === null ? null : text.trim();
}

function ifGone(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
