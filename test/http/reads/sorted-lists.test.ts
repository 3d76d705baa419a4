import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFixtures, makeRevision, type Fixtures } from '../fixtures.ts';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let ids: Fixtures;
beforeAll(async () => {
  service = await startService();
  ids = await makeFixtures(service, service.tenant);
  for (let n = 0; n < 6; n++) {
    await makeRevision(service, service.tenant, ids.community!, [`9.1.${n}.0/24`]);
    await service.call('POST', '/v1/revisions/prune');
  }
});
afterAll(() => service.close());

async function page(path: string): Promise<{ items: Body[]; next_cursor: string | null }> {
  const { status, body, text } = await service.call('GET', path);
  expect(status, text).toBe(200);
  return body as { items: Body[]; next_cursor: string | null };
}

/** Every item, page by page; something is added before each page but the first. */
async function walk(path: string, add: () => Promise<unknown>): Promise<Body[]> {
  const seen: Body[] = [];
  let next: string | null = '';
  for (let pages = 0; next !== null; pages++) {
    if (pages > 0) await add();
    const { items, next_cursor: cursor } = await page(`${path}&limit=2${next}`);
    seen.push(...items);
    next = cursor === null || pages > 20 ? null : `&cursor=${cursor}`;
  }
  return seen;
}

const numbers = (items: readonly Body[]): number[] => items.map(({ number }) => Number(number));
let added = 0;
const addRevision = () => makeRevision(service, service.tenant, ids.community!, [`9.2.${added++}.0/24`]);

describe('revisions', () => {
  test('come newest first, and what is added behind the reader is on no page', async () => {
    const before = numbers((await page('/v1/revisions')).items);
    expect(before.length).toBeGreaterThan(5);
    expect(before).toEqual(before.toSorted((a, b) => b - a));
    expect(numbers(await walk('/v1/revisions?', addRevision))).toEqual(before);
  });

  test.each(['number', 'created_at'])('come in the order of %s, either way', async (field) => {
    const rising = numbers((await page(`/v1/revisions?sort=${field}&limit=500`)).items);
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    const falling = numbers(await walk(`/v1/revisions?sort=-${field}`, addRevision));
    expect(falling).toEqual(rising.toReversed());
  });

  test('what is added before the reader is on a later page', async () => {
    let more = 3;
    const add = () => (more-- > 0 ? addRevision() : Promise.resolve());
    const walked = numbers(await walk('/v1/revisions?sort=number', add));
    expect(walked).toEqual(numbers((await page('/v1/revisions?sort=number&limit=500')).items));
  });
});

describe('jobs', () => {
  test('come newest first, in pages and by any order that they know', async () => {
    const queued = (items: readonly Body[]) => items.map(({ id }) => String(id));
    const newest = queued((await page('/v1/jobs?limit=500')).items);
    expect(newest).toEqual(newest.toSorted().toReversed());
    const add = () => service.call('POST', '/v1/revisions');
    expect(queued(await walk('/v1/jobs?', add))).toEqual(newest);
    const oldest = queued((await page('/v1/jobs?sort=queued_at&limit=500')).items);
    expect(oldest.slice(0, newest.length)).toEqual(newest.toReversed());
    expect(queued(await walk('/v1/jobs?sort=-queued_at&type=revision_prune', add))).toHaveLength(6);
  });

  test('a cursor belongs to its order, and another order is refused with those that there are', async () => {
    const { next_cursor: cursor } = await page('/v1/jobs?limit=1');
    expect((await service.call('GET', `/v1/jobs?limit=1&sort=-created_at&cursor=${cursor}`)).status).toBe(
      200,
    );
    const turned = await service.call('GET', `/v1/jobs?limit=1&sort=created_at&cursor=${cursor}`);
    expect(turned).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    const { status, body } = await service.call('GET', '/v1/jobs?sort=number');
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
    expect(body.detail).toContain('-created_at');
  });
});

test.each(['/v1/revisions?limit=1', '/v1/jobs?limit=1', '/v1/audit?limit=1'])(
  'a place that no page of %s ended at is refused',
  async (path) => {
    const { next_cursor: cursor } = await page(path);
    for (const octet of [0x7f, 0xff]) {
      const bytes = Buffer.from(cursor!, 'base64url');
      // Behind the eight bytes of what it is good for: the latest, and one before all times.
      bytes.fill(octet, 8, 16);
      const forged = await service.call('GET', `${path}&cursor=${bytes.toString('base64url')}`);
      expect(forged).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    }
  },
);
