/** Lookups of prefixes, of many at once, and in revisions. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Lookup } from '../../../src/api/lookup/lookup.ts';
import { saveRevisionInputs } from '../../../src/store/revisions/revision-history.ts';
import { collect } from '../collect.ts';
import { makeRevision } from '../fixtures.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let lists: { id: string };
let names: { id: string };
let source: { id: string };
let domain: { id: string };
/** Of snapshots that are not the last any more, and of routes. */
let revision: string;

beforeAll(async () => {
  service = await startService();
  await service.call('PATCH', '/v1/settings', { body: { guard_bogons: 'allow' } });
  const community = await service.make('/v1/communities', { community: '65000:100', title: 'Clouds' });
  lists = await service.make('/v1/modules', { name: 'lists', type: 'CDN_SOURCES' });
  names = await service.make('/v1/modules', { name: 'names', type: 'DOMAINS' });
  const ranges = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  source = await service.make(`/v1/modules/${lists.id}/cdn-sources`, {
    name: 's',
    url: 'https://example.net/',
  });
  domain = await service.make(`/v1/modules/${names.id}/domain-entries`, { domain: 'www.example.com' });
  for (const cidr of ['10.0.0.0/8', '10.1.2.0/24', '10.1.2.128/25', '2001:db8::/32'])
    await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr });
  const { tenant, database } = service;
  revision = await makeRevision(service, tenant, community.id, ['192.0.2.0/24', '10.1.0.0/16']);
  await collect(service, lists.id, { '192.0.2.0/24': [source.id], '10.1.0.0/16': [source.id] });
  await collect(service, names.id, { '192.0.2.7/32': [domain.id] });
  await database.db.inTenant(tenant.id, async (tx) => {
    const used = await tx.sql.selectFrom('snapshot').selectAll().where('tenant_id', '=', tenant.id).execute();
    const inputs = used.map(({ module_id, content_hash }) => ({
      ...{ module_id, content_hash: content_hash.toString('hex'), entries_hash: null, left_out: [] },
      ...({
        purpose: 'announce',
        families: ['ipv4', 'ipv6'],
        released: [],
        name: null,
        policy_hash: null,
      } as const),
    }));
    await saveRevisionInputs(tx, revision, inputs);
  });
  await collect(service, lists.id, {
    '10.1.2.0/25': [source.id],
    ...Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`172.16.${i}.0/24`, [source.id]])),
  });
  await collect(service, names.id, {});
});
afterAll(() => service.close());

async function lookUp(q: string, at?: string): Promise<Lookup> {
  const query = `q=${encodeURIComponent(q)}${at === undefined ? '' : `&at=${at}`}`;
  const { status, text } = await service.call('GET', `/v1/lookup?${query}`);
  expect(status, text).toBe(200);
  return JSON.parse(text) as Lookup;
}

const found = ({ matches }: Lookup): string[] => matches.map(({ layer, prefix }) => `${layer} ${prefix}`);

test('a prefix is held by what contains all of it, and has what lies inside it', async () => {
  const answer = await lookUp('10.1.2.0/24');
  expect(answer).toMatchObject({ kind: 'prefix', normalized: '10.1.2.0/24', has_more: false });
  expect(found(answer)).toEqual([
    ...['entry 10.1.2.0/24', 'entry 10.0.0.0/8', 'entry 10.1.2.128/25', 'snapshot 10.1.2.0/25'],
  ]);
  expect(found(await lookUp('10.1.2.128/25'))).toEqual([
    ...['entry 10.1.2.128/25', 'entry 10.1.2.0/24', 'entry 10.0.0.0/8'],
  ]);
  expect(found(await lookUp('2001:db8:7::/48'))).toEqual(['entry 2001:db8::/32']);
  expect((await lookUp('10.1.2.5')).has_more).toBeUndefined();
});

test('of a prefix with much in it the first hundred are listed, and it says so', async () => {
  const answer = await lookUp('172.16.0.0/12');
  expect(answer.has_more).toBe(true);
  expect(answer.matches).toHaveLength(100);
  expect((await lookUp('172.16.0.0/18')).has_more).toBe(false);
});

