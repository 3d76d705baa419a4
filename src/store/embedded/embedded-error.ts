/** A fault of the embedded server, in words by which the operator can correct it. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';
}

const REMEDY = 'or set DATABASE_URL to a PostgreSQL server of your own.';

/** `what` went wrong and how to `mend` it; using another server is always the other way out. */
export function embeddedFault(what: string, mend: string, cause?: unknown): EmbeddedServerError {
  const text = `The embedded PostgreSQL ${what}: ${mend}, ${REMEDY}`;
  return new EmbeddedServerError(text, cause === undefined ? undefined : { cause });
}

interface KnownFault {
  readonly pattern: RegExp;
  readonly what: string;
  readonly mend: string;
}

const KNOWN_FAULTS: readonly KnownFault[] = [
  { pattern: /ENOSPC|No space left on device|EDQUOT/, what: 'found the disk full', mend: 'make room' },
  { pattern: /EROFS|Read-only file system/, what: 'cannot write', mend: 'choose a writable APP_DATA_DIR' },
  {
    pattern: /EACCES|EPERM|Permission denied|Operation not permitted/,
    what: 'lacks a permission',
    mend: 'let the user that runs the service own APP_DATA_DIR',
  },
  {
    pattern: /could not look up effective user ID/,
    what: 'runs as a user that the system does not know',
    mend: 'give it a line in /etc/passwd',
  },
  {
    pattern: /could not (?:create|map|resize) (?:shared memory|anonymous shared memory)/,
    what: 'got no shared memory',
    mend: 'give the machine or container more memory and a /dev/shm',
  },
];

/** Turns what the system or the server's log said into a fault with a remedy. */
export function explainFault(doing: string, said: string, cause?: unknown): EmbeddedServerError {
  const known = KNOWN_FAULTS.find(({ pattern }) => pattern.test(said));
  const words = said.trim().split('\n').slice(-5).join(' | ').slice(0, 1000);
  if (known !== undefined) return embeddedFault(`${known.what} while ${doing} (${words})`, known.mend, cause);
  return embeddedFault(`failed while ${doing} (${words})`, 'see the log beside its data', cause);
}
