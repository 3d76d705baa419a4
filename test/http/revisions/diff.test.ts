import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RevisionChange, RevisionDiff } from '../../../src/api/revisions/diff.ts';
import { makeFixtures, makeRevision } from '../fixtures.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let communityId: string;

beforeAll(async () => {
  service = await startService();
  communityId = (await makeFixtures(service, service.tenant)).community!;
});
afterAll(() => service.close());

const revisionOf = (prefixes: readonly string[], label?: string) =>
  makeRevision(service, service.tenant, communityId, prefixes, label);

async function diff(a: string, b: string, query = ''): Promise<RevisionDiff> {
  const { status, text, body } = await service.call('GET', `/v1/revisions/${a}/diff/${b}${query}`);
  expect(status, text).toBe(200);
  return body as unknown as RevisionDiff;
}

const NOTHING = { announced: 0, withdrawn: 0, changed: 0 };

const reported = ({ items }: RevisionDiff) => items.map(({ prefix, change }) => `${change} ${prefix}`);

test('200: what is announced and withdrawn, by family and address, with its communities', async () => {
  const a = await revisionOf(['9.0.0.0/8', '8.8.8.0/24', '2001:4860::/32', '2400::/16']);
  const b = await revisionOf(['9.0.0.0/9', '8.8.8.0/24', '5.0.0.0/24', '2001:4860::/32', '2a00::/16']);
  const forth = await diff(a, b);
  expect(forth.summary).toMatchObject({ announced: 3, withdrawn: 2, changed: 0 });
  expect(reported(forth)).toEqual([
    'announced 5.0.0.0/24',
    'withdrawn 9.0.0.0/8',
    'announced 9.0.0.0/9',
    'withdrawn 2400::/16',
    'announced 2a00::/16',
  ]);
  const community = { community_id: communityId, community: '65000:100', title: 'Clouds' };
  expect(forth.items[0]).toMatchObject({ communities_before: [], communities_after: [community] });
  expect(forth.items[1]).toMatchObject({ communities_before: [community], communities_after: [] });
  const back = await diff(b, a);
  expect(back.summary).toMatchObject({ announced: 2, withdrawn: 3, changed: 0 });
});

test('200: a prefix with other communities has changed', async () => {
  const a = await revisionOf(['5.0.0.0/24', '6.0.0.0/24', '8.0.0.0/24']);
  const b = await revisionOf(['4.0.0.0/24', '6.0.0.0/24', '8.0.0.0/24'], '65000:200');
  const answer = await diff(a, b);
  expect(answer.summary).toMatchObject({ announced: 1, withdrawn: 1, changed: 2 });
  expect(reported(answer)).toEqual([
    'announced 4.0.0.0/24',
    'withdrawn 5.0.0.0/24',
    'changed 6.0.0.0/24',
    'changed 8.0.0.0/24',
  ]);
  expect(answer.items[2]!.communities_before.map(({ community }) => community)).toEqual(['65000:100']);
  expect(answer.items[2]!.communities_after.map(({ community }) => community)).toEqual(['65000:200']);
});

test('200: equal content differs in nothing', async () => {
  const a = await revisionOf(['6.0.0.0/24']);
  expect(await diff(a, await revisionOf(['6.0.0.0/24']))).toEqual({
    summary: {
      ...NOTHING,
      by_family: { ipv4: NOTHING, ipv6: NOTHING },
      by_community: [],
      by_module: [],
    },
    matching: NOTHING,
    items: [],
    next_cursor: null,
    has_more: false,
  });
});

test('pages together are the whole, and the summary stands on each', async () => {
  const a = await revisionOf(Array.from({ length: 40 }, (_, i) => `5.${i}.0.0/24`));
  const b = await revisionOf(Array.from({ length: 40 }, (_, i) => `5.${i + 25}.0.0/24`));
  const whole = await diff(a, b);
  expect(whole.items).toHaveLength(50);
  const items: RevisionChange[] = [];
  let cursor: string | null = null;
  do {
    const page: RevisionDiff = await diff(a, b, `?limit=7${cursor === null ? '' : `&cursor=${cursor}`}`);
    expect(page.summary).toEqual(whole.summary);
    expect(page.items.length).toBeLessThanOrEqual(7);
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(items).toEqual(whole.items);
});

test('400: a cursor is good for its two contents, in their order, and for nothing else', async () => {
  const a = await revisionOf(['5.0.0.0/24', '6.0.0.0/24']);
  const b = await revisionOf(['8.0.0.0/24']);
  const { next_cursor: cursor } = await diff(a, b, '?limit=1');
  const again = await revisionOf(['8.0.0.0/24']);
  expect(reported(await diff(a, again, `?limit=1&cursor=${cursor}`))).toEqual(['withdrawn 6.0.0.0/24']);
  const { status, body } = await service.call('GET', `/v1/revisions/${b}/diff/${a}?cursor=${cursor}`);
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_cursor' });
});
