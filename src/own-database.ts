/** The database of the service that the environment describes, for commands beside it, whether the service runs or not. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, EXIT } from './cli/process/command-error.ts';
import type { Config } from './config/config.ts';
import { makeDataDirectory } from './data-directory.ts';
import type { DatabaseAddress } from './store/database/database-address.ts';
import { waitForDatabase } from './store/database/wait-for-database.ts';
import { startEmbeddedServer } from './store/embedded/embedded-server.ts';
import { placesOf } from './store/embedded/places.ts';

/**
 * Runs `work` with the address of the database. The embedded server is started where it does not run, and stopped again where nobody else
 * uses it.
 * @param mustExist refuse a data directory that has no database yet
 * @throws {CommandError} when there is none
 */
export async function withDatabase<T>(
  {
    databaseUrl,
    databaseWaitSeconds,
    dataDir,
  }: Pick<Config, 'databaseUrl' | 'databaseWaitSeconds' | 'dataDir'>,
  { mustExist }: { readonly mustExist: boolean },
  work: (address: DatabaseAddress) => Promise<T>,
): Promise<T> {
  if (databaseUrl !== null) {
    const address = { connectionString: databaseUrl };
    await waitForDatabase(address, { seconds: databaseWaitSeconds, onWait: () => undefined });
    return work(address);
  }
  if (mustExist && !hasEmbeddedDatabase(dataDir))
    throw new CommandError(
      `There is no database in ${dataDir}. Set APP_DATA_DIR or DATABASE_URL as the service has it, and use the user that runs it.`,
      EXIT.configuration,
    );
  makeDataDirectory(dataDir);
  const server = await startEmbeddedServer(dataDir);
  try {
    return await work(server.address);
  } finally {
    await server.close();
  }
}

export function hasEmbeddedDatabase(dataDir: string): boolean {
  return existsSync(join(placesOf(dataDir).cluster, 'PG_VERSION'));
}
