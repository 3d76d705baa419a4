import { sql } from 'kysely';
import type { PostgresMetrics } from '../../api/operation/postgres.ts';
import type { SystemTx } from '../database/database.ts';
import {
  readCheckpoints,
  readConnections,
  readDatabase,
  readReplicas,
  readReplicationSlots,
  readServer,
  readTransactions,
  readWaitingLocks,
  readWal,
} from './instance.ts';
import { readSection, type Unavailable } from './section.ts';
import { readIndexes, readTables } from './tables.ts';

/** Everything that the owner of the database may see; for the rest, why not. */
export async function readPostgresMetrics(tx: SystemTx): Promise<PostgresMetrics> {
  // The roles of the service see less than the user that it connects as.
  await sql`SET LOCAL ROLE NONE`.execute(tx.sql);
  // A query about waits must not wait itself: the size of a locked table is left out.
  await sql`SET LOCAL lock_timeout = '500ms'`.execute(tx.sql);
  const unavailable: Unavailable[] = [];
  const section = <T>(member: string, read: (tx: SystemTx) => Promise<T>): Promise<T | null> =>
    readSection(tx, member, unavailable, read);
  const replicas = await section('replicas', readReplicas);
  if (replicas?.some(({ state }) => state === null) === true)
    unavailable.push({
      member: 'replicas',
      reason: 'Their state and lag are shown to members of pg_monitor: grant it to the user of DATABASE_URL.',
    });
  return {
    server: await section('server', readServer),
    database: await section('database', readDatabase),
    connections: await section('connections', readConnections),
    wal: await section('wal', readWal),
    checkpoints: await section('checkpoints', readCheckpoints),
    transactions: await section('transactions', readTransactions),
    waiting_locks: await section('waiting_locks', readWaitingLocks),
    replication_slots: await section('replication_slots', readReplicationSlots),
    replicas,
    tables: await section('tables', readTables),
    indexes: await section('indexes', readIndexes),
    unavailable,
  };
}
