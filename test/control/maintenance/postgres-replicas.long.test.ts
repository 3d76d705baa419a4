/** A primary with a standby behind it, and a slot that keeps WAL: what is reported of them by users who may see it, and who may not. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { observePostgres } from '../../../src/http/metrics/postgres-metrics.ts';
import { migrate } from '../../../src/store/database/migrate.ts';
import { openDatabase, type Database } from '../../../src/store/database/database.ts';
import { startEmbeddedServer } from '../../../src/store/embedded/embedded-server.ts';
import { placesOf } from '../../../src/store/embedded/places.ts';
import { prepareProgram } from '../../../src/store/embedded/program.ts';
import { chooseOwner } from '../../../src/store/embedded/server-owner.ts';
import { readPostgresMetrics } from '../../../src/store/postgres/metrics.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { diskDirectory } from '../../temporary.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const DATABASE = 'prefixcast';
let root: string;
let run: (data: string, port: number, more: readonly string[]) => void;
let primaryPort: number;
let standbyPort: number;
let db: Database;
const servers: ChildProcess[] = [];

const addressOf = (port: number, user = DATABASE) => ({
  ...{ host: '127.0.0.1', port, user, database: DATABASE },
});

async function ask<T extends pg.QueryResultRow>(port: number, sql: string): Promise<T[]> {
  const client = new pg.Client(addressOf(port, 'postgres'));
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

const isReady = (port: number): Promise<unknown> =>
  waitFor(
    () =>
      ask(port, 'SELECT').then(
        () => true,
        () => false,
      ),
    { what: 'the server to answer', timeoutMs: 60_000 },
  );

/** In order, and without waiting for its clients. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGINT');
  await ended;
}

beforeAll(async () => {
  root = mkdtempSync(join(diskDirectory(), 'prefixcast-replicas-'));
  const embedded = await startEmbeddedServer(root);
  await migrate(embedded.address);
  await embedded.close();
  const places = placesOf(root);
  const owner = chooseOwner(root, places.cluster);
  const { postgres } = prepareProgram(places, owner);
  const rules = join(root, 'hba.conf');
  writeFileSync(rules, 'host all,replication all 127.0.0.1/32 trust\n');
  chmodSync(rules, 0o644);
  run = (data, port, more) => {
    const settings = [
      ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories=', `hba_file=${rules}`],
      ...['wal_level=replica', 'max_wal_senders=4', 'max_replication_slots=4', 'fsync=off', ...more],
    ].flatMap((setting) => ['-c', setting]);
    const user = owner === null ? {} : { uid: owner.uid, gid: owner.gid };
    servers.push(spawn(postgres, ['-D', data, ...settings], { cwd: '/', stdio: 'ignore', ...user }));
  };
  [primaryPort, standbyPort] = [await freePort(), await freePort()];
  // What it wrote until now, as a server that nobody replicates, a standby refuses to start from.
  run(places.cluster, primaryPort, []);
  await isReady(primaryPort);
  await stop(servers.pop()!);
  const copy = join(places.home, 'standby');
  cpSync(places.cluster, copy, { recursive: true });
  writeFileSync(join(copy, 'standby.signal'), '');
  if (owner !== null) {
    execFileSync('chown', ['-R', `${owner.uid}:${owner.gid}`, copy]);
    chownSync(rules, owner.uid, owner.gid);
  }
  chmodSync(copy, 0o700);
  run(places.cluster, primaryPort, []);
  await isReady(primaryPort);
  run(copy, standbyPort, [
    `primary_conninfo=host=127.0.0.1 port=${primaryPort} user=postgres application_name=second`,
  ]);
  await isReady(standbyPort);
  db = openDatabase(addressOf(primaryPort));
});
afterAll(async () => {
  await db?.close();
  for (const server of servers.reverse()) await stop(server);
  rmSync(root, { recursive: true, force: true });
});

const read = () => db.inSystem(readPostgresMetrics);

test('a replica is there for every user; its state and lag are null with the reason for one who may not see them', async () => {
  const metrics = await waitFor(
    async () => {
      const found = await read();
      return (found.replicas ?? []).length > 0 && found;
    },
    { what: 'the replica' },
  );
  expect(metrics.replicas).toMatchObject([{ state: null, lag_bytes: null, lag_seconds: null }]);
  expect(metrics.unavailable).toEqual([
    { member: 'replicas', reason: expect.stringContaining('pg_monitor') as string },
  ]);
});

test('a member of pg_monitor reads how far the replica is behind, and what a slot keeps', async () => {
  await ask(primaryPort, `GRANT pg_monitor TO ${DATABASE}`);
  await ask(primaryPort, "SELECT pg_create_physical_replication_slot('forgotten', true)");
  const caughtUp = await waitFor(
    async () => {
      const found = await read();
      return found.replicas?.[0]?.lag_bytes === 0 && found;
    },
    { what: 'the replica to catch up' },
  );
  expect(caughtUp.replicas).toMatchObject([{ application: 'second', state: 'streaming' }]);
  expect(caughtUp.unavailable).toEqual([]);

  await ask(standbyPort, 'SELECT pg_wal_replay_pause()');
  await waitFor(
    async () =>
      (await ask<{ is: string }>(standbyPort, 'SELECT pg_get_wal_replay_pause_state() AS is'))[0]!.is ===
      'paused',
    { what: 'the pause' },
  );
  await ask(primaryPort, 'CREATE TABLE public.filler AS SELECT generate_series(1, 100000) AS n');
  const behind = await read();
  expect(behind.replicas![0]!.lag_bytes).toBeGreaterThan(1_000_000);
  expect(behind.replication_slots).toEqual([
    {
      ...{ name: 'forgotten', type: 'physical', active: false },
      retained_bytes: expect.any(Number) as number,
    },
  ]);
  expect(behind.replication_slots![0]!.retained_bytes).toBeGreaterThan(1_000_000);

  const registry = new Registry();
  observePostgres(db, registry, { warn: () => undefined });
  const text = await registry.metrics();
  const valueOf = (series: string): number =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`prefixcast_postgres_${series} `))!
        .split(' ')[1],
    );
  expect(valueOf('replica_lag_bytes{application="second"}')).toBeGreaterThan(1_000_000);
  expect(valueOf('replication_slot_bytes{slot="forgotten"}')).toBeGreaterThan(1_000_000);
  expect(text).toContain('prefixcast_postgres_info{version=');
  await ask(standbyPort, 'SELECT pg_wal_replay_resume()');
  await waitFor(async () => (await read()).replicas![0]!.lag_bytes === 0, {
    what: 'the replica to catch up',
  });
});

test('of a standby it is said that it is one, and the rest is there', async () => {
  const standby = openDatabase(addressOf(standbyPort));
  try {
    const metrics = await standby.inSystem(readPostgresMetrics);
    expect(metrics.server).toMatchObject({ role: 'standby' });
    expect(metrics.unavailable).toEqual([]);
    expect(metrics.tables!.map(({ name }) => name)).toContain('audit_record');
    expect(metrics.replication_slots).toEqual([]);
  } finally {
    await standby.close();
  }
});
