/** Waits for a database that is not ready yet, such as one that starts beside the service. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseAddress } from './database-address.ts';
import { passes } from './database-problem.ts';

/** The database cannot be reached; the message says where and why. */
export class UnreachableDatabaseError extends Error {
  override readonly name = 'UnreachableDatabaseError';
}

export interface DatabaseWait {
  readonly seconds: number;
  /** Called once, when the first attempt fails. */
  readonly onWait: (reason: string) => void;
}

const ATTEMPT_MS = 5_000;
const PAUSE_MS = 500;

/**
 * Returns when the database accepts connections.
 * @throws {UnreachableDatabaseError} when it has not in time; immediately for a permanent error, such as a wrong password
 */
export async function waitForDatabase(
  address: DatabaseAddress,
  { seconds, onWait }: DatabaseWait,
): Promise<void> {
  const end = performance.now() + seconds * 1000;
  let isWaiting = false;
  for (;;) {
    const left = end - performance.now();
    const fault = await connectOnce(address, Math.max(1_000, Math.min(ATTEMPT_MS, left)));
    if (fault === null) return;
    if (!isAway(fault)) throw fault;
    const reason = `${whereOf(address)}: ${reasonOf(fault)}`;
    if (performance.now() + PAUSE_MS > end) {
      const waited = seconds > 0 ? ` within ${seconds} s` : '';
      throw new UnreachableDatabaseError(`The database cannot be reached${waited}. ${reason}.`, {
        cause: fault,
      });
    }
    if (!isWaiting) onWait(reason);
    isWaiting = true;
    await sleep(PAUSE_MS);
  }
}

async function connectOnce(address: DatabaseAddress, milliseconds: number): Promise<Error | null> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: milliseconds });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Nothing answers, or the server says that it is starting, stopping or full. */
function isAway(fault: Error): boolean {
  return passes(fault) || fault.message === 'timeout expired';
}

/** Where it is, without user and password. */
function whereOf(address: DatabaseAddress): string {
  if ('host' in address) return `${address.host} port ${address.port}`;
  const url = URL.parse(address.connectionString);
  const host = url?.searchParams.get('host') ?? decodeURIComponent(url?.hostname ?? '');
  return `${host || 'localhost'} port ${url?.port || 5432}`;
}

/** A host with several addresses gives an error for each, and no text of its own. */
function reasonOf(fault: Error): string {
  if (fault instanceof AggregateError)
    return fault.errors.map((each: unknown) => reasonOf(each as Error)).join('; ');
  const { code } = fault as NodeJS.ErrnoException;
  const known = code === undefined ? undefined : REASONS[code];
  if (known !== undefined) return `${known} (${fault.message})`;
  return fault.message === 'timeout expired' ? 'it does not answer' : fault.message;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it closes connections at once',
};
