/** DoH profiles and the modules that use them, by status. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Body, NOBODY, refused, startService, type TestService } from '../service.ts';

const PATH = '/v1/doh-profiles';
const URL = 'https://dns.example/dns-query{?dns}';

let service: TestService;
let made = 0;
let first: string;
let second: string;
const profile = async (body: object = {}) =>
  (await service.make(PATH, { name: `p${++made}`, url: URL, ...body })).id;
const module = (body: object = {}) =>
  service.make('/v1/modules', { name: `m${++made}`, type: 'DOMAINS', ...body });

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  first = await profile();
  second = await profile();
});
afterAll(() => service.close());

test('201, 200, 204: created with defaults, changed, deleted', async () => {
  const created = await service.make(PATH, { url: 'https://named-after.example/dns-query' });
  expect(created).toMatchObject({
    name: 'named-after.example',
    url: 'https://named-after.example/dns-query',
    method: 'POST',
    bootstrap_addresses: [],
    client_subnet: null,
    timeout_ms: 5_000,
    headers: {},
    enabled: true,
  });
  const changed = await service.call('PATCH', `${PATH}/${created.id}`, {
    body: {
      method: 'GET',
      bootstrap_addresses: ['9.9.9.9', '2620:FE:0::fe'],
      client_subnet: '2001:DB8::/48',
      timeout_ms: 100,
      enabled: false,
    },
  });
  expect(changed.body).toMatchObject({
    method: 'GET',
    bootstrap_addresses: ['9.9.9.9', '2620:fe::fe'],
    client_subnet: '2001:db8::/48',
  });
  expect((await service.call('DELETE', `${PATH}/${created.id}`)).status).toBe(204);
  expect((await service.call('GET', `${PATH}/${created.id}`)).status).toBe(404);
});

test('values of headers are shown nowhere and not stored in clear', async () => {
  const id = await profile({ headers: { Authorization: 'Bearer secret-of-dns' } });
  const answer = await service.call('GET', `${PATH}/${id}`);
  expect(answer.body.headers).toEqual({ Authorization: null });
  const [row] = await service.database.admin<{ text: string }>(
    `SELECT d::text || encode(headers_sealed, 'escape') AS text FROM doh_profile d WHERE id = $1`,
    [id],
  );
  const everywhere = [answer.text, row!.text, ...service.log].join('\n');
  expect(everywhere).not.toContain('secret-of-dns');
});

test.each([
  [{ url: 'http://dns.example/dns-query' }, '/url'],
  [{ url: 'https://user@dns.example/' }, '/url'],
  [{ url: 'https://dns.example/{?name}' }, '/url'],
  [{ url: 'https://dns.example/?a=b{?dns}' }, '/url'],
  [{ url: 'https://dns.example/{&dns}' }, '/url'],
  [{ url: 'dns.example' }, '/url'],
  [{ method: 'PUT' }, '/method'],
  [{ bootstrap_addresses: ['dns.example'] }, '/bootstrap_addresses/0'],
  [{ bootstrap_addresses: ['9.9.9.9', '::ffff:9.9.9.9'] }, '/bootstrap_addresses/1'],
  [{ client_subnet: '198.51.100.1/24' }, '/client_subnet'],
  [{ client_subnet: 'here' }, '/client_subnet'],
  [{ timeout_ms: 99 }, '/timeout_ms'],
  [{ timeout_ms: 30_001 }, '/timeout_ms'],
  [{ headers: { Accept: 'text/html' } }, '/headers/Accept'],
  [{ headers: { 'Content-Type': 'x' } }, '/headers/Content-Type'],
  [{ headers: { Host: 'x' } }, '/headers/Host'],
  [{ headers: { 'HTTP2-Settings': 'x' } }, '/headers/HTTP2-Settings'],
  [{ headers: { 'X-Line': 'a\nb' } }, '/headers/X-Line'],
  [{ name: '' }, '/name'],
])('422: %j', async (body, pointer) => {
  const answer = await service.call('POST', PATH, { body: { name: 'bad', url: URL, ...body } });
  expect(refused(answer)).toMatchObject({ status: 422, code: 'validation_failed' });
  expect(refused(answer).at[0]!.startsWith(pointer)).toBe(true);
  const patched = await service.call('PATCH', `${PATH}/${first}`, { body });
  expect(refused(patched).at).toEqual(refused(answer).at);
});

test('201: profiles without a name are distinguished', async () => {
  const names = [];
  for (let i = 0; i < 3; i++) names.push((await service.make(PATH, { url: 'https://a_b.example/' })).name);
  expect(names).toEqual(['a_b.example', 'a_b.example 2', 'a_b.example 3']);
  expect(await service.make(PATH, { url: 'https://axb.example/' })).toMatchObject({ name: 'axb.example' });
});

test('409: a name twice', async () => {
  await profile({ name: 'the one' });
  const answer = await service.call('POST', PATH, { body: { name: 'the one', url: URL } });
  expect(refused(answer)).toEqual({ status: 409, code: 'conflict', at: ['/name'] });
  expect(answer.body.detail).toContain('A DoH profile with the name the one exists already');
});

test('200: lists by text and enabled', async () => {
  const id = await profile({ name: 'Needle', enabled: false });
  const ids = async (query: string) =>
    ((await service.call('GET', `${PATH}?${query}`)).body.items as Body[]).map((item) => item.id);
  expect(await ids('q=needle')).toEqual([id]);
  expect(await ids('q=needle&enabled=true')).toEqual([]);
});

test('409 in_use: while a module asks it, and only then', async () => {
  const { id } = await module({ name: 'asking', doh_profile_ids: [second, first] });
  const answer = await service.call('DELETE', `${PATH}/${first}`);
  expect(refused(answer)).toMatchObject({ status: 409, code: 'in_use' });
  expect(answer.body.detail).toContain('the module asking');
  await service.call('PATCH', `/v1/modules/${id}`, { body: { doh_profile_ids: [second] } });
  expect((await service.call('DELETE', `${PATH}/${first}`)).status).toBe(204);
});

describe('the older doh_profile_id', () => {
  const both = ({ body }: { body: Body }) => [body.doh_profile_id, body.doh_profile_ids];
  const patch = (id: string, body: object) => service.call('PATCH', `/v1/modules/${id}`, { body });

  test('reads as the first, and writes a list of one', async () => {
    const old = await module({ doh_profile_id: first });
    expect(both({ body: old })).toEqual([first, [first]]);
    const many = await module({ doh_profile_ids: [second, first] });
    expect(both({ body: many })).toEqual([second, [second, first]]);
    expect(both(await patch(many.id, { doh_profile_id: first }))).toEqual([first, [first]]);
    expect(both(await patch(many.id, { doh_profile_ids: [second, first] }))).toEqual([
      second,
      [second, first],
    ]);
    expect(both(await patch(many.id, { name: 'as it was' }))).toEqual([second, [second, first]]);
    expect(both(await patch(many.id, { doh_profile_ids: [] }))).toEqual([null, []]);
    expect(both(await patch(old.id, { doh_profile_id: null }))).toEqual([null, []]);
  });

  test('422: one that does not exist, in either way', async () => {
    const { id } = await module();
    expect(refused(await patch(id, { doh_profile_id: NOBODY })).at).toEqual(['/doh_profile_id']);
    expect(refused(await patch(id, { doh_profile_ids: [first, NOBODY] })).at).toEqual(['/doh_profile_ids/1']);
    const theirs = await service.make(PATH, { url: URL }, service.other.keys.operator);
    expect(refused(await patch(id, { doh_profile_ids: [theirs.id] })).at).toEqual(['/doh_profile_ids/0']);
  });
});

test('422: a quorum of more resolvers than there are', async () => {
  const policy = { strategy: 'quorum', quorum: 2 };
  const { id } = await module({ doh_profile_ids: [first, second], doh_resolver_policy: policy });
  const fewer = await service.call('PATCH', `/v1/modules/${id}`, { body: { doh_profile_ids: [first] } });
  expect(refused(fewer)).toMatchObject({ status: 422, at: ['/doh_resolver_policy/quorum'] });
  const lower = { doh_profile_ids: [first], doh_resolver_policy: { ...policy, quorum: 1 } };
  expect((await service.call('PATCH', `/v1/modules/${id}`, { body: lower })).status).toBe(200);
});

test('a policy reads as it was written; null takes it away', async () => {
  const policy = {
    ...{ strategy: 'union', families: ['ipv4'], retain_seconds: 0 },
    ...{ max_addresses: 100_000, concurrency: 256 },
  };
  const made = await module({ doh_resolver_policy: policy });
  expect(made.doh_resolver_policy).toEqual(policy);
  const path = `/v1/modules/${made.id}`;
  const { body } = await service.call('PATCH', path, { body: { doh_resolver_policy: null } });
  expect(body.doh_resolver_policy).toBeNull();
});
