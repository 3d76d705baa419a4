/** Merge patches (RFC 7396, RFC 5789) and links of pages (RFC 8288). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import { startService, type TestService } from '../service.ts';

const MERGE_PATCH = 'application/merge-patch+json';
const POLICY = { strategy: 'union', retain_seconds: 600, max_addresses: 20 };

let service: TestService;
let path: string;
beforeAll(async () => {
  service = await startService();
  const { id } = await service.make('/v1/modules', {
    ...{ name: 'names', type: 'DOMAINS', description: 'before', doh_resolver_policy: POLICY },
  });
  path = `/v1/modules/${id}`;
});
afterAll(() => service.close());

function patch(body: unknown, type = MERGE_PATCH, at = path) {
  return service.call('PATCH', at, { body, headers: { 'content-type': type } });
}

test('members are replaced, null removes, and objects are merged', async () => {
  const replaced = await patch({ name: 'new', description: null });
  expect(replaced.body).toMatchObject({ name: 'new', description: null, doh_resolver_policy: POLICY });
  const merged = await patch({ doh_resolver_policy: { max_addresses: 30 } }, `${MERGE_PATCH}; charset=utf-8`);
  expect(merged.status, merged.text).toBe(200);
  expect(merged.body.doh_resolver_policy).toMatchObject({ ...POLICY, max_addresses: 30 });
  const read = await service.call('GET', path);
  expect(read.body).toEqual(merged.body);
});

test('headers, which nobody can read, are merged by name', async () => {
  const module = await service.make('/v1/modules', { name: 'lists', type: 'CDN_SOURCES' });
  const { id } = await service.make(`/v1/modules/${module.id}/cdn-sources`, {
    ...{ name: 's', url: 'https://example.net/', headers: { 'X-One': '1', 'X-Two': '2' } },
  });
  const source = `/v1/modules/${module.id}/cdn-sources/${id}`;
  const { body } = await patch({ headers: { 'X-One': null, 'X-Three': '3' } }, MERGE_PATCH, source);
  expect(Object.keys(body.headers as object).sort()).toEqual(['X-Three', 'X-Two']);
});

test('JSON replaces an object as a whole, as before', async () => {
  const before = (await service.call('GET', path)).body.doh_resolver_policy as object;
  const { body } = await patch({ doh_resolver_policy: { strategy: 'union' } }, 'application/json');
  expect(body.doh_resolver_policy).not.toMatchObject(before);
});

test('a merge patch is checked, recorded and tried as any other change', async () => {
  const wrong = await patch({ doh_resolver_policy: { quorum: 'two' } });
  expect(wrong.body.errors).toMatchObject([{ pointer: '/doh_resolver_policy/quorum' }]);
  const tried = await patch(
    { doh_resolver_policy: { max_addresses: 7 } },
    MERGE_PATCH,
    `${path}?dry_run=true`,
  );
  expect(tried.text).toContain('"max_addresses":7');
  expect((await service.call('GET', path)).body.doh_resolver_policy).not.toMatchObject({ max_addresses: 7 });
  await patch({ doh_resolver_policy: { max_addresses: 8 } });
  const { items } = (await service.call('GET', '/v1/audit?action=module.change&limit=1')).body as {
    items: { changes: { after: object } }[];
  };
  expect(items[0]!.changes.after).toMatchObject({ doh_resolver_policy: { max_addresses: 8 } });
});

test('415 and OPTIONS name what a PATCH takes; what changes many at once is no patch', async () => {
  const types = `application/json, ${MERGE_PATCH}`;
  const refused = await patch('<name/>', 'application/xml');
  expect([refused.status, refused.headers.get('accept-patch')]).toEqual([415, types]);
  const asked = await service.call('OPTIONS', path);
  expect(asked.headers.get('accept-patch')).toBe(types);
  const many = `${path}/domain-entries`;
  const ofMany = await patch({ filter: { enabled: true }, patch: { enabled: false } }, MERGE_PATCH, many);
  expect([ofMany.status, ofMany.headers.get('accept-patch')]).toEqual([415, 'application/json']);
  const posted = await service.call('POST', '/v1/modules', {
    ...{ body: { name: 'x', type: 'DOMAINS' }, headers: { 'content-type': MERGE_PATCH } },
  });
  expect([posted.status, posted.headers.get('accept-patch')]).toEqual([415, null]);
});

test('every PATCH of a resource can read what it merges with', () => {
  for (const route of ROUTES)
    if (route.method === 'PATCH' && route.isOfList !== true)
      expect(typeof route.read, route.path).toBe('function');
});

test('pages link to the next and the first one, with the filters that were given', async () => {
  for (let n = 0; n < 3; n++)
    await service.make('/v1/communities', { community: `65000:${n}`, title: `a & ${n}` });
  const first = await service.call('GET', '/v1/communities?q=a%20%26&limit=2');
  const next = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1];
  const second = await service.call('GET', next!);
  expect(second.body).toMatchObject({ has_more: false, items: [{ title: 'a & 2' }] });
  expect(second.headers.get('link')).toBe('</v1/communities?q=a+%26&limit=2>; rel="first"');
  expect((await service.call('GET', '/v1/communities')).headers.get('link')).toBeNull();
});
