import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lookup } from '../../../src/api/lookup/lookup.ts';
import { collect as collectInto } from '../collect.ts';
import { makeRevision } from '../fixtures.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let community: { id: string };
let clouds: { id: string };
let source: { id: string };
let ranges: { id: string };

beforeAll(async () => {
  service = await startService();
  community = await service.make('/v1/communities', { community: '65000:100', title: 'Clouds' });
  clouds = await service.make('/v1/modules', {
    name: 'clouds',
    type: 'CDN_SOURCES',
    community_id: community.id,
  });
  source = await service.make(`/v1/modules/${clouds.id}/cdn-sources`, {
    name: 'list',
    url: 'https://example.net/list',
  });
  ranges = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
});
afterAll(() => service.close());

const collect = (moduleId: string, prefixes: Readonly<Record<string, readonly string[]>>) =>
  collectInto(service, moduleId, prefixes);

async function lookUp(q: string, key = service.tenant.keys.viewer): Promise<Lookup> {
  const { status, text, body } = await service.call('GET', `/v1/lookup?q=${encodeURIComponent(q)}`, { key });
  expect(status, text).toBe(200);
  return body as unknown as Lookup;
}

const prefixes = ({ matches }: Lookup, layer: string) =>
  matches.filter((match) => match.layer === layer).map(({ prefix }) => prefix);

test('200: every match of both layers, with module, entry, source and community', async () => {
  const wide = await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr: '8.0.0.0/9' });
  await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, {
    cidr: '8.8.0.0/16',
    community_id: community.id,
  });
  await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr: '9.0.0.0/8' });
  await collect(clouds.id, {
    '8.8.8.0/24': [source.id],
    '8.8.0.0/13': [source.id],
    '8.8.9.0/24': [source.id],
  });
  const answer = await lookUp('8.8.8.8');
  expect(answer).toMatchObject({ query: '8.8.8.8', kind: 'ip', normalized: '8.8.8.8', announced: [] });
  const carried = { community_id: community.id, value: '65000:100', title: 'Clouds' };
  expect(prefixes(answer, 'entry')).toEqual(['8.8.0.0/16', '8.0.0.0/9']);
  expect(answer.matches[0]!.community).toEqual(carried);
  expect(answer.matches[1]).toEqual({
    layer: 'entry',
    module: { id: ranges.id, name: 'ranges', type: 'IP_RANGES' },
    entry: { id: wide.id, type: 'ip_range_entry', value: '8.0.0.0/9', expires_at: null },
    prefix: '8.0.0.0/9',
    source: 'ip_range',
    collected_at: null,
    community: null,
    communities: [],
  });
  expect(prefixes(answer, 'snapshot')).toEqual(['8.8.8.0/24', '8.8.0.0/13']);
  expect(answer.matches[2]).toMatchObject({
    module: { id: clouds.id, name: 'clouds', type: 'CDN_SOURCES' },
    entry: { id: source.id, type: 'cdn_source', value: 'https://example.net/list', expires_at: null },
    source: 'cdn',
    community: carried,
    communities: [carried],
  });
  expect(Date.parse(answer.matches[2]!.collected_at!)).toBeLessThanOrEqual(Date.now() + 60_000);
});

test('200: what another process commits is seen within a second, what this one changes at once', async () => {
  const within = { interval: 20 };
  const collected = async () => prefixes(await lookUp('11.0.0.1'), 'snapshot');
  await collect(clouds.id, { '11.0.0.0/24': [source.id] });
  await expect.poll(collected, within).toEqual(['11.0.0.0/24']);
  await collect(clouds.id, { '11.0.0.0/25': [source.id] });
  await expect.poll(collected, within).toEqual(['11.0.0.0/25']);
  expect(prefixes(await lookUp('11.0.0.129'), 'snapshot')).toEqual([]);
  const range = await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr: '11.0.0.1' });
  expect(prefixes(await lookUp('11.0.0.1'), 'entry')).toEqual(['11.0.0.1/32']);
  await service.call('DELETE', `/v1/modules/${ranges.id}/ip-range-entries/${range.id}`);
  expect(prefixes(await lookUp('11.0.0.1'), 'entry')).toEqual([]);
  await service.call('PATCH', `/v1/communities/${community.id}`, { body: { title: 'All clouds' } });
  expect((await lookUp('11.0.0.1')).matches[0]!.community).toMatchObject({ title: 'All clouds' });
});

test('200: an address in any spelling is one address', async () => {
  await service.make(`/v1/modules/${ranges.id}/ip-range-entries`, { cidr: '2a00:1450::/32' });
  const answer = await lookUp(' 2A00:1450:0:0::0001 ');
  expect(answer).toMatchObject({ kind: 'ip', normalized: '2a00:1450::1' });
  expect(prefixes(answer, 'entry')).toEqual(['2a00:1450::/32']);
});

test('200: a prefix of an AS names its number and the community of the entry', async () => {
  const networks = await service.make('/v1/modules', { name: 'networks', type: 'AS_PREFIXES' });
  const entry = await service.make(`/v1/modules/${networks.id}/as-entries`, {
    asn: 3333,
    community_id: community.id,
  });
  await collect(networks.id, { '15.0.0.0/21': [entry.id] });
  expect((await lookUp('15.0.1.1')).matches).toMatchObject([
    {
      layer: 'snapshot',
      module: { name: 'networks', type: 'AS_PREFIXES' },
      entry: { id: entry.id, type: 'as_entry', value: 'AS3333' },
      prefix: '15.0.0.0/21',
      source: 'as',
      community: { value: '65000:100' },
    },
  ]);
});

