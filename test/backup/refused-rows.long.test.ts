/** A backup whose every sum is right and whose rows PostgreSQL does not take: its table is named, and the database stays as it was. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ArchiveError, type ArchiveHead, FORMAT } from '../../src/backup/archive.ts';
import { ArchiveWriter } from '../../src/backup/archive-writer.ts';
import { loadArchive } from '../../src/backup/load-archive.ts';
import { DatabaseSnapshot } from '../../src/store/archive/database-snapshot.ts';
import type { Counter } from '../../src/store/archive/tables.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let source: TestDatabase;
let target: TestDatabase;
let head: ArchiveHead;
let rows: ReadonlyMap<string, Buffer>;
let counters: readonly Counter[];

beforeAll(async () => {
  [source, target] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  for (const slug of ['first', 'second']) await addTenant(source, slug);
  await addTenant(target, 'old');
  const snapshot = await DatabaseSnapshot.open(source.address);
  try {
    head = { format: FORMAT, createdAt: '2027-01-31T12:00:00.000Z', release: '1.0.0', ...snapshot.facts };
    const read = new Map<string, Buffer>();
    for (const table of head.tables) read.set(table.name, await buffer(snapshot.readRows(table)));
    rows = read;
    counters = await snapshot.readCounters();
  } finally {
    await snapshot.close();
  }
});
afterAll(async () => {
  await Promise.all([source?.close(), target?.close()]);
});

/** Asks as the superuser, and leaves no connection: whoever is connected stops a restore. */
async function ask<T extends pg.QueryResultRow>({ address }: TestDatabase, sql: string): Promise<T[]> {
  const client = new pg.Client({ ...address, user: 'postgres', options: '-c search_path=prefixcast' });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

async function addTenant(to: TestDatabase, slug: string): Promise<void> {
  await ask(
    to,
    `INSERT INTO tenant (id, name, slug, policy) VALUES (gen_random_uuid(), '${slug}', '${slug}', '{}')`,
  );
}

const slugs = async (of: TestDatabase): Promise<string[]> =>
  (await ask<{ slug: string }>(of, 'SELECT slug FROM tenant ORDER BY slug')).map(({ slug }) => slug);

/** Written as a backup is, with these rows in place of those of `tenant`. */
async function archiveOf(change: (tenants: string) => string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const writer = new ArchiveWriter((bytes) => Promise.resolve(void chunks.push(bytes)), head.createdAt);
  await writer.begin(head, '{"fingerprint":"0123456789"}');
  for (const { name } of head.tables) {
    const text = rows.get(name)!.toString();
    await writer.table(name, Readable.from([Buffer.from(name === 'tenant' ? change(text) : text)]));
  }
  await writer.finish(counters);
  return Buffer.concat(chunks);
}

async function load(archive: Buffer): Promise<void> {
  await loadArchive(target.address, Readable.from([archive]) as AsyncIterable<Buffer>, {
    mayReplace: true,
    onHead: () => undefined,
  });
}

test.each<[what: string, change: (tenants: string) => string, says: RegExp]>([
  [
    'a row that is there twice',
    (tenants) => tenants + tenants,
    /damaged at tables\/tenant: duplicate key value/,
  ],
  [
    'a value that is none of its type',
    (tenants) => tenants.replace(/^[0-9a-f-]{36}\t/, 'nobody\t'),
    /damaged at tables\/tenant: invalid input syntax for type uuid/,
  ],
  [
    'a row with too few columns',
    (tenants) => `${tenants}only one\n`,
    /damaged at tables\/tenant: .*(missing data for column|invalid input syntax)/,
  ],
])('%s is a fault of the backup, at its table', async (_what, change, says) => {
  const refused = await load(await archiveOf(change)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ArchiveError);
  expect((refused as Error).message).toMatch(says);
  expect(await slugs(target)).toEqual(['old']);
});

test('what PostgreSQL takes for fewer rows than there are lines is no whole table', async () => {
  // The end of the data, as text has it: what comes after it is not read.
  const archive = await archiveOf((tenants) => tenants.replace('\n', '\n\\.\n'));
  await expect(load(archive)).rejects.toThrow(/damaged at tables\/tenant/);
  expect(await slugs(target)).toEqual(['old']);
});

test('a server that goes away is no fault of the backup', async () => {
  const archive = await archiveOf((tenants) => tenants);
  const cut = loadArchive(target.address, Readable.from([archive]) as AsyncIterable<Buffer>, {
    mayReplace: true,
    onHead: () => undefined,
    beforeCommit: async () => {
      await ask(
        source,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${nameOf(target)}' AND application_name = 'prefixcast-archive'`,
      );
    },
  });
  const refused = await cut.catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Error);
  expect(refused).not.toBeInstanceOf(ArchiveError);
  expect(await slugs(target)).toEqual(['old']);
});

test('the same rows unchanged are taken', async () => {
  await load(await archiveOf((tenants) => tenants));
  expect(await slugs(target)).toEqual(['first', 'second']);
});

function nameOf({ address }: TestDatabase): string {
  return (address as { readonly database: string }).database;
}
