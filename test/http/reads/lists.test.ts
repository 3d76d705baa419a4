/** Communities, modules and their entries, by status. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Body, NOBODY, refused, startService, type TestService } from '../service.ts';

let service: TestService;
let cdn: string;
let ranges: string;
beforeAll(async () => {
  service = await startService();
  cdn = (await service.make('/v1/modules', { name: 'cdn', type: 'CDN_SOURCES' })).id;
  ranges = (await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' })).id;
});
afterAll(() => service.close());

describe('communities', () => {
  test('201, 200, 204: created with defaults, changed, deleted', async () => {
    const made = await service.make('/v1/communities', { community: '65000:300', title: 'x' });
    expect(made).toMatchObject({ description: null, color: null, next_hop_ipv4: null, next_hop_ipv6: null });
    const path = `/v1/communities/${made.id}`;
    const changed = await service.call('PATCH', path, { body: { title: 'y', next_hop_ipv6: '2001:db8::1' } });
    expect(changed.body).toMatchObject({ title: 'y', next_hop_ipv6: '2001:db8::1', community: '65000:300' });
    expect((await service.call('DELETE', path)).status).toBe(204);
    expect((await service.call('GET', path)).status).toBe(404);
  });

  test('201: all three notations, in their canonical text', async () => {
    const values = [
      ['65000:1:2', '65000:1:2'],
      ['65535:666', 'blackhole'],
    ];
    for (const [given, kept] of values)
      expect(await service.make('/v1/communities', { community: given, title: 't' })).toMatchObject({
        community: kept,
      });
  });

  test('409: a value that exists', async () => {
    await service.make('/v1/communities', { community: '65000:301', title: 'x' });
    const answer = await service.call('POST', '/v1/communities', {
      body: { community: '65000:301', title: 'y' },
    });
    expect(refused(answer)).toEqual({ status: 409, code: 'conflict', at: ['/community'] });
    expect(answer.body.detail).toContain('65000:301');
  });

  test('409 in_use: reports by what', async () => {
    const { id } = await service.make('/v1/communities', { community: '65000:302', title: 'x' });
    await service.make('/v1/modules', { name: 'user of 302', type: 'IP_RANGES', community_id: id });
    const { status, body } = await service.call('DELETE', `/v1/communities/${id}`);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'in_use' });
    expect(body.detail).toContain('user of 302');
  });

  test.each([
    '65536:1',
    '1:65536',
    '1',
    '1:2:3:4',
    '-1:1',
    '01:1',
    '4294967296:1:1',
    'black hole',
    ' 65000:1',
  ])('422: %s', async (community) => {
    const answer = await service.call('POST', '/v1/communities', { body: { community, title: 'x' } });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/community'] });
  });
});

describe('modules', () => {
  test('201: with defaults', async () => {
    expect(await service.make('/v1/modules', { name: 'plain', type: 'DOMAINS' })).toMatchObject({
      description: null,
      purpose: 'announce',
      enabled: true,
      community_id: null,
      refresh_interval_seconds: null,
      families: ['ipv4', 'ipv6'],
      doh_profile_ids: [],
      doh_profile_id: null,
      last_refreshed_at: null,
      last_refresh: null,
      entry_count: 0,
      prefix_count: { ipv4: 0, ipv6: 0 },
    });
  });

  test('200: lists by type, enabled and text', async () => {
    await service.make('/v1/modules', { name: 'Needle off', type: 'AS_PREFIXES', enabled: false });
    await service.make('/v1/modules', { name: 'needle on', type: 'AS_PREFIXES' });
    const names = async (query: string) =>
      ((await service.call('GET', `/v1/modules?${query}`)).body.items as Body[]).map(({ name }) => name);
    expect(await names('type=AS_PREFIXES')).toEqual(['Needle off', 'needle on']);
    expect(await names('q=needle&enabled=true')).toEqual(['needle on']);
    expect(await names('type=AS_PREFIXES&enabled=false')).toEqual(['Needle off']);
  });

  test('202: a refresh is queued for it, 409 while it is disabled', async () => {
    const { status, body } = await service.call('POST', `/v1/modules/${cdn}/refresh`);
    expect(status).toBe(202);
    expect(body).toMatchObject({
      type: 'module_refresh',
      state: 'queued',
      requested_by: 'key:the operator',
      resource: { type: 'module', id: cdn },
    });
    const off = await service.make('/v1/modules', { name: 'off', type: 'IP_RANGES', enabled: false });
    expect((await service.call('POST', `/v1/modules/${off.id}/refresh`)).status).toBe(409);
  });

  test('409: a name that exists, at creation and at renaming', async () => {
    const body = { name: 'cdn', type: 'IP_RANGES' };
    expect(refused(await service.call('POST', '/v1/modules', { body }))).toMatchObject({
      status: 409,
      at: ['/name'],
    });
    const answer = await service.call('PATCH', `/v1/modules/${ranges}`, { body: { name: 'cdn' } });
    expect(refused(answer)).toMatchObject({ status: 409, at: ['/name'] });
  });

  test("422: a community that does not exist, or is another tenant's", async () => {
    const key = service.other.keys.operator;
    const theirs = await service.make('/v1/communities', { community: '65000:1', title: 'x' }, key);
    const reported = [];
    for (const community_id of [NOBODY, theirs.id]) {
      const answer = await service.call('POST', '/v1/modules', {
        body: { name: 'n', type: 'IP_RANGES', community_id },
      });
      expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/community_id'] });
      reported.push(String(answer.body.detail).replace(community_id, 'ID'));
    }
    expect(reported[0]).toBe(reported[1]);
  });

  test('422: its type is fixed, and DoH belongs to domains', async () => {
    const path = `/v1/modules/${ranges}`;
    expect(refused(await service.call('PATCH', path, { body: { type: 'DOMAINS' } })).at).toEqual(['/type']);
    const answer = await service.call('PATCH', path, {
      body: { doh_resolver_policy: { strategy: 'union' } },
    });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/doh_resolver_policy'] });
  });

  test('204: deleted with its entries', async () => {
    const { id } = await service.make('/v1/modules', { name: 'doomed', type: 'IP_RANGES' });
    const entry = await service.make(`/v1/modules/${id}/ip-range-entries`, { cidr: '8.8.4.0/24' });
    expect((await service.call('DELETE', `/v1/modules/${id}`)).status).toBe(204);
    expect((await service.call('GET', `/v1/modules/${id}/ip-range-entries/${entry.id}`)).status).toBe(404);
    expect((await service.call('GET', `/v1/modules/${id}/ip-range-entries`)).status).toBe(404);
  });
});

describe('IP range entries', () => {
  const path = () => `/v1/modules/${ranges}/ip-range-entries`;

  test.each([
    ['8.8.8.8', '8.8.8.8/32'],
    ['9.9.9.0/24', '9.9.9.0/24'],
    ['2A00:1450::0/32', '2a00:1450::/32'],
  ])('201: %s becomes %s', async (given, kept) => {
    expect(await service.make(path(), { cidr: given })).toMatchObject({
      cidr: kept,
      module_id: ranges,
      enabled: true,
    });
  });

  test('201: many at once, in their order', async () => {
    const items = Array.from({ length: 10_000 }, (_, index) => ({
      cidr: `11.${index >> 8}.${index & 255}.0/24`,
    }));
    const answer = await service.call('POST', path(), { body: { items } });
    expect(answer.status).toBe(201);
    expect((answer.body.items as Body[]).map(({ cidr }) => ({ cidr }))).toEqual(items);
  });

  test('422: of many, one that is wrong keeps all out, and each fault has its place', async () => {
    const { id } = await service.make('/v1/modules', { name: 'all or nothing', type: 'IP_RANGES' });
    const own = `/v1/modules/${id}/ip-range-entries`;
    const items = ['5.0.0.0/24', '010.0.0.1', '5.0.1.0/24', '5.0.0.0/24', '5.0.0.1/24'].map((cidr) => ({
      cidr,
    }));
    const answer = await service.call('POST', own, { body: { items } });
    expect(refused(answer)).toEqual({
      status: 422,
      code: 'validation_failed',
      at: ['/items/1/cidr', '/items/3/cidr', '/items/4/cidr'],
    });
    expect((await service.call('GET', own)).body.items).toEqual([]);
  });

  test('422: host bits, with both readings', async () => {
    const answer = await service.call('POST', path(), { body: { cidr: '8.8.8.8/24' } });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/cidr'] });
    expect(answer.body.detail).toMatch(/8\.8\.8\.0\/24.*8\.8\.8\.8\/32/);
  });

  test.each([
    '',
    '/',
    '1.2.3',
    '1.2.3.4/33',
    '1.2.3.4/',
    '::/129',
    '10.0.0.0/8',
    'fe80::/10',
    '１.2.3.4',
    '1.2.3.4 5.6.7.8',
  ])('422: %s', async (cidr) => {
    const answer = await service.call('POST', path(), { body: { cidr } });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/cidr'] });
  });

  test('409: one that exists, and entries of a module of another type', async () => {
    await service.make(path(), { cidr: '8.8.5.0/24' });
    expect((await service.call('POST', path(), { body: { cidr: '8.8.5.0/24' } })).status).toBe(409);
    const wrong = `/v1/modules/${cdn}/ip-range-entries`;
    expect((await service.call('POST', wrong, { body: { cidr: '8.8.6.0/24' } })).status).toBe(409);
  });

  test('404: an entry asked for below another module', async () => {
    const entry = await service.make(path(), { cidr: '8.8.7.0/24' });
    const { id } = await service.make('/v1/modules', { name: 'elsewhere', type: 'IP_RANGES' });
    const elsewhere = `/v1/modules/${id}/ip-range-entries/${entry.id}`;
    expect((await service.call('GET', elsewhere)).status).toBe(404);
    expect((await service.call('PATCH', elsewhere, { body: { enabled: false } })).status).toBe(404);
    expect((await service.call('DELETE', elsewhere)).status).toBe(404);
    expect((await service.call('GET', `${path()}/${entry.id}`)).status).toBe(200);
  });

  test('413: a body over 16 MiB; 10,001 items are 422', async () => {
    const padding = 'x'.repeat(16 * 1024 * 1024);
    expect((await service.call('POST', path(), { body: { items: [], padding } })).status).toBe(413);
    const items = Array.from({ length: 10_001 }, () => ({ cidr: '8.8.8.8' }));
    expect(refused(await service.call('POST', path(), { body: { items } })).at).toEqual(['/items']);
  });
});

describe('CDN sources', () => {
  const path = () => `/v1/modules/${cdn}/cdn-sources`;

  test('201: with defaults; values of headers are never shown', async () => {
    const made = await service.make(path(), {
      name: 'secret',
      url: 'https://example.net/a.json',
      headers: { Authorization: 'Bearer hunter2' },
    });
    expect(made).toMatchObject({
      format: 'auto',
      json_path: null,
      status: 'pending',
      headers: { Authorization: null },
    });
    for (const answer of [
      await service.call('GET', `${path()}/${made.id}`),
      await service.call('GET', path()),
      await service.call('PATCH', `${path()}/${made.id}`, { body: { name: 'still secret' } }),
    ])
      expect(answer.text).not.toContain('hunter2');
    const [row] = await service.database.admin<{ row: string }>(
      'SELECT cdn_source::text AS row FROM cdn_source WHERE id = $1',
      [made.id],
    );
    expect(row!.row).not.toContain(Buffer.from('hunter2').toString('hex'));
  });

  test('201: many at once; one that is wrong keeps all out', async () => {
    const items = [1, 2].map((n) => ({ name: `bulk ${n}`, url: `https://example.net/${n}` }));
    expect((await service.call('POST', path(), { body: { items } })).status).toBe(201);
    const bad = [
      { name: 'good', url: 'https://example.net/3' },
      { name: 'bad', url: 'ftp://example.net/4' },
    ];
    const answer = await service.call('POST', path(), { body: { items: bad } });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: ['/items/1/url'] });
    expect((await service.call('GET', `${path()}?q=good`)).body.items).toEqual([]);
  });

  test.each([
    ['url', { url: 'ftp://example.net/' }],
    ['url', { url: 'https://user:pass@example.net/' }],
    ['url', { url: 'not a url' }],
    ['json_path', { format: 'json', json_path: 'prefixes[' }],
    ['json_path', { format: 'text', json_path: '$.a' }],
    ['csv_column', { format: 'json', csv_column: '1' }],
    ['community_id', { community_id: NOBODY }],
  ])('422: %s in %o', async (field, members) => {
    const body = { name: 'wrong', url: 'https://example.net/', ...members };
    const answer = await service.call('POST', path(), { body });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: [`/${field}`] });
  });

  test('409: in a module of another type', async () => {
    const body = { name: 'x', url: 'https://example.net/' };
    expect((await service.call('POST', `/v1/modules/${ranges}/cdn-sources`, { body })).status).toBe(409);
  });
});
