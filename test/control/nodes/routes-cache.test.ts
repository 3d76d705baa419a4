import { describe, expect, test } from 'vitest';
import { decodeRoutes } from '../../../src/bundle/routes-part.ts';
import { RoutesCache } from '../../../src/control/nodes/routes-cache.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import { useTenant } from '../../tenant.ts';

const tenant = useTenant();

function tableOf(count: number, from = 0): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let i = from; i < from + count; i++) builder.add('ipv4', [0x0a000000 + i * 512], 24, '65000:1');
  return builder.build();
}

/** Answers the content hash. */
function store(table: PrefixTable): Promise<string> {
  const counts = { ipv4: table.ipv4.size, ipv6: table.ipv6.size };
  return tenant.run((tx) => storeTable(tx, encodeTable(table), counts));
}

const UNKNOWN = 'ab'.repeat(32);

describe('routes for bundles', () => {
  test('are written once, and shared by all who ask', async () => {
    const cache = new RoutesCache(tenant.database.db);
    const contentHash = await store(tableOf(1_000));
    const files = await Promise.all(Array.from({ length: 50 }, () => cache.whole(tenant.id, contentHash)));
    for (const { bytes } of files) expect(bytes).toBe(files[0]!.bytes);
    expect((await cache.whole(tenant.id, contentHash)).bytes).toBe(files[0]!.bytes);
    expect(decodeRoutes({ contentHash, bytes: files[0]!.bytes })).toEqual(tableOf(1_000));
    expect(cache.bytes).toBe(files[0]!.length);
  });

  test('of a large table are the same, written in a thread', async () => {
    const table = tableOf(30_000);
    const contentHash = await store(table);
    const { bytes } = await new RoutesCache(tenant.database.db).whole(tenant.id, contentHash);
    expect(decodeRoutes({ contentHash, bytes })).toEqual(table);
  });

  test('are kept within the capacity, those of last', async () => {
    const hashes = await Promise.all([0, 1, 2, 3].map((i) => store(tableOf(2_000, i * 10_000))));
    const { length } = await new RoutesCache(tenant.database.db).whole(tenant.id, hashes[0]!);
    const cache = new RoutesCache(tenant.database.db, length * 2.5);
    const first = await cache.whole(tenant.id, hashes[0]!);
    const last = [];
    for (const hash of hashes) last.push(await cache.whole(tenant.id, hash));
    expect(cache.bytes).toBeLessThanOrEqual(length * 2.5);
    expect((await cache.whole(tenant.id, hashes[3]!)).bytes).toBe(last[3]!.bytes);
    expect((await cache.whole(tenant.id, hashes[0]!)).bytes).not.toBe(first.bytes);
  });

  test('are served although they alone are more than the capacity', async () => {
    const cache = new RoutesCache(tenant.database.db, 10);
    const contentHash = await store(tableOf(500));
    expect((await cache.whole(tenant.id, contentHash)).length).toBeGreaterThan(10);
  });

  test('that were pruned are not found, and looked for again each time', async () => {
    const cache = new RoutesCache(tenant.database.db);
    await expect(cache.whole(tenant.id, UNKNOWN)).rejects.toMatchObject({ code: 'not_found' });
    await expect(cache.whole(tenant.id, UNKNOWN)).rejects.toMatchObject({ code: 'not_found' });
    expect(cache.bytes).toBe(0);
  });

  test('of another tenant are not found', async () => {
    const cache = new RoutesCache(tenant.database.db);
    const contentHash = await store(tableOf(300));
    await cache.whole(tenant.id, contentHash);
    const other = await tenant.database.createTenant();
    await expect(cache.whole(other, contentHash)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what changed', () => {
  test('is written once for all as well, and null where it is too much', async () => {
    const cache = new RoutesCache(tenant.database.db);
    const [before, after, other] = [tableOf(3_000), tableOf(3_001), tableOf(3_000, 50_000)];
    const [from, to, far] = [await store(before), await store(after), await store(other)];
    const [one, two] = await Promise.all([
      cache.delta(tenant.id, from, to),
      cache.delta(tenant.id, from, to),
    ]);
    expect(one!.bytes).toBe(two!.bytes);
    expect(one!.length).toBeLessThan(200);
    expect(await cache.delta(tenant.id, from, far)).toBeNull();
  });
});
