import { setImmediate as turn } from 'node:timers/promises';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { type TableDelta, encodeAfter } from '../../../src/core/stored/stored-table.ts';
import { TableCodecError } from '../../../src/core/stored/table-codec.ts';
import { loadDiffering, loadStored, loadTable, storeTable } from '../../../src/store/contents/contents.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';

let database: TestDatabase;
let tenantId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  tenantId = await database.createTenant();
});
afterAll(() => database.close());

const run = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => database.db.inTenant(tenantId, work);

/** `rows` scattered /24s but for each thousandth, beginning with `without`. */
function table(rows: number, without: number): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < rows; i++) {
    if (i % 1000 !== without) builder.add('ipv4', [(Math.imul(i, 0x9e3779b1) & 0xffffff00) >>> 0], 24, 'x');
  }
  return builder.build();
}

/** Stores the table after the one before, if any, as jobs do. */
async function store(next: PrefixTable, parent: string | null): Promise<string> {
  return run(async (tx) => {
    const encoded = encodeAfter(next, parent === null ? null : (await loadStored(tx, parent)).stored);
    if ('whole' in encoded) return parent!;
    return storeTable(tx, encoded, { ipv4: next.ipv4.size, ipv6: next.ipv6.size });
  });
}

/** As the server's superuser, past foreign keys and policies: what damage, not we, would do. */
async function damage(assignment: string, contentHash: string): Promise<void> {
  await database.admin(
    `BEGIN; SET LOCAL session_replication_role = replica;
     UPDATE content SET ${assignment} WHERE content_hash = decode('${contentHash}', 'hex'); COMMIT`,
  );
}

async function chainOf(rows: number, length: number): Promise<string[]> {
  const hashes: string[] = [];
  for (let i = 0; i < length; i++) hashes.push(await store(table(rows, i), hashes.at(-1) ?? null));
  return hashes;
}

test('contents that follow one another are stored as what changed, and each comes back', async () => {
  const hashes = await chainOf(30_000, 9);
  const rows = await database.admin<{ step: number; size: number; blocks: number }>(
    `SELECT step, coalesce(length(delta), 0)::int AS size, cardinality(block_hashes) AS blocks
       FROM content WHERE tenant_id = $1 ORDER BY step`,
    [tenantId],
  );
  expect(rows.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(rows[0]!.blocks).toBeGreaterThan(1);
  for (const { size, blocks } of rows.slice(1)) {
    expect(blocks).toBe(0);
    expect(size).toBeLessThan(500);
  }
  for (const [i, hash] of hashes.entries()) {
    expect(await run((tx) => loadTable(tx, hash))).toEqual(table(30_000, i));
    const { stored, prefixCount } = await run((tx) => loadStored(tx, hash));
    expect(stored.deltas.length).toBe(i.toString(2).replaceAll('0', '').length);
    expect(prefixCount).toEqual({ ipv4: table(30_000, i).ipv4.size, ipv6: 0 });
  }
  expect(await store(table(30_000, 8), hashes[8]!)).toBe(hashes[8]);
});

test('a large table is read beside the event loop', async () => {
  const hash = await store(table(300_000, 7), null);
  let turns = 0;
  let loaded = false;
  const loading = run((tx) => loadTable(tx, hash)).finally(() => (loaded = true));
  while (!loaded) {
    turns++;
    await turn();
  }
  expect((await loading).ipv4.size).toBe(table(300_000, 7).ipv4.size);
  expect(turns).toBeGreaterThan(5);
});

/** How often the event loop goes round between the last answer of the database and the table. */
async function turnsOfReading(load: (tx: TenantTx) => Promise<unknown>): Promise<number> {
  let turns = 0;
  let atAnswer = 0;
  let atEnd: number | undefined;
  const noting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => {
      atAnswer = turns;
      return Promise.resolve(result);
    },
  };
  const loading = run(async (tx) => {
    await load({ ...tx, sql: tx.sql.withPlugin(noting) }).finally(() => (atEnd = turns));
  });
  while (atEnd === undefined) {
    turns++;
    await turn();
  }
  await loading;
  return atEnd - atAnswer;
}

test('a small table that is made of a large one is read beside the event loop too', async () => {
  const large = await store(table(45_000, 0), null);
  const small = await store(table(18_000, 0), large);
  const [row] = await database.admin<{ step: number }>(
    `SELECT step FROM content WHERE content_hash = decode('${small}', 'hex')`,
  );
  expect(row!.step).toBe(1);
  const alone = await store(table(17_000, 0), null);
  expect(await turnsOfReading((tx) => loadTable(tx, alone))).toBe(0);
  expect(await turnsOfReading((tx) => loadTable(tx, small))).toBeGreaterThan(0);
  expect(await turnsOfReading((tx) => loadDiffering(tx, small, alone))).toBeGreaterThan(0);
});

test('a content that another one is based on can not be deleted, and goes after it', async () => {
  const [base, next] = (await chainOf(4_000, 2)) as [string, string];
  const remove = (hash: string): Promise<unknown> =>
    run((tx) =>
      tx.sql
        .deleteFrom('content')
        .where('tenant_id', '=', tenantId)
        .where('content_hash', '=', Buffer.from(hash, 'hex'))
        .execute(),
    );
  await expect(remove(base)).rejects.toThrow(/content_base_hash_fkey/);
  await remove(next);
  await remove(base);
  await expect(run((tx) => loadTable(tx, base))).rejects.toMatchObject({ code: 'not_found' });
});

test('a delta whose base is not stored is refused', async () => {
  const base = encodeAfter(table(5_000, 1), null);
  if (!('manifest' in base)) throw new Error('a first table is whole');
  const whole = { ...base, blocks: new Map(base.blocks.map(({ hash, bytes }) => [hash, bytes])) };
  const delta = encodeAfter(table(5_000, 2), { whole, deltas: [] }) as TableDelta;
  await expect(run((tx) => storeTable(tx, delta, { ipv4: 1, ipv6: 0 }))).rejects.toThrow(
    /content_base_hash_fkey/,
  );
});

test.each([
  ['the delta is cut short', 2, 'delta = substring(delta FROM 1 FOR length(delta) - 1)'],
  ['the delta is another one', 2, "delta = '\\x02'"],
  ['the base is a stranger', 2, "base_hash = sha256('stranger')"],
  [
    'the whole one is gone',
    0,
    "step = 1, manifest = NULL, base_hash = sha256('gone'), delta = '\\x00', block_hashes = '{}'",
  ],
  ['the manifest is cut short', 0, 'manifest = substring(manifest FROM 1 FOR 40)'],
  ['a block is gone', 0, 'block_hashes = block_hashes[2:]'],
])('damage is reported when %s', async (_what, place, assignment) => {
  const hashes = await chainOf(10_000, 4);
  await damage(assignment, hashes[place]!);
  await expect(run((tx) => loadTable(tx, hashes[3]!))).rejects.toThrow(TableCodecError);
});

test('a circle of bases ends', async () => {
  const hashes = await chainOf(10_000, 4);
  await damage(`base_hash = decode('${hashes[3]}', 'hex')`, hashes[2]!);
  await expect(run((tx) => loadTable(tx, hashes[3]!))).rejects.toThrow(TableCodecError);
});
