/**
 * A revision of a million prefixes stored in PostgreSQL, beside COPY of the same prefixes as rows with a primary key into the same
 * server; and a revision that differs from it in one row of a thousand.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { FAMILIES } from '../../src/core/address.ts';
import { formatPrefixAt, type PrefixTable, PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import { contentHashOf, encodeAfter, type StoredTable } from '../../src/core/stored/stored-table.ts';
import { loadStored, loadTable, storeTable } from '../../src/store/contents/contents.ts';
import type { DatabaseAddress } from '../../src/store/database/database-address.ts';
import { openDatabase, type TenantTx } from '../../src/store/database/database.ts';
import { startEmbeddedServer } from '../../src/store/embedded/embedded-server.ts';
import { migrate } from '../../src/store/database/migrate.ts';
import { copyFrom } from '../measure/postgres.ts';
import { machine, median } from '../measure/report.ts';

const ROUNDS = 5;
const PREFIXES = 1_150_000;
const GOALS = { time: 0.05, bytesPerPrefix: 1.2, change: 0.02 } as const;

type Random = () => number;

export async function run(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const server = await startEmbeddedServer(dataDir);
  try {
    await migrate(server.address);
    await measure(server.address);
  } finally {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

async function measure(address: DatabaseAddress): Promise<void> {
  const db = openDatabase(address);
  const admin = new pg.Client({ ...address, user: 'postgres', options: '-c search_path=prefixcast' });
  await admin.connect();
  const revision = fullTable(PREFIXES);
  const prefixes = revision.ipv4.size + revision.ipv6.size;
  console.log(
    `${prefixes} prefixes in the shape of a full table: ${revision.ipv4.size} IPv4, ${revision.ipv6.size} IPv6`,
  );
  const lines = copyLines(revision);
  const times = { copy: [] as number[], store: [] as number[], change: [] as number[], load: [] as number[] };
  const sizes = { copy: 0, store: 0, change: 0, blob: 0, delta: 0 };
  try {
    for (let round = 0; round < ROUNDS; round++) {
      times.copy.push(await timed(() => copyRows(admin, lines)));
      sizes.copy = await totalSize(admin, ['prefix_row']);
      await admin.query('DROP TABLE prefix_row');

      const tenantId = uuidv7();
      await admin.query('INSERT INTO tenant (id, name, slug) VALUES ($1, $2, $2)', [tenantId, tenantId]);
      const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => db.inTenant(tenantId, work);
      for (const table of ['content', 'content_block']) await admin.query(`VACUUM FULL ${table}`);
      const empty = await totalSize(admin, ['content', 'content_block']);
      let hash = '';
      times.store.push(await timed(async () => (hash = await store(inTenant, revision, null))));
      const whole = await totalSize(admin, ['content', 'content_block']);
      const { stored } = await inTenant((tx) => loadStored(tx, hash));
      sizes.blob = bytesOf(stored);
      sizes.store = whole - empty;

      const changed = change(revision, 1000, round);
      times.change.push(await timed(async () => (hash = await store(inTenant, changed, stored))));
      sizes.change = (await totalSize(admin, ['content', 'content_block'])) - whole;
      sizes.delta = bytesOf((await inTenant((tx) => loadStored(tx, hash))).stored) - sizes.blob;
      times.load.push(await timed(() => inTenant((tx) => loadTable(tx, hash))));
      await admin.query('DELETE FROM content; DELETE FROM content_block');
    }
  } finally {
    await db.close();
    await admin.end();
  }
  const peer = median(times.copy);
  console.log(`COPY of rows with a primary key: ${peer.toFixed(0)} ms, ${mebibytes(sizes.copy)}`);
  const ratio = median(times.store) / peer;
  console.log(
    `store a revision: ${median(times.store).toFixed(0)} ms, ratio ${ratio.toFixed(3)} (goal ${GOALS.time}, ${met(ratio <= GOALS.time)})`,
  );
  const bytes = sizes.blob / prefixes;
  console.log(
    `  ${sizes.blob} bytes, ${bytes.toFixed(3)} a prefix (goal ${GOALS.bytesPerPrefix}, ${met(bytes <= GOALS.bytesPerPrefix)}); ${mebibytes(sizes.store)} in the database`,
  );
  const share = sizes.delta / sizes.blob;
  console.log(
    `store one that differs in 0.1 %: ${median(times.change).toFixed(0)} ms, ${sizes.delta} bytes, ${(share * 100).toFixed(2)} % more (goal ${GOALS.change * 100} %, ${met(share <= GOALS.change)}); ${mebibytes(sizes.change)} in the database`,
  );
  console.log(`read that one back: ${median(times.load).toFixed(0)} ms`);
}

async function store(
  inTenant: (work: (tx: TenantTx) => Promise<string>) => Promise<string>,
  table: PrefixTable,
  parent: StoredTable | null,
): Promise<string> {
  const encoded = encodeAfter(table, parent);
  if ('whole' in encoded) return contentHashOf(encoded);
  return inTenant((tx) => storeTable(tx, encoded, { ipv4: table.ipv4.size, ipv6: table.ipv6.size }));
}

function bytesOf({ whole, deltas }: StoredTable): number {
  const parts = [whole.manifest, ...whole.blocks.values(), ...deltas.map(({ bytes }) => bytes)];
  return parts.reduce((sum, { length }) => sum + length, 0);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Includes indexes and what is kept out of line. */
