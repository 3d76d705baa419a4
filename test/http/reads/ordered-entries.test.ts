/** Entries in the order of what is unique in their module, and the newest first, whatever they are filtered by. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type Body, type TestService } from '../service.ts';

/** As many as are frequent, so that a search goes through them in order. */
const MANY = 2_500;
const PAGE = 400;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The members of all entries, page by page. */
async function walk(path: string, query: string, member: string, limit = 2): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let next: string | null = ''; next !== null;) {
    const { status, body, text } = await service.call('GET', `${path}?limit=${limit}&${query}${next}`);
    expect(status, text).toBe(200);
    const { items, next_cursor: cursor } = body as { items: Body[]; next_cursor: string | null };
    seen.push(...items.map((item) => item[member]));
    next = cursor === null ? null : `&cursor=${cursor}`;
  }
  return seen;
}

async function makeModule(type: string): Promise<string> {
  const { id } = await service.make('/v1/modules', { name: `of ${type}`, type });
  return `/v1/modules/${id}`;
}

describe('ranges', () => {
  const RISING = ['9.9.0.0/16', '9.9.9.0/24', '11.0.0.0/8', '2a00:1::/32', '2a00:1:1::/48'];
  let path: string;
  beforeAll(async () => {
    path = `${await makeModule('IP_RANGES')}/ip-range-entries`;
    for (const cidr of ['11.0.0.0/8', '2a00:1:1::/48', '9.9.9.0/24', '2a00:1::/32', '9.9.0.0/16'])
      await service.make(path, {
        cidr,
        note: cidr.startsWith('9') ? 'nine' : null,
        enabled: !cidr.endsWith('/48'),
      });
  });

  test('come by address, IPv4 first, either way and in pages', async () => {
    expect(await walk(path, 'sort=name', 'cidr')).toEqual(RISING);
    expect(await walk(path, 'sort=-name', 'cidr')).toEqual(RISING.toReversed());
  });

  test('are filtered in any order', async () => {
    expect(await walk(path, 'sort=name&q=nine', 'cidr', 1)).toEqual(RISING.slice(0, 2));
    expect(await walk(path, 'sort=-name&enabled=true', 'cidr')).toEqual(RISING.slice(0, 4).toReversed());
    expect(await walk(path, 'sort=-name&contains=9.9.9.9', 'cidr', 1)).toEqual(['9.9.9.0/24', '9.9.0.0/16']);
    expect(await walk(path, 'sort=-created_at&q=nine', 'cidr', 1)).toEqual(['9.9.0.0/16', '9.9.9.0/24']);
    expect(await walk(path, 'sort=name&q=nothing', 'cidr')).toEqual([]);
  });

  test('an entry that goes while the list is read hides no other', async () => {
    const first = await service.call('GET', `${path}?sort=name&limit=2`);
    const { items, next_cursor: cursor } = first.body as { items: Body[]; next_cursor: string };
    await service.call('DELETE', `${path}/${String(items[1]!.id)}`);
    const second = await service.call('GET', `${path}?sort=name&limit=2&cursor=${cursor}`);
    expect((second.body.items as Body[])[0]!.cidr).toBe('11.0.0.0/8');
    await service.make(path, { cidr: '9.9.9.0/24', note: 'nine' });
  });

  test('a cursor belongs to its order', async () => {
    const { body } = await service.call('GET', `${path}?sort=name&limit=1`);
    const turned = await service.call('GET', `${path}?sort=-name&limit=1&cursor=${String(body.next_cursor)}`);
    expect(turned).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });
});

test('what many say is found in order as well', async () => {
  const path = `${await makeModule('AS_PREFIXES')}/as-entries`;
  // From the largest number down, so that the order of creation is another one.
  const asns = Array.from({ length: MANY }, (_, n) => MANY - n);
  await service.make(path, {
    items: asns.map((asn) => ({ asn, note: asn % 5 === 0 ? 'other' : 'customer' })),
  });
  const wanted = asns.toReversed().filter((asn) => asn % 5 !== 0);
  expect(wanted.length).toBeLessThan(MANY);
  expect(await walk(path, 'sort=name&q=custom', 'asn', PAGE)).toEqual(wanted);
  expect(await walk(path, 'sort=-created_at&q=AS', 'asn', PAGE)).toEqual(asns.toReversed());
  expect(await walk(path, 'sort=-name&q=other', 'asn', PAGE)).toEqual(asns.filter((asn) => asn % 5 === 0));
});

test.each([
  [
    'DOMAINS',
    'domain-entries',
    'domain',
    ['b.example', 'a.example', 'c.example'].map((domain) => ({ domain })),
  ],
  [
    ...(['CDN_SOURCES', 'cdn-sources', 'name'] as const),
    ['b', 'a', 'c'].map((name) => ({ name, url: `https://198.51.100.1/${name}` })),
  ],
  [
    ...(['GEOFEED', 'geofeed-entries', 'name'] as const),
    ['b', 'a', 'c'].map((name) => ({ name, url: `https://198.51.100.1/${name}`, countries: ['DE'] })),
  ],
])('%s come by name', async (type, list, member, items) => {
  const path = `${await makeModule(type)}/${list}`;
  await service.make(path, { items });
  const rising = items.map((item) => String((item as Record<string, unknown>)[member])).sort();
  expect(await walk(path, 'sort=name', member, 1)).toEqual(rising);
  expect(await walk(path, 'sort=-name&status=pending&status=failed', member, 1)).toEqual(rising.toReversed());
});
