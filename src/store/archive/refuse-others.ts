// cspell:ignore datname
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { DatabaseAddress } from '../database/database-address.ts';
import { connectForArchive } from './session.ts';

/** The database cannot be filled as it is. */
export class FillError extends Error {
  override readonly name = 'FillError';
  readonly reason: 'in_use' | 'not_empty';

  constructor(reason: FillError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

/** @throws {FillError} when somebody is connected to the database */
export async function refuseOthers(address: DatabaseAddress): Promise<void> {
  const client = await connectForArchive(address);
  try {
    await refuseOthersBeside(client);
  } finally {
    await client.end();
  }
}

/** Connections of a service that has just stopped are gone in a moment. */
const TIMEOUT_MS = 2_000;
const POLL_MS = 100;

/** Whoever is connected would go on with a database that is another one. */
export async function refuseOthersBeside(client: pg.Client): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const others = await connectedOthers(client);
    if (others.length === 0) return;
    if (performance.now() > deadline)
      throw new FillError(
        'in_use',
        `Others are connected to the database: ${others.join(', ')}. Stop every process of the service first.`,
      );
    await delay(POLL_MS);
  }
}

/** By the names that programs give themselves, with the number of their connections. */
async function connectedOthers(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; connections: string }>(
    `SELECT coalesce(nullif(application_name, ''), 'a program without a name') AS name, count(*)::text AS connections
       FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND coalesce(backend_type, 'client backend') = 'client backend'
      GROUP BY 1 ORDER BY 1`,
  );
  return rows.map(({ name, connections }) => `${name} (${connections})`);
}