test('200: what was collected from an entry that has been deleted since matches no more', async () => {
  const gone = await service.make(`/v1/modules/${clouds.id}/cdn-sources`, {
    name: 'gone',
    url: 'https://example.net/gone',
  });
  const kept = await service.make(`/v1/modules/${clouds.id}/cdn-sources`, {
    name: 'kept',
    url: 'https://example.net/kept',
  });
  await collect(clouds.id, { '12.0.0.0/24': [gone.id], '12.0.2.0/24': [gone.id, kept.id] });
  await service.database.admin('UPDATE module SET prefix_count_ipv4 = 2 WHERE id = $1', [clouds.id]);
  await service.call('DELETE', `/v1/modules/${clouds.id}/cdn-sources/${gone.id}`);
  expect(await lookUp('12.0.0.1')).toMatchObject({ matches: [], not_announced: [] });
  expect((await lookUp('12.0.2.1')).matches).toMatchObject([{ entry: { id: kept.id, value: kept.url } }]);
  const { body: module } = await service.call('GET', `/v1/modules/${clouds.id}`);
  expect(module.prefix_count).toEqual({ ipv4: 1, ipv6: 0 });
});

test('200: what was collected from a disabled entry counts again once it is enabled', async () => {
  const path = `/v1/modules/${clouds.id}/cdn-sources`;
  const [one, other] = await Promise.all(
    ['one', 'other'].map((name) => service.make(path, { name, url: `https://example.net/${name}` })),
  );
  await collect(clouds.id, {
    '12.0.0.0/24': [one!.id],
    '12.0.2.0/24': [one!.id, other!.id],
    '2a00:1450::/32': [other!.id],
  });
  await service.database.admin(
    'UPDATE module SET prefix_count_ipv4 = 2, prefix_count_ipv6 = 1 WHERE id = $1',
    [clouds.id],
  );
  const count = async (): Promise<unknown> =>
    (await service.call('GET', `/v1/modules/${clouds.id}`)).body.prefix_count;
  const enable = ({ id }: { readonly id: string }, enabled: boolean): Promise<unknown> =>
    service.call('PATCH', `${path}/${id}`, { body: { enabled } });
  await enable(one!, false);
  expect(await count()).toEqual({ ipv4: 1, ipv6: 1 });
  await enable(one!, false);
  expect(await count()).toEqual({ ipv4: 1, ipv6: 1 });
  await enable(other!, false);
  expect(await count()).toEqual({ ipv4: 0, ipv6: 0 });
  await service.call('DELETE', `${path}/${other!.id}`);
  expect(await count()).toEqual({ ipv4: 0, ipv6: 0 });
  await enable(one!, true);
  expect(await count()).toEqual({ ipv4: 2, ipv6: 0 });
  await service.call('DELETE', `${path}/${one!.id}`);
});

test('200: what an exclude module holds carries no community', async () => {
  const excluded = await service.make('/v1/modules', {
    name: 'never',
    type: 'IP_RANGES',
    purpose: 'exclude',
    community_id: community.id,
  });
  await service.make(`/v1/modules/${excluded.id}/ip-range-entries`, { cidr: '14.0.0.0/24' });
  expect((await lookUp('14.0.0.1')).matches).toMatchObject([{ prefix: '14.0.0.0/24', community: null }]);
});

test('200: announced names the revision and the speakers that run it, and no other', async () => {
  const speaker = await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 });
  const off = await service.make('/v1/speakers', { name: 'off', local_asn: 64512, enabled: false });
  const old = await makeRevision(service, service.tenant, community.id, ['13.0.0.0/24', '13.0.0.0/16']);
  const current = await makeRevision(service, service.tenant, community.id, ['13.0.0.0/16']);
  const run = (revision: string) =>
    service.database.admin('UPDATE speaker SET applied_revision_id = $1 WHERE id = ANY ($2::uuid[])', [
      revision,
      [speaker.id, off.id],
    ]);
  await run(old);
  const before = await lookUp('13.0.0.1');
  expect(before.announced.map(({ prefix }) => prefix)).toEqual(['13.0.0.0/24', '13.0.0.0/16']);
  await run(current);
  const announced = async () => (await lookUp('13.0.0.1')).announced;
  await expect.poll(announced, { interval: 20 }).toEqual([
    {
      revision_id: current,
      prefix: '13.0.0.0/16',
      communities: [{ community_id: community.id, community: '65000:100', title: 'Clouds' }],
      speaker_ids: [speaker.id],
    },
  ]);
  expect((await lookUp('14.0.0.1')).announced).toEqual([]);
});

test('200: nothing of another tenant', async () => {
  const answer = await lookUp('8.8.8.8', service.other.keys.viewer);
  expect(answer).toMatchObject({ matches: [], announced: [] });
});

test('200: a domain name is normalized', async () => {
  expect(await lookUp('WWW.Exämple.com.')).toEqual({
    query: 'WWW.Exämple.com.',
    kind: 'fqdn',
    normalized: 'www.xn--exmple-cua.com',
    matches: [],
    announced: [],
    not_announced: [],
  });
});

test.each([
  '8.8.8.8/24',
  '010.0.0.1',
  '127.1',
  '::ffff:8.8.8.8',
  'localhost',
  'a..b',
  '*.example.com',
  'fe80::1%eth0',
])('422: %s is neither an address nor a domain name', async (q) => {
  const answer = await service.call('GET', `/v1/lookup?q=${encodeURIComponent(q)}`);
  expect(answer.status).toBe(422);
  expect(answer.body.errors).toMatchObject([{ pointer: '?q' }]);
});

test('422: without q', async () => {
  expect((await service.call('GET', '/v1/lookup')).status).toBe(422);
});
