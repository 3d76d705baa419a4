import { AgentFault } from './agent/agent-fault.ts';
import type { Config } from './config/config.ts';
import { StartFault } from './config/environment.ts';
import { EmbeddedServerError } from './store/embedded/embedded-error.ts';
import { MigrationError } from './store/database/migrate.ts';
import { UnreachableDatabaseError } from './store/database/wait-for-database.ts';
import { SecretError } from './store/secrets.ts';

/**
 * Why the service could not start, in one line for whoever starts it, where they can correct the cause.
 * @returns null for an unexpected fault
 */
export function explainStartFault(error: unknown, config: Config): string | null {
  if (
    error instanceof AgentFault ||
    error instanceof EmbeddedServerError ||
    error instanceof MigrationError ||
    error instanceof SecretError ||
    error instanceof StartFault
  ) {
    return error.message;
  }
  if (error instanceof UnreachableDatabaseError)
    return `${error.message} Start it, check the host and port of DATABASE_URL, or unset it for the embedded PostgreSQL.`;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' && syscall !== 'mkdir') return null; // elsewhere it is a file of our own that is missing
  switch (code) {
    case 'EADDRINUSE':
      return `Another program listens on ${config.http.host} port ${config.http.port}. Stop it, or set APP_PORT to a free port (0: any).`;
    case 'EADDRNOTAVAIL':
      return `APP_HOST=${config.http.host} is not an address of this machine. Set it to one of its addresses, or to 0.0.0.0 or :: for all.`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
    case 'ENOTDIR':
    case 'EEXIST':
      if (syscall === 'listen')
        return `This user may not listen on port ${config.http.port}. Set APP_PORT to one above 1023.`;
      return `${path ?? config.dataDir} cannot be written (${code}). Set APP_DATA_DIR to a directory that this user may write.`;
    case 'ENOSPC':
      return `The disk that holds ${config.dataDir} is full. Make room, or set APP_DATA_DIR to another disk.`;
    case '28P01': // invalid_password
    case '28000': // invalid_authorization_specification
    case '3D000': // invalid_catalog_name
      return config.databaseUrl === null
        ? null
        : `The database of DATABASE_URL does not let us in: ${(error as Error).message}. Check the user, the password and the name of the database, or unset it for the embedded PostgreSQL.`;
    default:
      return null;
  }
}

/** EX_CONFIG of sysexits(3) for what no other start would find otherwise, else 1. */
export function exitCodeOf(error: unknown): number {
  const lasting = ['wrong_setup', 'state_unreadable', 'unauthorized', 'control_refused'];
  return error instanceof AgentFault && lasting.includes(error.code) ? 78 : 1;
}
