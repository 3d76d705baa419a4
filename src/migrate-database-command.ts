/** What `prefixcast migrate-database` does: moves everything from the embedded server to DATABASE_URL, or back. */
import { copyDatabase } from './backup/copy-database.ts';
import { say } from './cli/process/ask.ts';
import { CommandError, EXIT } from './cli/process/command-error.ts';
import { print } from './cli/render/formats.ts';
import { orExplain, summaryOf } from './backup-command.ts';
import type { MigrateDatabaseOptions } from './cli/tree/local-tree.ts';
import type { Config } from './config/config.ts';
import { withDatabase } from './own-database.ts';
import { refuseOthers } from './store/archive/refuse-others.ts';
import { version } from './version.ts';

export function migrateDatabase({ back, replace }: MigrateDatabaseOptions): Promise<number> {
  return orExplain('DATABASE_URL', async (config) => {
    if (config.databaseUrl === null)
      throw new CommandError(
        'DATABASE_URL is not set: set it to the PostgreSQL server that is to have the data, as the service will have it.',
        EXIT.configuration,
      );
    const embedded = { ...config, databaseUrl: null };
    const [from, to] = back ? [config, embedded] : [embedded, config];
    const { manifest } = await withDatabase(from, { mustExist: true }, (source) =>
      withDatabase(to, { mustExist: false }, async (target) => {
        // What somebody changes meanwhile would be left behind.
        await refuseOthers(source);
        return copyDatabase(source, target, { release: version.version, mayReplace: replace });
      }),
    );
    print(`${nameOf(from)} is copied to ${nameOf(to)}: ${summaryOf(manifest)}, compared row by row\n`);
    say(back ? BACK : FORTH);
  });
}

function nameOf({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): string {
  return databaseUrl === null ? `the embedded database of ${dataDir}` : 'the database of DATABASE_URL';
}

const FORTH = `Start the service with DATABASE_URL. APP_DATA_DIR keeps the key of secrets, so it stays as it is.
The embedded database is left as it was. To go back before the service has started: start it without DATABASE_URL.
To go back later, with what has changed since: stop the service, and run prefixcast migrate-database --back --replace.`;

const BACK = `Start the service without DATABASE_URL. The database that it named is left as it was.
To move there again: stop the service, and run prefixcast migrate-database --replace.`;
