/** PATCH and DELETE on the collections of entries, for every kind alike. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import { encodeTable } from '../../../src/core/stored/table-codec.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import { storeTable } from '../../../src/store/contents/contents.ts';
import { saveSnapshot } from '../../../src/store/modules/snapshots.ts';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Kind {
  readonly type: string;
  readonly path: string;
  readonly make: (n: number) => Body;
}

const KINDS: readonly Kind[] = [
  {
    type: 'CDN_SOURCES',
    path: 'cdn-sources',
    make: (n) => ({ name: `old ${n}`, url: `https://lists.example/${n}` }),
  },
  { type: 'AS_PREFIXES', path: 'as-entries', make: (n) => ({ asn: 1_000_000 + n, note: `old ${n}` }) },
  { type: 'DOMAINS', path: 'domain-entries', make: (n) => ({ domain: `old-${n}.example.com` }) },
  {
    type: 'IP_RANGES',
    path: 'ip-range-entries',
    make: (n) => ({ cidr: `12.${n >> 8}.${n & 255}.0/24`, note: 'old' }),
  },
  {
    type: 'GEOFEED',
    path: 'geofeed-entries',
    make: (n) => ({ name: `old ${n}`, url: `https://geo.example/${n}`, countries: ['DE'] }),
  },
];

let names = 0;

async function moduleOf(
  { type, path, make }: Kind,
  count: number,
): Promise<{ id: string; list: string; ids: string[] }> {
  const { id } = await service.make('/v1/modules', { name: `module ${++names}`, type });
  const list = `/v1/modules/${id}/${path}`;
  const items = Array.from({ length: count }, (_, n) => make(n));
  const { body } = await service.call('POST', list, { body: { items } });
  return { id, list, ids: (body.items as { id: string }[]).map((entry) => entry.id) };
}

async function rowsOf(list: string, query = ''): Promise<Body[]> {
  return (await service.call('GET', `${list}?limit=500${query}`)).body.items as Body[];
}

function refused({ status, body }: Answered): { status: number; pointers: string[] } {
  return { status, pointers: (body.errors as { pointer: string }[]).map(({ pointer }) => pointer) };
}

describe.each(KINDS)('$path', (kind) => {
  test('those that are named change together, and others stay', async () => {
    const { list, ids } = await moduleOf(kind, 3);
    const { status, body } = await service.call('PATCH', list, {
      body: { ids: [ids[2]!.toUpperCase(), ids[0]], patch: { enabled: false } },
    });
    expect(status).toBe(200);
    expect((body.items as Body[]).map(({ id, enabled }) => ({ id, enabled }))).toEqual([
      { id: ids[0], enabled: false },
      { id: ids[2], enabled: false },
    ]);
    expect((await rowsOf(list)).map(({ enabled }) => enabled)).toEqual([false, true, false]);
  });

  test('those that a filter finds are deleted together', async () => {
    const { list, ids } = await moduleOf(kind, 3);
    await service.call('PATCH', `${list}/${ids[1]}`, { body: { enabled: false } });
    const { body } = await service.call('DELETE', list, { body: { filter: { enabled: true, q: 'OLD' } } });
    expect(body).toEqual({ deleted: 2, ids: [ids[0], ids[2]], batch: expect.any(String) as string });
    expect((await rowsOf(list)).map(({ id }) => id)).toEqual([ids[1]]);
  });

  test('all or nothing: one id that is not there refuses the whole', async () => {
    const { list, ids } = await moduleOf(kind, 2);
    const stranger = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';
    const body = { ids: [ids[0], stranger] };
    expect(refused(await service.call('DELETE', list, { body }))).toEqual({
      status: 422,
      pointers: ['/ids/1'],
    });
    const patch = { ...body, patch: { enabled: false } };
    expect(refused(await service.call('PATCH', list, { body: patch })).pointers).toEqual(['/ids/1']);
    const unknown = { ids, patch: { community_id: stranger } };
    expect(refused(await service.call('PATCH', list, { body: unknown })).pointers).toEqual([
      '/patch/community_id',
    ]);
    expect((await rowsOf(list)).map(({ enabled }) => enabled)).toEqual([true, true]);
  });

  test('a dry run reports what would be changed, and changes nothing', async () => {
    const { list, ids } = await moduleOf(kind, 2);
    const { body } = await service.call('DELETE', `${list}?dry_run=true`, {
      body: { filter: { enabled: true } },
    });
    expect(body).toMatchObject({ dry_run: true, status: 200, body: { deleted: 2, ids } });
    const patched = await service.call('PATCH', `${list}?dry_run=true`, {
      body: { ids, patch: { enabled: false } },
    });
    expect(patched.body).toMatchObject({
      dry_run: true,
      body: { items: [{ enabled: false }, { enabled: false }] },
    });
    expect((await rowsOf(list)).map(({ enabled }) => enabled)).toEqual([true, true]);
  });
});

test('ten thousand change at once, and one more does not', async () => {
  const { list, ids } = await moduleOf(KINDS[1]!, 10_000);
  const { status, body } = await service.call('PATCH', list, { body: { ids, patch: { note: 'all' } } });
  expect(status).toBe(200);
  expect(new Set((body.items as Body[]).map(({ note }) => note))).toEqual(new Set(['all']));
  await service.call('POST', list, { body: { asn: 65_000 } });
  const all = { filter: { enabled: true } };
  expect(refused(await service.call('DELETE', list, { body: all }))).toEqual({
    status: 422,
    pointers: ['/filter'],
  });
  const named = [...ids, '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77'];
  expect(refused(await service.call('DELETE', list, { body: { ids: named } })).pointers).toEqual(['/ids']);
  const { body: tried } = await service.call('DELETE', `${list}?dry_run=true`, { body: { ids } });
  expect(tried).toMatchObject({ dry_run: true, status: 200, body: { deleted: 10_000 } });
  expect((await service.call('DELETE', list, { body: { ids } })).body).toMatchObject({ deleted: 10_000 });
});

test('neither, both, an empty filter and If-Match are refused', async () => {
  const { list, ids } = await moduleOf(KINDS[3]!, 1);
  for (const body of [{}, { ids, filter: { enabled: true } }, { filter: {} }, { ids: [] }])
    expect((await service.call('DELETE', list, { body })).status).toBe(422);
  const { status } = await service.call('DELETE', list, {
    body: { ids },
    headers: { 'if-match': '"1-AAAAAAAAAAAAAAAA"' },
  });
  expect(status).toBe(412);
  expect(await rowsOf(list)).toHaveLength(1);
});

test('one record of the audit log reports which were meant, and how many', async () => {
  const { id, list, ids } = await moduleOf(KINDS[3]!, 2);
  await service.call('PATCH', list, { body: { filter: { q: 'old' }, patch: { enabled: false } } });
  await service.call('DELETE', list, { body: { ids } });
  const { body } = await service.call('GET', '/v1/audit?resource_type=ip_range_entry&limit=2');
  expect(body.items).toMatchObject([
    { action: 'ip_range_entry.delete', changes: { after: { module_id: id, deleted: 2, ids } } },
    {
      action: 'ip_range_entry.change',
      changes: { after: { changed: 2, filter: { q: 'old' }, patch: { enabled: false } } },
    },
  ]);
});

describe('entries are found by an address that they contain', () => {
  test('ranges by themselves', async () => {
    const { list } = await moduleOf(KINDS[3]!, 3);
    await service.call('POST', list, { body: { cidr: '12.0.0.0/16' } });
    const cidrs = async (text: string) => (await rowsOf(list, `&contains=${text}`)).map(({ cidr }) => cidr);
    expect(await cidrs('12.0.1.7')).toEqual(['12.0.1.0/24', '12.0.0.0/16']);
    expect(await cidrs('12.0.0.0/20')).toEqual(['12.0.0.0/16']);
    expect(await cidrs('2001:db8::1')).toEqual([]);
    const { status, body } = await service.call('GET', `${list}?contains=nonsense`);
    expect({ status, errors: body.errors }).toMatchObject({
      status: 422,
      errors: [{ pointer: '?contains' }],
    });
  });

  test('others by what was collected from them, and a filter of many finds them alike', async () => {
    const { id, list, ids } = await moduleOf(KINDS[1]!, 3);
    const table = new PrefixTableBuilder();
    for (const [text, entry] of [
      ['8.8.8.0/24', ids[0]!],
      ['8.8.0.0/16', ids[1]!],
      ['9.9.9.0/24', ids[2]!],
    ] as const) {
      const parsed = parsePrefix(text);
      if (parsed.ok) table.add(parsed.value.family, parsed.value.words, parsed.value.length, entry);
    }
    await service.database.db.inTenant(service.tenant.id, async (tx) => {
      const hash = await storeTable(tx, encodeTable(table.build()), { ipv4: 3, ipv6: 0 });
      await saveSnapshot(tx, id, hash);
    });
    const found = async (text: string) => (await rowsOf(list, `&contains=${text}`)).map((entry) => entry.id);
    expect(await found('8.8.8.8')).toEqual([ids[0], ids[1]]);
    expect(await found('8.8.8.0/23')).toEqual([ids[1]]);
    const gone = await service.call('DELETE', list, { body: { filter: { contains: '9.9.9.9' } } });
    expect(gone.body).toEqual({ deleted: 1, ids: [ids[2]], batch: expect.any(String) as string });
  });
});
