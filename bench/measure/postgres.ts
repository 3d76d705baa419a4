/** The embedded PostgreSQL as a peer: a database of its own that goes away afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import pg from 'pg';
import { formatPrefixAt } from '../../src/core/prefix.ts';
import type { PrefixList } from '../../src/core/prefix.ts';
import { startEmbeddedServer } from '../../src/store/embedded/embedded-server.ts';

/** Runs `work` with a connection to an empty server whose memory settings suit it. */
export async function withPostgres<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const server = await startEmbeddedServer(directory);
  const client = new pg.Client(server.address);
  try {
    await client.connect();
    await client.query(`SET work_mem = '512MB'; SET maintenance_work_mem = '512MB'`);
    return await work(client);
  } finally {
    await client.end();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Makes a table `name (prefix cidr)` of a list, by batches of text. */
export async function fillTable(client: pg.Client, name: string, list: PrefixList): Promise<void> {
  await client.query(`CREATE UNLOGGED TABLE ${name} (prefix cidr NOT NULL)`);
  for (let from = 0; from < list.size; from += 50_000) {
    const batch = Array.from({ length: Math.min(50_000, list.size - from) }, (_, i) =>
      formatPrefixAt(list, from + i),
    );
    await client.query(`INSERT INTO ${name} SELECT unnest($1::cidr[])`, [batch]);
  }
  await client.query(`ANALYZE ${name}`);
}

/** Milliseconds that the server takes for a statement, by its own clock. */
export async function serverTime(client: pg.Client, statement: string): Promise<number> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ 'Execution Time': number }] }>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${statement}`,
  );
  return rows[0]!['QUERY PLAN'][0]['Execution Time'];
}

/** The part of the protocol that node-postgres has no method for: a query of its own kind, which it lets anybody submit. */
export async function copyFrom(client: pg.Client, command: string, bytes: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const send = async (connection: pg.Connection): Promise<void> => {
    const copy = connection as unknown as CopyConnection;
    for (let at = 0; at < bytes.length; at += 65_536) {
      copy.sendCopyFromChunk(bytes.subarray(at, at + 65_536));
      if (copy.stream.writableLength > 1_048_576) await turn();
    }
    copy.endCopyFrom();
  };
  client.query({
    submit: (connection: pg.Connection) => connection.query(command),
    handleCopyInResponse: (connection: pg.Connection) => void send(connection),
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => resolve(),
    handleError: reject,
  } as unknown as pg.Submittable);
  await promise;
}

interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  readonly stream: { readonly writableLength: number };
}