async function totalSize(admin: pg.Client, tables: readonly string[]): Promise<number> {
  const { rows } = await admin.query<{ size: string }>(
    'SELECT sum(pg_total_relation_size(name::regclass)) AS size FROM unnest($1::text[]) name',
    [tables],
  );
  return Number(rows[0]!.size);
}

/** The text that COPY reads, made before the clock starts. */
function copyLines(table: PrefixTable): Buffer {
  const lines: string[] = [];
  for (const family of FAMILIES) {
    const rows = table[family];
    for (let i = 0; i < rows.size; i++) {
      lines.push(`1\t${formatPrefixAt(rows, i)}\t${table.labelSets[rows.labels[i]!]!.join(',')}`);
    }
  }
  return Buffer.from(`${lines.join('\n')}\n`);
}

async function copyRows(admin: pg.Client, lines: Buffer): Promise<void> {
  await admin.query(
    'CREATE TABLE prefix_row (revision int, prefix cidr, community text, PRIMARY KEY (revision, prefix))',
  );
  await copyFrom(admin, 'COPY prefix_row FROM STDIN', lines);
}

/** Clustered, nested, mostly /24 and /48, with a few communities. */
function fullTable(rows: number): PrefixTable {
  const random = seeded(11);
  const builder = new PrefixTableBuilder();
  let ipv4 = 0x01000000;
  let ipv6 = 0x20010000;
  for (let i = 0; i < rows; i++) {
    if (i % 6 === 0) {
      ipv6 += random() % 4 === 0 ? random() % 64 : 0;
      const low = random() % 2 === 0 ? random() & 0xffff0000 : 0;
      builder.add('ipv6', [ipv6, low >>> 0, 0, 0], low === 0 ? 32 : 48, '65000:1');
    } else {
      ipv4 += random() % 4 === 0 ? (random() % 4096) * 256 : 256;
      const length = random() % 5 < 3 ? 24 : 16 + (random() % 8);
      builder.add('ipv4', [(ipv4 & (-1 << (32 - length))) >>> 0], length, '65000:1');
    }
  }
  return builder.build();
}

/** One row of every `oneIn` is gone, or is there as a prefix of one bit more. */
function change(table: PrefixTable, oneIn: number, seed: number): PrefixTable {
  const random = seeded(seed + 1);
  const builder = new PrefixTableBuilder();
  for (const family of FAMILIES) {
    const { size, words, lengths, labels } = table[family];
    const width = family === 'ipv4' ? 1 : 4;
    for (let i = 0; i < size; i++) {
      const isChanged = random() % oneIn === 0;
      if (isChanged && random() % 2 === 0) continue;
      const length = lengths[i]! + (isChanged ? 1 : 0);
      const [label] = table.labelSets[labels[i]!]!;
      builder.add(family, words.subarray(i * width, (i + 1) * width), length, label ?? null);
    }
  }
  return builder.build();
}

function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}

function met(isMet: boolean): string {
  return isMet ? 'met' : 'NOT met';
}
