/**
 * Databases for tests: one embedded server for everything that runs on this machine at the moment, started by whoever needs it
 * first and stopped by whoever ends last. Its directory stays in the temporary directory, so that later runs start in a tenth of
 * a second. Each test file clones a template that holds the migrated schema and the tables and queues of pg-boss, which take as long to make
 * as the clone.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { OPEN_POLICY } from '../src/api/access/tenant-policy.ts';
import type { DatabaseAddress } from '../src/store/database/database-address.ts';
import { openDatabase, type Database } from '../src/store/database/database.ts';
import { startEmbeddedServer } from '../src/store/embedded/embedded-server.ts';
import { migrate, readMigrations } from '../src/store/database/migrate.ts';
import { temporaryDirectory } from './temporary.ts';

export interface TestDatabase {
  /** As the owner, like the service itself connects. */
  readonly address: DatabaseAddress;
  readonly db: Database;
  /** One statement as the server's superuser, past every policy. */
  admin<T extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<T[]>;
  /** A new active tenant that may do everything. */
  createTenant(name?: string): Promise<string>;
  /** Cuts every connection that others hold to this database. */
  dropConnections(): Promise<void>;
  close(): Promise<void>;
}

interface SocketAddress {
  readonly host: string;
  readonly port: number;
}

export async function createTestDatabase(): Promise<TestDatabase> {
  const server = await startEmbeddedServer(
    join(temporaryDirectory(), `prefixcast-test-${process.getuid?.() ?? 0}`),
  );
  const socket = server.address as SocketAddress & DatabaseAddress;
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await asAdmin(socket, 'postgres', async (client) => {
    const template = await prepareTemplate(client, socket);
    await dropOrphans(client);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} OWNER prefixcast`);
  });
  const address = { host: socket.host, port: socket.port, user: 'prefixcast', database: name };
  const db = openDatabase(address);
  const admin = new pg.Pool({ ...address, user: 'postgres', max: 2, options: '-c search_path=prefixcast' });
  admin.on('error', () => undefined);
  return {
    address,
    db,
    async admin<T extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) {
      return (await admin.query<T>(sql, [...values])).rows;
    },
    async createTenant(slug = `tenant-${randomBytes(4).toString('hex')}`) {
      const id = uuidv7();
      const policy = JSON.stringify(OPEN_POLICY);
      await admin.query('INSERT INTO tenant (id, name, slug, policy) VALUES ($1, $2, $2, $3)', [
        id,
        slug,
        policy,
      ]);
      return id;
    },
    async dropConnections() {
      const others = "datname = current_database() AND pid <> pg_backend_pid() AND usename <> 'postgres'";
      await admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
    },
    async close() {
      await db.close();
      await admin.end();
      await asAdmin(socket, 'postgres', (client) =>
        client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
      );
      await server.close();
    },
  };
}

/** What says which tables and queues pg-boss makes. */
const QUEUE_SOURCES = ['package.json', 'src/jobs/queue.ts', 'src/api/activity/jobs.ts'];

/** Named after the migrations and what makes the queues, so that a changed one makes a new template. */
async function prepareTemplate(client: pg.Client, socket: SocketAddress): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, sha256 } of readMigrations()) hash.update(name).update(sha256);
  for (const path of QUEUE_SOURCES) hash.update(readFileSync(join(import.meta.dirname, '..', path)));
  const name = `template_${hash.digest('hex').slice(0, 16)}`;
  await client.query("SELECT pg_advisory_lock(hashtext('template'))");
  const found = await client.query('SELECT datistemplate FROM pg_database WHERE datname = $1', [name]);
  const isReady = (found.rows[0] as { datistemplate: boolean } | undefined)?.datistemplate === true;
  if (!isReady) {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${name} OWNER prefixcast`);
    const address = { host: socket.host, port: socket.port, user: 'prefixcast', database: name };
    await migrate(address);
    // Most files that clone it do without pg-boss, which takes long to load.
    const { startBoss } = await import('../src/jobs/queue.ts');
    await (await startBoss(address, () => undefined)).stop({ graceful: false });
    await client.query(`ALTER DATABASE ${name} IS_TEMPLATE true`);
  }
  await client.query("SELECT pg_advisory_unlock(hashtext('template'))");
  return name;
}

/** Databases of test processes that were killed. */
async function dropOrphans(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ datname: string }>(
    "SELECT datname FROM pg_database WHERE datname ~ '^test_[0-9]+_'",
  );
  for (const { datname } of rows) {
    if (!isRunning(Number(datname.split('_')[1]))) {
      await client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(datname)} WITH (FORCE)`);
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function asAdmin<T>(
  { host, port }: SocketAddress,
  database: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ host, port, user: 'postgres', database });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
