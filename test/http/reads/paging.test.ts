import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let ranges: string;
beforeAll(async () => {
  service = await startService();
  const module = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  ranges = `/v1/modules/${module.id}/ip-range-entries`;
});
afterAll(() => service.close());

async function add(...cidrs: string[]): Promise<void> {
  await service.make(ranges, { items: cidrs.map((cidr) => ({ cidr })) });
}

async function page(query: string): Promise<{ cidrs: string[]; cursor: string | null; more: boolean }> {
  const { status, body } = await service.call('GET', `${ranges}?${query}`);
  expect(status).toBe(200);
  const items = body.items as Body[];
  return {
    cidrs: items.map(({ cidr }) => String(cidr)),
    cursor: body.next_cursor as string | null,
    more: body.has_more as boolean,
  };
}

test('pages hold each item once, while others are inserted and deleted', async () => {
  const before = Array.from({ length: 25 }, (_, index) => `5.1.${index}.0/24`);
  await add(...before);
  const seen: string[] = [];
  let cursor: string | null = null;
  let round = 0;
  do {
    const got = await page(`limit=4${cursor === null ? '' : `&cursor=${cursor}`}`);
    expect(got.cidrs.length).toBeLessThanOrEqual(4);
    expect(got.more).toBe(got.cursor !== null);
    seen.push(...got.cidrs);
    cursor = got.cursor;
    if (round++ < 5) await add(`5.2.${round}.0/24`);
    if (round === 2) {
      const { body } = await service.call('GET', `${ranges}?q=5.1.0.0`);
      const [first] = body.items as Body[];
      expect((await service.call('DELETE', `${ranges}/${String(first!.id)}`)).status).toBe(204);
    }
  } while (cursor !== null);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toEqual(expect.arrayContaining(before));
});

test('the last page has no cursor, even when it is full', async () => {
  const module = await service.make('/v1/modules', { name: 'few', type: 'IP_RANGES' });
  const path = `/v1/modules/${module.id}/ip-range-entries`;
  await service.make(path, { items: [{ cidr: '5.3.0.0/24' }, { cidr: '5.3.1.0/24' }] });
  const { body } = await service.call('GET', `${path}?limit=2`);
  expect(body).toMatchObject({ next_cursor: null, has_more: false });
});

test('a cursor belongs to its list and filters', async () => {
  const { cursor } = await page('limit=1');
  const { status, body } = await service.call('GET', `/v1/communities?cursor=${cursor!}`);
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_cursor' });
  expect((await service.call('GET', `${ranges}?limit=1&enabled=false&cursor=${cursor!}`)).status).toBe(400);
});

test('the text search takes its characters literally', async () => {
  await service.make('/v1/communities', { community: '65000:7', title: '100% of_it' });
  await service.make('/v1/communities', { community: '65000:8', title: '100 percent' });
  const titles = async (q: string) => {
    const { body } = await service.call('GET', `/v1/communities?q=${encodeURIComponent(q)}`);
    return (body.items as Body[]).map(({ title }) => title);
  };
  expect(await titles('100%')).toEqual(['100% of_it']);
  expect(await titles('OF_')).toEqual(['100% of_it']);
  expect(await titles('\\')).toEqual([]);
});
