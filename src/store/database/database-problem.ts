import pg from 'pg';
import { Problem } from '../../api/problems/problem.ts';
import { QUOTA_EXCEEDED, quotaProblem, refusalOf } from './quota-problem.ts';

/** SQLSTATE classes and codes of temporary errors. PostgreSQL, appendix A. */
const PASSING_CLASSES = ['08', '57', '53'];
const PASSING_CODES = ['25006', '25P03', '40001', '40P01', '55P03'];

/** Codes of the operating system and texts of the driver for a missing connection. */
const SYSTEM_CODES =
  /^(?:ECONN|EPIPE|ENOENT|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)/;
const DRIVER_TEXTS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Connection ended|Client was closed)/;

/**
 * What node-postgres says to who asks after the connections were closed: a request whose client has gone is waited for by nobody, and may come
 * to its next statement when the service has stopped.
 */
const AFTER_THE_END = 'Cannot use a pool after calling end on the pool';

/** The error of a failed transaction: a Problem is returned unchanged, a lost database becomes one, anything else is a fault of ours. */
export function databaseProblem(error: unknown): unknown {
  if (error instanceof Problem || !(error instanceof Error)) return error;
  if (error instanceof pg.DatabaseError && error.code === QUOTA_EXCEEDED)
    return quotaProblem(refusalOf(error));
  if (isDiskFull(error)) {
    return new Problem(
      'database_unavailable',
      'The database has no room left on its disk. Nothing was changed.',
      {
        retryAfter: 30,
        cause: error,
      },
    );
  }
  if (error.message === AFTER_THE_END)
    return new Problem(
      'shutting_down',
      'The service is stopping. Nothing was changed; try again in a moment.',
      {
        ...{ retryAfter: 2, cause: error },
      },
    );
  if (!passes(error)) return error;
  return new Problem(
    'database_unavailable',
    'The database does not answer. Nothing was changed; try again.',
    {
      retryAfter: 2,
      cause: error,
    },
  );
}

/** Serialization failure and deadlock: another transaction went first, and a retry may succeed. */
const REPEATABLE_CODES = ['40001', '40P01'];
/** These, and a lock that was not free in time. */
const MET_ANOTHER_CODES = [...REPEATABLE_CODES, '55P03'];

export function mayBeRepeated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && REPEATABLE_CODES.includes(error.code ?? '');
}

/** {@link databaseProblem} for requests: conflicts with concurrent changes are reported as such. */
export function requestProblem(error: unknown): unknown {
  if (error instanceof pg.DatabaseError && MET_ANOTHER_CODES.includes(error.code ?? ''))
    return new Problem(
      'busy',
      'Something else is changing the same thing right now, such as an import of the same module, the plan or dry run of a change, or a revision that is being built. Nothing was changed; try again.',
      { retryAfter: 2, cause: error },
    );
  return databaseProblem(error);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The database had no space to write. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '53100';
}

/** Whether a fault is temporary, so that a retry makes sense: above all a server that is down. */
export function passes(error: Error): boolean {
  const code = codeOf(error);
  if (/^[0-9A-Z]{5}$/.test(code) && !SYSTEM_CODES.test(code)) {
    return PASSING_CLASSES.includes(code.slice(0, 2)) || PASSING_CODES.includes(code);
  }
  return SYSTEM_CODES.test(code) || DRIVER_TEXTS.test(error.message);
}

/** A statement is still running on the connection, which therefore cannot be reused. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
