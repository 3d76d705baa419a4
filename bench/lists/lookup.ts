/**
 * `npm run bench -- lookup [ROUNDS]`: every prefix around an address among a million, beside SP-GiST in the embedded PostgreSQL, which is asked for
 * all addresses in one statement, so that nothing but the search is measured.
 */
import { matchesOf } from '../../src/core/tables/lookup.ts';
import type { Family } from '../../src/core/address.ts';
import { formatAddress, widthOf } from '../../src/core/address.ts';
import type { Address } from '../../src/core/address.ts';
import { type PrefixRows, PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import { fillTable, serverTime, withPostgres } from '../measure/postgres.ts';
import { type ListName, fullTable, mixedList, seededRandom } from './prefix-lists.ts';
import { machine, median } from '../measure/report.ts';

const QUERIES = 100_000;
const GOAL = 1 / 20;
type Shape = Extract<ListName, 'mixed' | 'full-table'>;

export async function run(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 5);
  console.log(`${machine()}; medians of ${rounds} rounds of ${QUERIES} addresses`);
  await compare('mixed', 'ipv4', rounds);
  await compare('full-table', 'ipv4', rounds);
  await compare('full-table', 'ipv6', rounds);
  console.log('\ngrowth, mixed IPv4');
  for (const count of [10_000, 100_000, 1_000_000, 10_000_000]) {
    const rows = rowsOf('mixed', 'ipv4', count);
    const queries = addressesIn(rows);
    const times = Array.from({ length: rounds + 2 }, () => search(rows, queries).time).slice(2);
    console.log(
      `  ${String(count).padStart(9)} prefixes ${(median(times) * 1e6).toFixed(0).padStart(6)} ns a lookup`,
    );
  }
}

async function compare(shape: Shape, family: Family, rounds: number): Promise<void> {
  const rows = rowsOf(shape, family, 1_000_000);
  const queries = addressesIn(rows);
  const own = Array.from({ length: rounds + 2 }, () => search(rows, queries).time).slice(2);
  const { matches } = search(rows, queries);
  const peer = await withPostgres(async (client) => {
    await fillTable(client, 'prefixes', rows);
    await client.query('CREATE INDEX ON prefixes USING spgist ((prefix::inet) inet_ops)');
    await client.query('CREATE TABLE queries (address inet NOT NULL)');
    await client.query('INSERT INTO queries SELECT unnest($1::inet[])', [queries.map(formatAddress)]);
    await client.query('ANALYZE prefixes');
    await client.query('ANALYZE queries');
    const statement = 'SELECT count(*) FROM queries JOIN prefixes ON prefix::inet >>= address';
    const { rows: counted } = await client.query<{ count: string }>(statement);
    if (Number(counted[0]!.count) !== matches) {
      throw new Error(`PostgreSQL finds ${counted[0]!.count} matches, and ${matches} were found here`);
    }
    const times: number[] = [];
    for (let round = 0; round < rounds; round++)
      times.push((await serverTime(client, statement)) / queries.length);
    return times;
  });
  const ratio = median(own) / median(peer);
  const verdict = ratio <= GOAL ? 'met' : 'NOT met';
  console.log(
    `${shape} ${family}, ${rows.size} prefixes, ${(matches / queries.length).toFixed(2)} matches: ` +
      `${(median(own) * 1e6).toFixed(0)} ns, SP-GiST ${(median(peer) * 1e6).toFixed(0)} ns; ` +
      `ratio 1/${(1 / ratio).toFixed(0)}, goal 1/20: ${verdict}`,
  );
}

function rowsOf(shape: Shape, family: Family, count: number): PrefixRows {
  const builder = new PrefixTableBuilder();
  builder.addSet(shape === 'mixed' ? mixedList(family, count) : fullTable(family, count), 'x');
  return builder.build()[family];
}

/** Addresses in random order, each in some prefix of the rows. */
function addressesIn(rows: PrefixRows): Address[] {
  const random = seededRandom(1);
  const width = widthOf(rows.family);
  return Array.from({ length: QUERIES }, () => {
    const row = random() % rows.size;
    const words = Array.from(rows.words.subarray(row * width, (row + 1) * width));
    if (rows.lengths[row]! < 32 * width) words[width - 1] = (words[width - 1]! | (random() & 1)) >>> 0;
    return { family: rows.family, words };
  });
}

/** Milliseconds for one address, and matches of all. */
function search(rows: PrefixRows, queries: readonly Address[]): { time: number; matches: number } {
  let matches = 0;
  const started = performance.now();
  for (const query of queries) matches += matchesOf(rows, query).length;
  return { time: (performance.now() - started) / queries.length, matches };
}
