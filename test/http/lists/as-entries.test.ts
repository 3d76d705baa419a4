/** AS entries, by status. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Body, NOBODY, refused, startService, type TestService } from '../service.ts';

let service: TestService;
let path: string;
let ranges: string;
beforeAll(async () => {
  service = await startService();
  const { id } = await service.make('/v1/modules', { name: 'networks', type: 'AS_PREFIXES' });
  path = `/v1/modules/${id}/as-entries`;
  ranges = (await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' })).id;
});
afterAll(() => service.close());

test('201, 200, 204: created with defaults, changed, deleted', async () => {
  const made = await service.make(path, { asn: 3333 });
  expect(made).toMatchObject({
    asn: 3333,
    note: null,
    enabled: true,
    community_id: null,
    status: 'pending',
    last_error: null,
    last_refreshed_at: null,
    prefix_count: { ipv4: 0, ipv6: 0 },
  });
  const changed = await service.call('PATCH', `${path}/${made.id}`, {
    body: { note: 'RIPE', enabled: false },
  });
  expect(changed.body).toMatchObject({ asn: 3333, note: 'RIPE', enabled: false });
  expect((await service.call('DELETE', `${path}/${made.id}`)).status).toBe(204);
  expect((await service.call('GET', `${path}/${made.id}`)).status).toBe(404);
});

test.each([
  ['AS13335', 13335],
  ['as1', 1],
  ['15169', 15169],
  [4294967294, 4294967294],
  [64496, 64496],
  ['AS4200000000', 4200000000],
])('201: %s is AS%s', async (given, asn) => {
  expect(await service.make(path, { asn: given })).toMatchObject({ asn });
});

test.each([
  [0, 'no AS'],
  [23456, 'AS_TRANS'],
  [65535, 'RFC 7300'],
  [4294967295, 'RFC 7300'],
  [4294967296, 'AS number'],
  [-1, 'AS number'],
  ['1.10', '65546'],
  ['AS', 'AS number'],
  ['AS-RIPENCC', 'AS number'],
  [1.5, 'asn'],
  [null, 'asn'],
])('422: %s', async (asn, words) => {
  const answer = await service.call('POST', path, { body: { asn } });
  expect(refused(answer)).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(new Set(refused(answer).at)).toEqual(new Set(['/asn']));
  expect(answer.text).toContain(words);
});

test('422: the AS of an entry cannot be changed', async () => {
  const { id } = await service.make(path, { asn: 500 });
  const answer = await service.call('PATCH', `${path}/${id}`, { body: { asn: 501 } });
  expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/asn'] });
});

test('201: many at once, in order; one that is wrong, repeated or known keeps all out', async () => {
  const items = [{ asn: 'AS701' }, { asn: 702, note: 'second' }];
  const many = await service.call('POST', path, { body: { items } });
  expect((many.body.items as Body[]).map(({ asn }) => asn)).toEqual([701, 702]);
  const refusal = async (...asns: unknown[]) => {
    const answer = await service.call('POST', path, { body: { items: asns.map((asn) => ({ asn })) } });
    return refused(answer);
  };
  expect(await refusal(703, 0)).toEqual({ status: 422, code: 'validation_failed', at: ['/items/1/asn'] });
  expect(await refusal(703, 'AS703')).toEqual({
    status: 422,
    code: 'validation_failed',
    at: ['/items/1/asn'],
  });
  expect(await refusal(703, 702)).toEqual({ status: 409, code: 'conflict', at: ['/items/1/asn'] });
  const unknown = await service.call('POST', path, { body: { asn: 703, community_id: NOBODY } });
  expect(refused(unknown)).toEqual({ status: 422, code: 'validation_failed', at: ['/community_id'] });
  expect((await service.call('GET', `${path}?q=AS703`)).body.items).toEqual([]);
});

test('201: 10,000 at once', async () => {
  const items = Array.from({ length: 10_000 }, (_, index) => ({ asn: 200_000 + index }));
  const answer = await service.call('POST', path, { body: { items } });
  expect(answer.status).toBe(201);
  expect((answer.body.items as Body[]).map(({ asn }) => asn)).toEqual(items.map(({ asn }) => asn));
});

test('200: lists by text, enabled and status', async () => {
  await service.make(path, { asn: 8881, note: 'Needle' });
  await service.make(path, { asn: 8882, enabled: false });
  const asns = async (query: string) =>
    ((await service.call('GET', `${path}?${query}`)).body.items as Body[]).map(({ asn }) => asn);
  expect(await asns('q=needle')).toEqual([8881]);
  expect(await asns('q=as888')).toEqual([8881, 8882]);
  expect(await asns('q=AS888&enabled=true&status=pending')).toEqual([8881]);
  expect(await asns('q=AS888&status=ok')).toEqual([]);
});

test('409: in a module of another type; 404: below another module', async () => {
  const wrong = `/v1/modules/${ranges}/as-entries`;
  expect(refused(await service.call('POST', wrong, { body: { asn: 3333 } }))).toMatchObject({ status: 409 });
  const { id } = await service.make(path, { asn: 9000 });
  expect((await service.call('GET', `${wrong}/${id}`)).status).toBe(404);
  expect((await service.call('DELETE', `${wrong}/${id}`)).status).toBe(404);
});

test('409 in_use: a community that an AS carries', async () => {
  const community = await service.make('/v1/communities', { community: '65000:9', title: 'x' });
  await service.make(path, { asn: 9009, community_id: community.id });
  const { status, body } = await service.call('DELETE', `/v1/communities/${community.id}`);
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'in_use' });
  expect(body.detail).toContain('AS9009');
});
