import { expect, test } from 'vitest';
import { TableCache } from '../../../src/control/tables/table-cache.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import { useTenant } from '../../tenant.ts';

const tenant = useTenant();

/** Stores a table of `size` prefixes below the first octet; answers its hash. */
async function store(octet: number, size: number): Promise<string> {
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < size; i++) {
    const prefix = parsePrefix(`${octet}.${i >> 8}.${i & 255}.0/24`);
    if (prefix.ok) builder.add('ipv4', prefix.value.words, 24, 'a');
  }
  const table = encodeTable(builder.build());
  return tenant.run((tx) => storeTable(tx, table, { ipv4: size, ipv6: 0 }));
}

const load = (cache: TableCache, hash: string, tenantId = tenant.id) =>
  tenant.database.db.inTenant(tenantId, (tx) => cache.load(tx, hash));

test('a table is decoded once, also when several ask at the same time', async () => {
  const cache = new TableCache(1_000_000);
  const hash = await store(5, 300);
  const [first, ...others] = await Promise.all([1, 2, 3, 4].map(() => load(cache, hash)));
  expect(first!.ipv4.size).toBe(300);
  for (const other of others) expect(other).toBe(first);
  expect(await load(cache, hash)).toBe(first);
});

test('the least recently used leaves first, and the bytes stay below the capacity', async () => {
  const hashes = await Promise.all([5, 6, 7].map((octet) => store(octet, 500)));
  const [a, b, c] = hashes as [string, string, string];
  const sized = new TableCache(1_000_000);
  await load(sized, a);
  const cache = new TableCache(sized.bytes * 2);
  const first = await load(cache, a);
  const second = await load(cache, b);
  expect(await load(cache, a)).toBe(first);
  await load(cache, c);
  expect(cache.bytes).toBeLessThanOrEqual(sized.bytes * 2);
  expect(await load(cache, a)).toBe(first);
  expect(await load(cache, b)).not.toBe(second);
});

test('a table larger than the capacity is kept alone', async () => {
  const cache = new TableCache(100);
  const large = await store(8, 500);
  const table = await load(cache, large);
  expect(await load(cache, large)).toBe(table);
  await load(cache, await store(9, 500));
  expect(await load(cache, large)).not.toBe(table);
});

test('one tenant never gets what another has stored', async () => {
  const cache = new TableCache(1_000_000);
  const hash = await store(5, 10);
  await load(cache, hash);
  const other = await tenant.database.createTenant();
  await expect(load(cache, hash, other)).rejects.toMatchObject({ code: 'not_found' });
});

test('who waited for a load that fails tries again in its own transaction', async () => {
  const cache = new TableCache(1_000_000);
  const hash = await store(10, 10);
  await tenant.run(async (tx) => {
    const broken = {
      ...tx,
      get sql(): never {
        throw new Error('broken');
      },
    };
    const failing = cache.load(broken, hash);
    const waiting = cache.load(tx, hash);
    await expect(failing).rejects.toThrow('broken');
    expect((await waiting).ipv4.size).toBe(10);
  });
});
