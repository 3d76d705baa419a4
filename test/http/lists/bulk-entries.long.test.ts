/** Many entries in one request, for every noun alike. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type Body, refused, startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Noun {
  readonly type: string;
  readonly path: string;
  /** The field that is unique in a module. */
  readonly key: string;
  /** An entry of its own for each number. */
  readonly make: (n: number) => Body;
  /** What no entry may have as its key, or beside it. */
  readonly wrong: Body;
  readonly wrongField: string;
}

const NOUNS: readonly Noun[] = [
  {
    type: 'CDN_SOURCES',
    path: 'cdn-sources',
    key: 'name',
    make: (n) => ({
      name: `source ${n}`,
      url: `https://lists.example/${n}`,
      headers: { 'X-Token': `t${n}` },
    }),
    wrong: { name: 'wrong', url: 'file:///etc/passwd' },
    wrongField: 'url',
  },
  {
    type: 'AS_PREFIXES',
    path: 'as-entries',
    key: 'asn',
    make: (n) => ({ asn: 1_000_000 + n, note: `number ${n}` }),
    wrong: { asn: 23456 },
    wrongField: 'asn',
  },
  {
    type: 'DOMAINS',
    path: 'domain-entries',
    key: 'domain',
    make: (n) => ({ domain: `host-${n}.example.com`, enabled: n % 2 === 0 }),
    wrong: { domain: '*.example.com' },
    wrongField: 'domain',
  },
  {
    type: 'IP_RANGES',
    path: 'ip-range-entries',
    key: 'cidr',
    make: (n) => ({ cidr: `12.${n >> 8}.${n & 255}.0/24` }),
    wrong: { cidr: '12.0.0.1/24' },
    wrongField: 'cidr',
  },
  {
    type: 'GEOFEED',
    path: 'geofeed-entries',
    key: 'name',
    make: (n) => ({ name: `feed ${n}`, url: `https://feeds.example/${n}`, countries: ['DE', 'FR'] }),
    wrong: { name: 'wrong', url: 'file:///etc/passwd', countries: ['DE'] },
    wrongField: 'url',
  },
];

describe.each(NOUNS)('$path', ({ type, path, key, make, wrong, wrongField }) => {
  let list: string;
  beforeAll(async () => {
    const { id } = await service.make('/v1/modules', { name: path, type });
    list = `/v1/modules/${id}/${path}`;
  });
  const add = (items: readonly Body[]): Promise<Answered> => service.call('POST', list, { body: { items } });
  const keysOf = (items: unknown): unknown[] => (items as Body[]).map((item) => item[key]);

  test('ten thousand are made at once and answered in their order', async () => {
    const items = Array.from({ length: 10_000 }, (_, n) => make(n));
    const answer = await add(items);
    expect(answer.status, answer.text.slice(0, 500)).toBe(201);
    expect(keysOf(answer.body.items)).toEqual(keysOf(items));
    const page = await service.call('GET', `${list}?limit=500`);
    expect(keysOf(page.body.items)).toEqual(keysOf(items.slice(0, 500)));
  });

  test('a fault, a repeat and an unknown community are located, and nothing is made', async () => {
    const items = Array.from({ length: 30 }, (_, n) => make(20_000 + n));
    items[17] = wrong;
    items[20] = items[2]!;
    items[21] = { ...items[21], community_id: '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77' };
    expect(refused(await add(items))).toEqual({
      status: 422,
      code: 'validation_failed',
      at: [`/items/17/${wrongField}`, `/items/20/${key}`, '/items/21/community_id'],
    });
    const good = await service.call('POST', list, { body: { items: items.slice(0, 17) } });
    expect(good.status).toBe(201);
  });

  test('those that are there already are reported, and nothing is made', async () => {
    const items = [make(30_000), make(5), make(30_001), make(9_999)];
    const answer = await add(items);
    expect(refused(answer)).toEqual({
      status: 409,
      code: 'conflict',
      at: [`/items/1/${key}`, `/items/3/${key}`],
    });
    expect(answer.body.detail).toContain('(and 1 more, see errors)');
    expect((await add([items[0]!, items[2]!])).status).toBe(201);
  });

  test('the faults of its shape are located too; none and too many are refused', async () => {
    expect(refused(await add([make(40_000), { ...make(40_001), nmae: 1 }])).at).toEqual(['/items/1/nmae']);
    expect(refused(await add([])).at).toEqual(['/items']);
    expect(refused(await add(Array.from({ length: 10_001 }, (_, n) => make(n)))).at).toEqual(['/items']);
  });
});
