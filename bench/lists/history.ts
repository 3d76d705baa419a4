/**
 * `npm run bench -- history [REVISIONS] [CHANGES]`: what became of an address in 1,000 revisions of a million routes, 1,000 of them
 * different from one to the next; beside the same changes as rows of a table with an index for containment in the same server. The first
 * answer of a process reads the newest revision, the others have it in memory. And what it costs to find the changes of one revision.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { readHistory } from '../../src/control/history/history.ts';
import { differenceBetween } from '../../src/control/tables/difference-threads.ts';
import { encodeChanges } from '../../src/core/stored/change-list.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import { formatPrefixAt } from '../../src/core/prefix.ts';
import { encodeAfter, storedAs } from '../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../src/core/stored/table-codec.ts';
import { storeTable } from '../../src/store/contents/contents.ts';
import { openDatabase, type TenantTx } from '../../src/store/database/database.ts';
import { migrate } from '../../src/store/database/migrate.ts';
import { startEmbeddedServer } from '../../src/store/embedded/embedded-server.ts';
import { saveStep } from '../../src/store/revisions/history.ts';
import { insertRevision } from '../../src/store/revisions/revisions.ts';
import { fullTable, seededRandom } from './prefix-lists.ts';
import { machine, median } from '../measure/report.ts';

const ROUTES = 1_000_000;
const COMMUNITY = '65000:100';
const ROUNDS = 7;
const GOAL_MS = 200;

export async function run(args: readonly string[]): Promise<void> {
  const [revisions, changes] = [Number(args[0] ?? 1_000), Number(args[1] ?? 1_000)];
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-bench-'));
  const server = await startEmbeddedServer(dataDir);
  const db = openDatabase(server.address);
  const admin = new pg.Client({ ...server.address, user: 'postgres', options: '-c search_path=prefixcast' });
  try {
    await migrate(server.address);
    await admin.connect();
    const tenantId = uuidv7();
    await admin.query('INSERT INTO tenant (id, name, slug) VALUES ($1, $2, $2)', [tenantId, 'bench']);
    const newest = tableOf(fullTable('ipv4', 1_200_000));
    console.log(`${revisions} revisions of ${newest.ipv4.size} routes, ${changes} changes each`);
    await measureStep(newest, changes);
    await fill(admin, (work) => db.inTenant(tenantId, work), newest, revisions, changes);
    await measureReads(admin, (prefix) =>
      db.inTenant(tenantId, (tx) => readHistory(tx, { prefix, limit: 50 })),
    );
  } finally {
    await admin.end();
    await db.close();
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  console.log(machine());
}

type InTenant = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** Finding the changes of one revision beside making what is stored of it. */
async function measureStep(table: PrefixTable, changes: number): Promise<void> {
  const before = without(table, changes);
  const parent = storedAs(encodeTable(before), null);
  const encode = await timed(() => storedAs(encodeAfter(table, parent) as never, parent));
  const count = { ipv4: ROUTES, ipv6: 0 };
  const [one, two] = [parent, encode.value].map((stored) => ({ stored, prefixCount: count }));
  await differenceBetween(one!, two!); // starts the thread
  const index = await timed(() => differenceBetween(one!, two!));
  if (index.value.reduce((sum, { rows }) => sum + rows, 0) < changes) throw new Error('Changes are missing');
  const bytes = index.value.reduce((sum, piece) => sum + piece.bytes.length, 0);
  const rows = index.value.reduce((sum, piece) => sum + piece.rows, 0);
  console.log(
    `changes of one revision: ${index.busy.toFixed(0)} ms of a thread behind the commit, beside ${encode.busy.toFixed(0)} ms to encode it; ` +
      `${((bytes / rows) * 1_000).toFixed(0)} bytes for 1,000 changes`,
  );
}

