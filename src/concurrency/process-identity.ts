/**
 * Identifies a process: its pid and the time of its start, since pids are reused. One process writes it to a file, and others find out
 * whether that process still lives.
 */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

export interface ProcessIdentity {
  readonly pid: number;
  /** The id of the machine's boot and the ticks from then to the start of the process; null where the system does not report them. */
  readonly started: string | null;
  /** Null for a file that only processes of one machine read. */
  readonly host: string | null;
  /** When it was written, RFC 3339, for people; null if the host is. */
  readonly since: string | null;
}

const UNKNOWN = '?';

export function ownIdentity(): ProcessIdentity {
  const { pid } = process;
  return { pid, started: startOf(pid), host: hostname(), since: new Date().toISOString() };
}

/** JSON for people who want to know who holds a lock; two words for a process without a host, which only processes read. */
export function identityText({ pid, started, host, since }: ProcessIdentity): string {
  if (host === null) return `${pid} ${started ?? UNKNOWN}`;
  const [boot = null, ticks = null] = started?.split(':') ?? [];
  return JSON.stringify({ pid, host, started: ticks, boot, since });
}

/** @returns null for what {@link identityText} did not write */
export function readIdentity(text: string): ProcessIdentity | null {
  return text.startsWith('{') ? readJson(text) : readWords(text);
}

function readJson(text: string): ProcessIdentity | null {
  try {
    const { pid, host, started, boot, since } = JSON.parse(text) as Partial<Record<string, unknown>>;
    if (typeof pid !== 'number' || typeof host !== 'string') return null;
    const isKnown = typeof started === 'string' && typeof boot === 'string';
    const start = isKnown ? `${boot}:${started}` : null;
    return { pid, host, started: start, since: typeof since === 'string' ? since : null };
  } catch {
    return null;
  }
}

function readWords(text: string): ProcessIdentity | null {
  const [pid = '', started] = text.split(' ');
  if (!/^[1-9]\d*$/.test(pid) || started === undefined) return null;
  return { pid: Number(pid), started: started === UNKNOWN ? null : started, host: null, since: null };
}

export function isThisProcess(identity: ProcessIdentity): boolean {
  const { pid, started, host } = ownIdentity();
  return (
    identity.pid === pid && identity.started === started && (identity.host === null || identity.host === host)
  );
}

/** A process of another machine counts as alive, since this machine cannot know. */
export function isAlive({ pid, started, host }: ProcessIdentity): boolean {
  if (host !== null && host !== hostname()) return true;
  if (!processExists(pid)) return false;
  const now = startOf(pid);
  return started === null || now === null || now === started;
}

/** A zombie, which has ended but whose parent has not waited for it, counts as gone. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return statFields(pid)?.[0] !== 'Z';
}

function startOf(pid: number): string | null {
  const ticks = statFields(pid)?.[19];
  const boot = readOrNull('/proc/sys/kernel/random/boot_id')?.trim();
  return ticks === undefined || boot === undefined ? null : `${boot}:${ticks}`;
}

/** Fields of /proc/<pid>/stat from the state on, proc(5); null where there is no such file. */
function statFields(pid: number): string[] | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  // The command name, in parentheses, may itself hold spaces and parentheses.
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
