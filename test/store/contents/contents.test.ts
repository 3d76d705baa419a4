import { hash as digest } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { parsePrefix } from '../../../src/core/prefix.ts';
import {
  PrefixTableBuilder,
  formatPrefixAt,
  type PrefixTable,
} from '../../../src/core/tables/prefix-table.ts';
import { encodeAfter } from '../../../src/core/stored/stored-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { loadDiffering, loadStored, loadTable, storeTable } from '../../../src/store/contents/contents.ts';
import { insertModule } from '../../../src/store/modules/modules.ts';
import { listEntryInputs, listModuleInputs } from '../../../src/store/revisions/revision-inputs.ts';
import { insertIpRangeEntries } from '../../../src/store/entries/ip-range-entries.ts';
import { getSetting, putSettings } from '../../../src/store/tenants/settings.ts';
import { findSnapshot, saveSnapshot } from '../../../src/store/modules/snapshots.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { waitFor } from '../../daemons/wait.ts';
import { useTenant } from '../../tenant.ts';

const tenant = useTenant();

function tableOf(prefixes: Iterable<string>): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const text of prefixes) {
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    builder.add(parsed.value.family, parsed.value.words, parsed.value.length, '65000:1');
  }
  return builder.build();
}

async function store(table: PrefixTable): Promise<string> {
  const count = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  return tenant.run((tx) => storeTable(tx, encodeTable(table), count));
}

async function blocks(): Promise<number> {
  const rows = await tenant.database.admin<{ n: number }>(
    'SELECT count(*)::int AS n FROM content_block WHERE tenant_id = $1',
    [tenant.id],
  );
  return rows[0]!.n;
}

test('a table comes back as it was, and what two tables share is stored once', async () => {
  const prefixes = Array.from(
    { length: 60_000 },
    (_, n) => `20.${n >> 8}.${n & 255}.${digest('md5', String(n), 'buffer')[0]}/32`,
  );
  const hash = await store(tableOf([...prefixes, '2001:db8::/32']));
  const whole = await blocks();
  expect(whole).toBeGreaterThan(3);
  const back = await tenant.run((tx) => loadTable(tx, hash));
  expect(Array.from({ length: back.ipv4.size }, (_, row) => formatPrefixAt(back.ipv4, row)).sort()).toEqual(
    [...prefixes].sort(),
  );
  expect(formatPrefixAt(back.ipv6, 0)).toBe('2001:db8::/32');
  await store(tableOf([...prefixes, '2001:db8::/32', '21.0.0.0/24']));
  expect((await blocks()) - whole).toBeLessThan(3);
  expect(await store(tableOf([...prefixes, '2001:db8::/32']))).toBe(hash);
});

test('the empty table is a table', async () => {
  const back = await tenant.run(async (tx) =>
    loadTable(tx, await storeTable(tx, encodeTable(tableOf([])), { ipv4: 0, ipv6: 0 })),
  );
  expect([back.ipv4.size, back.ipv6.size]).toEqual([0, 0]);
});

test('the same table stored by many at once is there once', async () => {
  const table = tableOf(['30.0.0.0/8']);
  const hashes = await Promise.all(Array.from({ length: 6 }, () => store(table)));
  expect(new Set(hashes).size).toBe(1);
});

test('another tenant has no content of ours', async () => {
  const hash = await store(tableOf(['31.0.0.0/8']));
  const other = await tenant.database.createTenant();
  await expect(tenant.database.db.inTenant(other, (tx) => loadTable(tx, hash))).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a snapshot takes the place of the one before, and enabled modules bring theirs to a revision', async () => {
  const { resource: module } = await tenant.run((tx) => insertModule(tx, { name: 'm', type: 'IP_RANGES' }));
  const { resource: off } = await tenant.run((tx) =>
    insertModule(tx, { name: 'off', type: 'IP_RANGES', enabled: false }),
  );
  const entries = await tenant.run((tx) =>
    insertIpRangeEntries(tx, module.id, [
      { cidr: '32.0.0.0/8', enabled: false },
      { cidr: '33.0.0.0/8' },
      { cidr: '34.0.0.0/8' },
    ]),
  );
  await tenant.run((tx) => insertIpRangeEntries(tx, off.id, [{ cidr: '32.0.0.0/8' }]));
  expect(await tenant.run((tx) => findSnapshot(tx, module.id))).toBeNull();
  const [first, second] = [await store(tableOf(['32.0.0.0/8'])), await store(tableOf(['33.0.0.0/8']))];
  for (const id of [module.id, off.id]) await tenant.run((tx) => saveSnapshot(tx, id, first));
  await tenant.run((tx) => saveSnapshot(tx, module.id, second));
  expect(await tenant.run((tx) => findSnapshot(tx, module.id))).toMatchObject({ content_hash: second });
  expect(await tenant.run(listModuleInputs)).toMatchObject([
    { id: module.id, purpose: 'announce', content_hash: second, prefix_count: { ipv4: 1, ipv6: 0 } },
  ]);
  const next = {
    moduleId: module.id,
    contentHash: first,
    prefixCount: { ipv4: 7, ipv6: 0 },
    entriesHash: null,
  };
  expect(await tenant.run((tx) => listModuleInputs(tx, next))).toMatchObject([
    { id: module.id, content_hash: first, prefix_count: { ipv4: 7 } },
  ]);
  const enabled = entries.slice(1).map(({ resource }) => resource.id);
  expect(await tenant.run(listEntryInputs)).toEqual([
    { module_id: module.id, community_ids: [], entry_ids: enabled.join(',') },
  ]);
});