/** The newest revision is there; what histories read of the others is what changed. */
async function fill(
  admin: pg.Client,
  inTenant: InTenant,
  newest: PrefixTable,
  revisions: number,
  changes: number,
): Promise<void> {
  await admin.query('CREATE TABLE change_row (revision int, prefix inet, kind text)');
  const count = { ipv4: newest.ipv4.size, ipv6: 0 };
  const hash = await inTenant((tx) => storeTable(tx, encodeTable(newest), count));
  let previous: string | null = null;
  for (let number = 1; number <= revisions; number++) {
    const id: string = await inTenant(async (tx) => {
      const revision = await insertRevision(tx, {
        ...{ state: 'ready', content_hash: hash, parent_id: null, rollback_of: null, prefix_count: count },
        trigger: { kind: 'manual', module_id: null, job_id: null, actor: 'bench' },
        ...{ communities: [], warnings: [] },
      });
      if (previous === null) return revision.id;
      const [before, after] = sides(newest, changes, number);
      const pieces = encodeChanges(before, after).map((piece) => ({ ...piece, moduleId: null }));
      const step = { id: revision.id, number, content_hash: hash };
      await saveStep(
        tx,
        { ...step, previous: { id: previous, content_hash: hash } },
        { switched: [], pieces },
      );
      const texts = [before, after].map(({ ipv4 }) =>
        Array.from({ length: ipv4.size }, (_, i) => formatPrefixAt(ipv4, i)),
      );
      for (const [side, prefixes] of texts.entries())
        await admin.query('INSERT INTO change_row SELECT $1, unnest($2::inet[]), $3', [
          ...[number, prefixes, side === 0 ? '-' : '+'],
        ]);
      return revision.id;
    });
    previous = id;
  }
  await admin.query('CREATE INDEX ON change_row USING gist (prefix inet_ops)');
  await admin.query('ANALYZE');
}

async function measureReads(
  admin: pg.Client,
  read: (prefix: string) => Promise<{ items: unknown[] }>,
): Promise<void> {
  const { rows } = await admin.query<{ prefix: string; own: string; peer: string; pieces: string }>(
    `SELECT host(prefix) AS prefix, pg_total_relation_size('step_piece') AS own,
            pg_total_relation_size('change_row') AS peer, (SELECT count(*) FROM step_piece) AS pieces
       FROM change_row ORDER BY random() LIMIT ${ROUNDS}`,
  );
  const [{ own = '0', peer = '0', pieces = '0' } = {}] = rows;
  const mebibytes = (bytes: string): string => (Number(bytes) / 2 ** 20).toFixed(1);
  console.log(
    `in the database ${mebibytes(own)} MiB in ${pieces} pieces, as rows with an index ${mebibytes(peer)} MiB`,
  );
  const first = await timed(() => read(rows[0]!.prefix));
  const [times, busy]: [number[], number[]] = [[], []];
  const peers: number[] = [];
  for (const { prefix } of rows) {
    const answer = await timed(() => read(prefix));
    if (answer.value.items.length === 0) throw new Error(`No history of ${prefix} was found`);
    times.push(answer.ms);
    busy.push(answer.busy);
    const sql = `SELECT * FROM change_row WHERE prefix >>= $1::inet ORDER BY revision DESC LIMIT 50`;
    peers.push((await timed(() => admin.query(sql, [prefix]))).ms);
  }
  const verdict = median(times) <= GOAL_MS ? 'met' : 'NOT met';
  console.log(
    `history of an address: the first ${first.ms.toFixed(0)} ms (${first.busy.toFixed(0)} ms of processor), then ${median(times).toFixed(1)} ms (${median(busy).toFixed(1)} ms of processor), goal ${GOAL_MS}: ${verdict}; ` +
      `rows ${median(peers).toFixed(1)} ms, which say nothing of where it began`,
  );
}

/** What is only in the revision before, and only in the one after: as many of each, spread over the table. */
function sides(table: PrefixTable, changes: number, seed: number): [PrefixTable, PrefixTable] {
  const random = seededRandom(seed);
  const [before, after] = [new PrefixTableBuilder(), new PrefixTableBuilder()];
  for (let i = 0; i < changes; i++) {
    const row = random() % table.ipv4.size;
    const builder = i % 2 === 0 ? after : before;
    const word = table.ipv4.words[row]!;
    if (builder === after) builder.add('ipv4', [word], table.ipv4.lengths[row]!, COMMUNITY);
    else builder.add('ipv4', [(word & 0xffffff00) >>> 0], 25, COMMUNITY);
  }
  return [before.build(), after.build()];
}

/** The table without so many rows, spread over it. */
function without(table: PrefixTable, rows: number): PrefixTable {
  const builder = new PrefixTableBuilder();
  const { words, lengths, size } = table.ipv4;
  const every = Math.floor(size / rows);
  for (let i = 0; i < size; i++)
    if (i % every > 0) builder.add('ipv4', words.subarray(i, i + 1), lengths[i]!, COMMUNITY);
  return builder.build();
}

function tableOf(list: Parameters<PrefixTableBuilder['addSet']>[0]): PrefixTable {
  const builder = new PrefixTableBuilder();
  builder.addSet(list, COMMUNITY);
  return builder.build();
}

/** Milliseconds by the clock, and of the processor in all threads. */
async function timed<T>(work: () => T | Promise<T>): Promise<{ value: T; ms: number; busy: number }> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  const value = await work();
  const { user, system } = process.cpuUsage(before);
  return { value, ms: performance.now() - started, busy: (user + system) / 1_000 };
}
