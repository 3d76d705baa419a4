/** A primary with a standby behind it, and a slot that keeps WAL: what is reported of them by users who may see it, and who may not. */
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observePostgres } from '../../../src/http/metrics/postgres-metrics.ts';
import { openDatabase, type Database } from '../../../src/store/database/database.ts';
import { readPostgresMetrics } from '../../../src/store/postgres/metrics.ts';
import { type Pair, startPair } from '../../daemons/postgres/standby.ts';
import { waitFor } from '../../daemons/wait.ts';

let pair: Pair;
let db: Database;

const databaseAt = (port: number): Database =>
  openDatabase({ host: '127.0.0.1', port, user: 'prefixcast', database: 'prefixcast' });

beforeAll(async () => {
  pair = await startPair();
  db = databaseAt(pair.primaryPort);
});
afterAll(async () => {
  await db?.close();
  await pair?.close();
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
  const { primaryPort, standbyPort } = pair;
  await pair.ask(primaryPort, 'GRANT pg_monitor TO prefixcast');
  await pair.ask(primaryPort, "SELECT pg_create_physical_replication_slot('forgotten', true)");
  const caughtUp = await waitFor(
    async () => {
      const found = await read();
      return found.replicas?.[0]?.lag_bytes === 0 && found;
    },
    { what: 'the replica to catch up' },
  );
  expect(caughtUp.replicas).toMatchObject([{ application: 'second', state: 'streaming' }]);
  expect(caughtUp.unavailable).toEqual([]);

  await pair.ask(standbyPort, 'SELECT pg_wal_replay_pause()');
  await waitFor(
    async () =>
      (await pair.ask(standbyPort, 'SELECT pg_get_wal_replay_pause_state() AS is'))[0]!.is === 'paused',
    { what: 'the pause' },
  );
  await pair.ask(primaryPort, 'CREATE TABLE public.filler AS SELECT generate_series(1, 100000) AS n');
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
  await pair.ask(standbyPort, 'SELECT pg_wal_replay_resume()');
  await waitFor(async () => (await read()).replicas![0]!.lag_bytes === 0, {
    what: 'the replica to catch up',
  });
});

test('of a standby it is said that it is one, and the rest is there', async () => {
  const standby = databaseAt(pair.standbyPort);
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