test('a setting has its default until it is set, and again after it is taken away', async () => {
  expect(await tenant.run((tx) => getSetting(tx, 'guard_bogons'))).toBe('drop');
  await tenant.run((tx) => putSettings(tx, { guard_bogons: 'allow' }));
  await tenant.run((tx) => putSettings(tx, { guard_bogons: 'allow' }));
  expect(await tenant.run((tx) => getSetting(tx, 'guard_bogons'))).toBe('allow');
  await tenant.run((tx) => putSettings(tx, { guard_bogons: null }));
  expect(await tenant.run((tx) => getSetting(tx, 'guard_bogons'))).toBe('drop');
  const nothing = '01900000-0000-7000-8000-000000000000';
  const write = tenant.run((tx) => putSettings(tx, { default_community_id: nothing }));
  await expect(write).rejects.toMatchObject({ errors: [{ pointer: '/default_community_id' }] });
});

test('only what differs of two tables is loaded, however each is stored', async () => {
  const prefixes = Array.from({ length: 60_000 }, (_, n) => `30.${n >> 8}.${n & 255}.0/24`);
  const tables = [
    tableOf(prefixes),
    tableOf(prefixes.filter((_, n) => n !== 30_000)),
    tableOf([...prefixes.slice(1), '2001:db8::/32']),
  ];
  const hashes: string[] = [];
  for (const table of tables) hashes.push(await store(table));
  const [first, withoutOne, withAnother] = hashes as [string, string, string];
  const count = { ipv4: prefixes.length, ipv6: 1 };
  const next = tableOf([...prefixes.slice(5), '2001:db8::/32', '2001:db8:1::/48']);
  const parent = await tenant.run((tx) => loadStored(tx, withAnother));
  const delta = encodeAfter(next, parent.stored);
  if (!('baseHash' in delta)) throw new Error('it is stored whole');
  const asDelta = await tenant.run((tx) => storeTable(tx, delta, count));
  const reported = async (before: string, after: string): Promise<string[]> => {
    const differing = await tenant.run((tx) => loadDiffering(tx, before, after));
    const texts = ({ ipv4, ipv6 }: PrefixTable, sign: string): string[] =>
      [ipv4, ipv6].flatMap((rows) =>
        Array.from({ length: rows.size }, (_, row) => sign + formatPrefixAt(rows, row)),
      );
    return [...texts(differing.before, '-'), ...texts(differing.after, '+')];
  };
  expect(await reported(first, first)).toEqual([]);
  expect(await reported(first, withoutOne)).toEqual(['-30.117.48.0/24']);
  expect(await reported(withoutOne, withAnother)).toEqual([
    '-30.0.0.0/24',
    '+30.117.48.0/24',
    '+2001:db8::/32',
  ]);
  const gone = [1, 2, 3, 4].map((n) => `-30.0.${n}.0/24`);
  expect(await reported(withAnother, asDelta)).toEqual([...gone, '+2001:db8:1::/48']);
  expect(await reported(asDelta, first)).toEqual([
    ...['-2001:db8::/32', '-2001:db8:1::/48'],
    ...[0, 1, 2, 3, 4].map((n) => `+30.0.${n}.0/24`),
  ]);
  await expect(reported(first, '00'.repeat(32))).rejects.toMatchObject({ code: 'not_found' });
});

/** What `load` comes to when the contents are pruned after it has found them, and before it has read their blocks. */
async function prunedMeanwhile(
  hashes: readonly string[],
  load: (tx: TenantTx) => Promise<unknown>,
): Promise<unknown> {
  const { promise: locked, resolve: lock } = Promise.withResolvers<void>();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const pruning = tenant.run(async (tx) => {
    await sql`LOCK TABLE content_block IN ACCESS EXCLUSIVE MODE`.execute(tx.sql);
    lock();
    await gate;
    const contents = hashes.map((hash) => Buffer.from(hash, 'hex'));
    await sql`
      DELETE FROM content_block
       WHERE hash IN (SELECT unnest(block_hashes) FROM content WHERE content_hash = ANY (${contents}))`.execute(
      tx.sql,
    );
    await sql`DELETE FROM content WHERE content_hash = ANY (${contents})`.execute(tx.sql);
  });
  await locked;
  const loading = tenant.run(load).catch((error: unknown) => error);
  const isWaiting = async (): Promise<boolean> => {
    const [row] = await tenant.database.admin<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row!.n > 0;
  };
  await waitFor(isWaiting, { what: 'the reader to wait for blocks' });
  open();
  await pruning;
  return loading;
}

test('a content that is pruned while it is read is gone, not damaged', async () => {
  const prefixes = Array.from({ length: 60_000 }, (_, n) => `40.${n >> 8}.${n & 255}.0/24`);
  const tables = [tableOf(prefixes), tableOf(prefixes.slice(1))];
  const storeBoth = async () => [await store(tables[0]!), await store(tables[1]!)] as const;
  const hashes = await storeBoth();
  const loadFirst = (tx: TenantTx) => loadTable(tx, hashes[0]);
  expect(await prunedMeanwhile(hashes, loadFirst)).toMatchObject({ code: 'not_found' });
  expect(await storeBoth()).toEqual(hashes);
  const loadBoth = (tx: TenantTx) => loadDiffering(tx, ...hashes);
  expect(await prunedMeanwhile(hashes, loadBoth)).toMatchObject({ code: 'not_found' });
});