test('where entries are too many to hold, the database finds the same', async () => {
  const before = await Promise.all(['10.1.2.0/24', '10.0.0.0/8', '2001::/16'].map((q) => lookUp(q)));
  const many = await service.make('/v1/modules', { name: 'many', type: 'IP_RANGES' });
  const items = Array.from({ length: 5_001 }, (_, i) => ({ cidr: `100.${i >> 8}.${i & 255}.0/24` }));
  await service.call('POST', `/v1/modules/${many.id}/ip-range-entries`, { body: { items } });
  const after = await Promise.all(['10.1.2.0/24', '10.0.0.0/8', '2001::/16'].map((q) => lookUp(q)));
  expect(after.map(found)).toEqual(before.map(found));
  expect(await lookUp('100.0.0.0/8')).toMatchObject({ has_more: true });
  // What this process changes is seen at once there too.
  const path = `/v1/modules/${many.id}/ip-range-entries`;
  const late = await service.make(path, { cidr: '101.0.0.0/24' });
  expect(found(await lookUp('101.0.0.7'))).toEqual(['entry 101.0.0.0/24']);
  await service.call('PATCH', `${path}/${late.id}`, { body: { cidr: '101.0.1.0/24' } });
  expect(found(await lookUp('101.0.0.7'))).toEqual([]);
  expect(found(await lookUp('101.0.1.7'))).toEqual(['entry 101.0.1.0/24']);
  await service.call('DELETE', `${path}/${late.id}`);
  expect(found(await lookUp('101.0.1.7'))).toEqual([]);
  expect((await service.call('DELETE', `/v1/modules/${many.id}`)).status).toBe(204);
});

describe('at a revision', () => {
  test.each(['latest', '1'])('%s: matches are of its snapshots, routes its own', async (at) => {
    const answer = await lookUp('10.1.2.3', at);
    expect(found(answer)).toEqual(['snapshot 10.1.0.0/16']);
    expect(answer.announced).toMatchObject([
      { revision_id: revision, prefix: '10.1.0.0/16', speaker_ids: [] },
    ]);
    expect(answer).toMatchObject({ not_announced: [] });
    expect(answer.matches[0]).toMatchObject({ collected_at: null, entry: { id: source.id } });
    expect(found(await lookUp('10.1.2.3'))).toContain('snapshot 10.1.2.0/25');
  });

  test('a name has the addresses that it had', async () => {
    const answer = await lookUp('www.example.com', revision);
    expect(found(answer)).toEqual(['snapshot 192.0.2.7/32']);
    expect(answer.announced.map(({ prefix }) => prefix)).toEqual(['192.0.2.0/24']);
    expect(answer.not_announced).toEqual([]);
  });

  test('422: one that is not there', async () => {
    for (const [method, path, body, pointer] of [
      ['GET', '/v1/lookup?q=10.0.0.1&at=77', undefined, '?at'],
      ['POST', '/v1/lookup', { queries: ['10.0.0.1'], at: 77 }, '/at'],
    ] as const) {
      const answer = await service.call(method, path, body === undefined ? {} : { body });
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toMatchObject([{ pointer }]);
    }
  });
});

describe('many at once', () => {
  const queries = ['10.1.2.3', '192.0.2.0/24', 'www.example.com', '172.16.0.0/12', '2001:DB8::1', '10.1.2.3'];

  test.each([undefined, 'latest'])('are answered as one by one (at %s)', async (at) => {
    const { status, body } = await service.call('POST', '/v1/lookup', {
      key: service.tenant.keys.viewer,
      body: { queries, ...(at === undefined ? {} : { at }) },
    });
    expect(status).toBe(200);
    expect(body).toEqual({ items: await Promise.all(queries.map((q) => lookUp(q, at))) });
  });

  test('a thousand, in their order', async () => {
    const thousand = Array.from({ length: 1_000 }, (_, i) => `172.16.${i % 200}.${i >> 2}`);
    const { status, body } = await service.call('POST', '/v1/lookup', { body: { queries: thousand } });
    expect(status).toBe(200);
    const items = body.items as Lookup[];
    expect(items.map(({ normalized }) => normalized)).toEqual(thousand);
    expect(items.map((one) => one.matches.length)).toEqual(thousand.map((_, i) => (i % 200 < 150 ? 1 : 0)));
  });

  test('422: a query that is none is named, and so are too many names', async () => {
    const refused = async (some: string[]) => {
      const answer = await service.call('POST', '/v1/lookup', { body: { queries: some } });
      expect(answer.status).toBe(422);
      return (answer.body.errors as { pointer: string }[]).map(({ pointer }) => pointer);
    };
    expect(await refused(['10.0.0.1', '10.0.0.1/8'])).toEqual(['/queries/1']);
    // All of them, so that the others can be asked again at once.
    expect(await refused(['300.1.1.1', '10.0.0.1', 'foo bar'])).toEqual(['/queries/0', '/queries/2']);
    expect(await refused(Array.from({ length: 101 }, (_, i) => `w${i}.example.com`))).toEqual(['/queries']);
    expect(await refused(Array.from({ length: 1_001 }, () => '10.0.0.1'))).toEqual(['/queries']);
  });
});
