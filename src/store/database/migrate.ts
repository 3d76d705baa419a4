import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import pg from 'pg';
import type { DatabaseAddress } from './database-address.ts';

/** The schema that holds every table of this room; pg-boss has one of its own. */
export const SCHEMA = 'prefixcast';

/** One number for all processes of this program: the lock's holder may migrate. */
const LOCK = 7_297_834_011;

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sha256: string;
  readonly sql: string;
}

/** The database cannot be brought to the schema of this program; the message says what to do. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** The migrations of the program, in order. The directory is beside this file in the sources and in the published package. */
export function readMigrations(directory = new URL('../migrations/', import.meta.url)): Migration[] {
  return readdirSync(directory)
    .filter((name) => FILE_NAME.test(name))
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(name, directory), 'utf8');
      return { number: Number(name.slice(0, 4)), name, sha256: sha256(sql), sql };
    });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * Brings the database to the schema of this program. Any number of processes may call it at once: one works, the others wait for it. Each
 * migration runs in its own transaction, together with the record that it was applied.
 * @returns names of the migrations that were applied now
 * @throws {MigrationError} when the database is newer, an old migration was edited, or a right is missing
 */
export async function migrate(
  address: DatabaseAddress,
  migrations: readonly Migration[] = readMigrations(),
): Promise<string[]> {
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    if (await isCurrent(client, migrations)) return [];
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    return await land(client, migrations);
  } catch (error) {
    throw explain(error);
  } finally {
    await client.end();
  }
}

/** A migration as the database keeps it. */
export type Landed = Pick<Migration, 'number' | 'name' | 'sha256'>;

async function isCurrent(client: pg.Client, migrations: readonly Migration[]): Promise<boolean> {
  const landed = await readLandedMigrations(client);
  if (landed === null) return false;
  checkHistory(landed, migrations);
  return landed.length === migrations.length;
}

async function readLanded(client: pg.Client): Promise<Landed[]> {
  const { rows } = await client.query<Landed>(
    `SELECT number, name, sha256 FROM ${SCHEMA}.migration ORDER BY number`,
  );
  return rows;
}

/** @throws {MigrationError} */
export function checkHistory(landed: readonly Landed[], migrations: readonly Migration[]): void {
  for (const [index, { number, name, sha256 }] of landed.entries()) {
    const known = migrations[index];
    if (known === undefined) {
      throw new MigrationError(
        `The database is newer than this program: ${name} has landed, which this release does not know. Start the newer release.`,
      );
    }
    if (known.number !== number || known.sha256 !== sha256) {
      throw new MigrationError(
        `The migration ${known.name} is not the one that landed in this database as ${name}. Migrations only go forward: restore the file, and put the change into a new one.`,
      );
    }
  }
}

async function land(client: pg.Client, migrations: readonly Migration[]): Promise<string[]> {
  await prepareSchema(client);
  const landed = await readLanded(client);
  checkHistory(landed, migrations);
  const missing = migrations.slice(landed.length);
  for (const migration of missing) {
    await client.query('BEGIN');
    await landOne(client, migration);
    await client.query('COMMIT');
  }
  return missing.map(({ name }) => name);
}

/**
 * Makes the schema as these migrations leave it, in the caller's transaction, where there is none.
 * @throws {MigrationError} when a right is missing
 */
export async function createSchema(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await prepareSchema(client);
  for (const migration of migrations) await landOne(client, migration);
}

/** The migrations that landed in this database, in order; null: it has none of our schema. */
export async function readLandedMigrations(client: pg.Client): Promise<Landed[] | null> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    `${SCHEMA}.migration`,
  ]);
  return rows[0]?.exists === true ? readLanded(client) : null;
}

async function landOne(client: pg.Client, { number, name, sha256, sql }: Migration): Promise<void> {
  await client.query(`SET LOCAL search_path = ${SCHEMA}`);
  await client.query(sql);
  await client.query(`INSERT INTO ${SCHEMA}.migration (number, name, sha256) VALUES ($1, $2, $3)`, [
    number,
    name,
    sha256,
  ]);
}

async function prepareSchema(client: pg.Client): Promise<void> {
  await checkServer(client);
  await client.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${SCHEMA}.migration (
       number integer PRIMARY KEY, name text NOT NULL, sha256 text NOT NULL, applied_at timestamptz(3) NOT NULL DEFAULT now())`,
  );
  await createRoles(client);
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    "SELECT current_setting('server_version_num') AS version",
  );
  const version = Number(rows[0]?.version);
  if (version < 150_000) {
    throw new MigrationError(
      `The database server is PostgreSQL ${Math.floor(version / 10_000)}; 15 or newer is needed.`,
    );
  }
}

const ROLES = ['prefixcast_tenant', 'prefixcast_system'] as const;

/**
 * The two roles of transactions. They belong to the whole server, so another database may have created them, possibly at this moment; in
 * any case this user must be allowed to become them.
 */
async function createRoles(client: pg.Client): Promise<void> {
  for (const role of ROLES) {
    await client.query(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}') THEN CREATE ROLE ${role} NOLOGIN; END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`);
    if (!(await mayBecome(client, role))) await grant(client, role);
    await client.query(`GRANT USAGE ON SCHEMA ${SCHEMA} TO ${role}`);
  }
}

/** Since version 16, membership in a role and the permission to become it are separate. */
async function mayBecome(client: pg.Client, role: string): Promise<boolean> {
  const version = await client.query<{ new: boolean }>(
    "SELECT current_setting('server_version_num')::int >= 160000 AS new",
  );
  const right = version.rows[0]?.new === true ? 'SET' : 'MEMBER';
  const { rows } = await client.query<{ ok: boolean }>('SELECT pg_has_role(current_user, $1, $2) AS ok', [
    role,
    right,
  ]);
  return rows[0]?.ok === true;
}

async function grant(client: pg.Client, role: string): Promise<void> {
  try {
    await client.query(`GRANT ${role} TO CURRENT_USER`);
  } catch (error) {
    throw new MigrationError(
      `The database user may not become the role ${role}. As an administrator of the server: GRANT ${ROLES.join(', ')} TO <that user>;`,
      { cause: error },
    );
  }
}

function explain(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError) || error.code !== '42501') return error;
  return new MigrationError(
    `The database user lacks a right: ${error.message}. It needs CREATEROLE (or the roles ${ROLES.join(' and ')} granted to it) and CREATE on the database.`,
    { cause: error },
  );
}
