/** An error of the embedded server, in words that help the operator to correct it. */
export class EmbeddedServerError extends Error {
  override readonly name = 'EmbeddedServerError';
}

const REMEDY = 'or set DATABASE_URL to a PostgreSQL server of your own.';

/** `what` went wrong and how to `fix` it; using another server is always an alternative. */
export function embeddedFault(what: string, fix: string, cause?: unknown): EmbeddedServerError {
  const text = `The embedded PostgreSQL ${what}: ${fix}, ${REMEDY}`;
  return new EmbeddedServerError(text, cause === undefined ? undefined : { cause });
}

interface KnownFault {
  readonly pattern: RegExp;
  readonly what: string;
  readonly fix: string;
}

const KNOWN_FAULTS: readonly KnownFault[] = [
  { pattern: /ENOSPC|No space left on device|EDQUOT/, what: 'found the disk full', fix: 'make room' },
  { pattern: /EROFS|Read-only file system/, what: 'cannot write', fix: 'choose a writable APP_DATA_DIR' },
  {
    pattern: /EACCES|EPERM|Permission denied|Operation not permitted/,
    what: 'lacks a permission',
    fix: 'let the user that runs the service own APP_DATA_DIR',
  },
  {
    pattern: /could not look up effective user ID/,
    what: 'runs as a user that the system does not know',
    fix: 'give it a line in /etc/passwd',
  },
  {
    pattern: /could not (?:create|map|resize) (?:shared memory|anonymous shared memory)/,
    what: 'got no shared memory',
    fix: 'give the machine or container more memory and a /dev/shm',
  },
];

/** Turns the words of the system or of the server's log into an error with a remedy. */
export function explainFault(doing: string, said: string, cause?: unknown): EmbeddedServerError {
  const known = KNOWN_FAULTS.find(({ pattern }) => pattern.test(said));
  const words = said.trim().split('\n').slice(-5).join(' | ').slice(0, 1000);
  if (known !== undefined) return embeddedFault(`${known.what} while ${doing} (${words})`, known.fix, cause);
  return embeddedFault(`failed while ${doing} (${words})`, 'see the log beside its data', cause);
}
