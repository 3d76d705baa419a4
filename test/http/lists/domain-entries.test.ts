/** Domain entries, by status. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Body, refused, startService, type TestService } from '../service.ts';

let service: TestService;
let path: string;
let ranges: string;
beforeAll(async () => {
  service = await startService();
  const { id } = await service.make('/v1/modules', { name: 'names', type: 'DOMAINS' });
  path = `/v1/modules/${id}/domain-entries`;
  ranges = (await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' })).id;
});
afterAll(() => service.close());

test('201, 200, 204: created with defaults, changed, deleted', async () => {
  const made = await service.make(path, { domain: 'www.example.com' });
  expect(made).toMatchObject({
    ...{ domain: 'www.example.com', note: null, enabled: true, community_id: null },
    ...{ status: 'pending', last_error: null, last_refreshed_at: null, addresses: [] },
    prefix_count: { ipv4: 0, ipv6: 0 },
  });
  const changed = await service.call('PATCH', `${path}/${made.id}`, { body: { note: 'x', enabled: false } });
  expect(changed.body).toMatchObject({ domain: 'www.example.com', note: 'x', enabled: false });
  expect((await service.call('DELETE', `${path}/${made.id}`)).status).toBe(204);
  expect((await service.call('GET', `${path}/${made.id}`)).status).toBe(404);
});

test.each([
  ['WWW.Example.ORG.', 'www.example.org'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example.net', 'xn--bcher-kva.example.net'],
  ['例え.テスト', 'xn--r8jz45g.xn--zckzah'],
  ['_dmarc.example.com', '_dmarc.example.com'],
])('201: %s is %s', async (domain, canonical) => {
  expect(await service.make(path, { domain })).toMatchObject({ domain: canonical });
});

test.each(['', '*.example.com', 'https://example.com/', 'example', '192.0.2.1', 'a..example', 'a b.example'])(
  '422: %j',
  async (domain) => {
    const answer = await service.call('POST', path, { body: { domain } });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/domain'] });
  },
);

test('422: the name of an entry cannot be changed', async () => {
  const { id } = await service.make(path, { domain: 'fixed.example' });
  const answer = await service.call('PATCH', `${path}/${id}`, { body: { domain: 'other.example' } });
  expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/domain'] });
});

test('201: many at once, in order; one that is wrong, repeated or known keeps all out', async () => {
  const post = (...domains: string[]) =>
    service.call('POST', path, { body: { items: domains.map((domain) => ({ domain })) } });
  const many = await post('one.example', 'two.example');
  expect((many.body.items as Body[]).map(({ domain }) => domain)).toEqual(['one.example', 'two.example']);
  expect(refused(await post('three.example', 'no'))).toMatchObject({ status: 422, at: ['/items/1/domain'] });
  expect(refused(await post('three.example', 'THREE.example.'))).toMatchObject({
    ...{ status: 422, at: ['/items/1/domain'] },
  });
  expect(refused(await post('three.example', 'Two.example'))).toMatchObject({
    ...{ status: 409, code: 'conflict', at: ['/items/1/domain'] },
  });
  expect((await service.call('GET', `${path}?q=three`)).body.items).toEqual([]);
});

test('201: 10,000 at once, counted by the module', async () => {
  const { id } = await service.make('/v1/modules', { name: 'many', type: 'DOMAINS' });
  const items = Array.from({ length: 10_000 }, (_, index) => ({ domain: `n${index}.example` }));
  const answer = await service.call('POST', `/v1/modules/${id}/domain-entries`, { body: { items } });
  expect(answer.status).toBe(201);
  expect((answer.body.items as Body[]).map(({ domain }) => domain)).toEqual(
    items.map(({ domain }) => domain),
  );
  expect((await service.call('GET', `/v1/modules/${id}`)).body.entry_count).toBe(10_000);
});

test('200: lists by text, enabled and status', async () => {
  await service.make(path, { domain: 'needle.example', note: 'Thread' });
  await service.make(path, { domain: 'needles.example', enabled: false });
  const domains = async (query: string) =>
    ((await service.call('GET', `${path}?${query}`)).body.items as Body[]).map(({ domain }) => domain);
  expect(await domains('q=NEEDLE')).toEqual(['needle.example', 'needles.example']);
  expect(await domains('q=needle&enabled=true&status=pending')).toEqual(['needle.example']);
  expect(await domains('q=thread')).toEqual(['needle.example']);
  expect(await domains('q=needle&status=ok')).toEqual([]);
});

test('409: in a module of another type; 404: below another module', async () => {
  const wrong = `/v1/modules/${ranges}/domain-entries`;
  const answer = await service.call('POST', wrong, { body: { domain: 'a.example' } });
  expect(refused(answer)).toMatchObject({ status: 409, code: 'conflict' });
  const { id } = await service.make(path, { domain: 'here.example' });
  expect((await service.call('GET', `${wrong}/${id}`)).status).toBe(404);
});

test('409 in_use: a community that a domain carries', async () => {
  const community = await service.make('/v1/communities', { community: '64500:7', title: 'x' });
  await service.make(path, { domain: 'carries.example', community_id: community.id });
  const answer = await service.call('DELETE', `/v1/communities/${community.id}`);
  expect(refused(answer)).toMatchObject({ status: 409, code: 'in_use' });
  expect(answer.body.detail).toContain('the domain carries.example');
});

test('200: the catalog and the layer of entries know them, in every way to write the name', async () => {
  const { id } = await service.make(path, { domain: 'straße.example' });
  const catalog = await service.call('GET', '/v1/router-lists/catalog');
  expect(catalog.body.domain_entries).toContainEqual(
    expect.objectContaining({ id, domain: 'xn--strae-oqa.example', enabled: true }),
  );
  for (const q of ['straße.example', 'STRASSE.example', 'XN--STRAE-OQA.example.']) {
    const { body } = await service.call('GET', `/v1/lookup?q=${encodeURIComponent(q)}`);
    const matches = body.matches as Body[];
    if (q.startsWith('STRASSE')) expect(matches).toEqual([]);
    else
      expect(matches).toEqual([
        expect.objectContaining({
          ...{ layer: 'entry', domain: 'xn--strae-oqa.example', source: 'domain', community: null },
          entry: { id, type: 'domain_entry', value: 'xn--strae-oqa.example', expires_at: null },
        }),
      ]);
  }
});
