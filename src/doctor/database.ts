import type pg from 'pg';
import {
  checkHistory,
  MigrationError,
  readLandedMigrations,
  readMigrations,
} from '../store/database/migrate.ts';
import {
  isAboveRowSecurity,
  readMissingRoles,
  readServerFacts,
  readStandbys,
  type ServerFacts,
} from '../store/postgres/examination.ts';
import { type Check, fault, type Finding, ok, warning } from './finding.ts';

const NAME = 'database';
const [OLDEST, NEWEST_TRIED] = [15, 18];
const FEW_CONNECTIONS = 10;
const LAG_BYTES = 256 * 1024 * 1024;

export const DATABASE: Check = {
  name: NAME,
  async examine({ database }) {
    // Why it cannot be reached, whoever tried has said.
    if (database === null) return [];
    const facts = await readServerFacts(database);
    return [
      version(facts),
      ...(await schema(database)),
      ...(await roles(database)),
      ...(await replication(database, facts)),
      ...(facts.connectionsLeft < FEW_CONNECTIONS
        ? [
            warning(
              NAME,
              `${facts.connectionsLeft} connections are left`,
              'Raise max_connections of PostgreSQL, or stop what else uses it.',
            ),
          ]
        : []),
    ];
  },
};

function version({ version: text, versionNumber }: ServerFacts): Finding {
  const major = Math.floor(versionNumber / 10_000);
  if (major < OLDEST) return fault(NAME, `PostgreSQL ${text}`, `Upgrade it: ${OLDEST} or newer is needed.`);
  if (major > NEWEST_TRIED)
    return warning(NAME, `PostgreSQL ${text}`, `This release was tried with versions up to ${NEWEST_TRIED}.`);
  return ok(NAME, `PostgreSQL ${text}`);
}

async function schema(database: pg.Client): Promise<Finding[]> {
  const known = readMigrations();
  const landed = await readLandedMigrations(database);
  if (landed === null) return [ok(NAME, 'it is empty: the first start makes the schema')];
  try {
    checkHistory(landed, known);
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error;
    return [fault(NAME, error.message, 'Start the release that made it, or restore a backup of before.')];
  }
  const missing = known.length - landed.length;
  if (missing === 0) return [ok(NAME, `its schema is that of this release (${landed.length} migrations)`)];
  return [
    warning(NAME, `${missing} migrations have not landed`, 'Back up, then start this release: it migrates.'),
  ];
}

async function roles(database: pg.Client): Promise<Finding[]> {
  const findings: Finding[] = [];
  const missing = await readMissingRoles(database);
  if (missing.length > 0 && (await readLandedMigrations(database)) !== null)
    findings.push(
      fault(
        NAME,
        `its user may not become ${missing.join(' and ')}`,
        `As an administrator of the server: GRANT ${missing.join(', ')} TO <that user>;`,
      ),
    );
  if (await isAboveRowSecurity(database))
    findings.push(
      warning(
        NAME,
        'its user is above row level security',
        'Use a user without SUPERUSER and BYPASSRLS, so that a fault of ours shows no tenant the rows of another.',
      ),
    );
  return findings;
}

async function replication(database: pg.Client, facts: ServerFacts): Promise<Finding[]> {
  if (facts.isStandby) {
    const lag = facts.replayLagSeconds === null ? '' : `, ${facts.replayLagSeconds.toFixed(0)} s behind`;
    return [
      fault(NAME, `it is a standby${lag}, which takes no writes`, 'Let DATABASE_URL name the primary.'),
    ];
  }
  return (await readStandbys(database)).map(({ name, lagBytes }) => {
    if (lagBytes === null) return ok(NAME, `the standby ${name} follows; its lag is not shown to this user`);
    const found = `the standby ${name} is ${(lagBytes / 1_048_576).toFixed(0)} MiB behind`;
    return lagBytes > LAG_BYTES
      ? warning(NAME, found, 'See its log and its network: after a failover, what it lacks is gone.')
      : ok(NAME, found);
  });
}
