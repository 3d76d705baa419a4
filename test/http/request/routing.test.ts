/** Speakers, peers, revisions, applies and jobs, by status. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeRevision } from '../fixtures.ts';
import { type Body, NOBODY, refused, startService, type TestService } from '../service.ts';

let service: TestService;
let speaker: string;
let community: string;
beforeAll(async () => {
  service = await startService();
  speaker = (await service.make('/v1/speakers', { name: 'edge', local_asn: 64512 })).id;
  community = (await service.make('/v1/communities', { community: '65000:100', title: 'Clouds' })).id;
});
afterAll(() => service.close());

async function jobsOf(type: string): Promise<Body[]> {
  return (await service.call('GET', `/v1/jobs?type=${type}&limit=500`)).body.items as Body[];
}

describe('speakers', () => {
  test('201: with defaults', async () => {
    expect(await service.make('/v1/speakers', { name: 'second', local_asn: 64513 })).toMatchObject({
      daemon: 'builtin',
      mode: 'local',
      enabled: true,
      policies_json: {},
      applied_revision_id: null,
      last_apply: null,
      agent: null,
    });
  });

  test('200: live status is there when asked for', async () => {
    const { body } = await service.call('GET', `/v1/speakers/${speaker}?live=true`);
    expect(body.live).toMatchObject({ reachable: false, sessions: [] });
    expect((await service.call('GET', `/v1/speakers/${speaker}`)).body.live).toBeUndefined();
    const { body: list } = await service.call('GET', '/v1/speakers?live=true');
    for (const item of list.items as Body[]) expect(item.live).toBeDefined();
  });

  test('200: overrides by peer, which go with the peer', async () => {
    const known = { name: 'overridden', address: '192.0.2.77', remote_asn: 64500 };
    const peer = await service.make('/v1/peers', known);
    const policies_json = { local_ip: '192.0.2.1', peers: { [peer.id]: { local_asn: 64999 } } };
    const path = `/v1/speakers/${speaker}`;
    const { body } = await service.call('PATCH', path, { body: { policies_json } });
    expect(body.policies_json).toEqual(policies_json);
    await service.call('DELETE', `/v1/peers/${peer.id}`);
    const { body: after } = await service.call('GET', path);
    expect(after.policies_json).toEqual({ local_ip: '192.0.2.1', peers: {} });
  });

  test.each([
    ['/local_asn', { local_asn: 0 }],
    ['/local_asn', { local_asn: 4_294_967_295 }],
    ['/local_ipv4', { local_ipv4: '2001:db8::1' }],
    ['/router_id', { router_id: '300.0.0.1' }],
    ['/daemon', { daemon: 'quagga' }],
  ])('422: %s in %o', async (pointer, members) => {
    const answer = await service.call('POST', '/v1/speakers', {
      body: { name: 'w', local_asn: 1, ...members },
    });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: [pointer] });
  });

  test('409: a name that exists', async () => {
    const answer = await service.call('POST', '/v1/speakers', { body: { name: 'edge', local_asn: 1 } });
    expect(refused(answer)).toMatchObject({ status: 409, at: ['/name'] });
  });

  test('204: deleted', async () => {
    const { id } = await service.make('/v1/speakers', { name: 'doomed', local_asn: 1 });
    expect((await service.call('DELETE', `/v1/speakers/${id}`)).status).toBe(204);
    expect((await service.call('GET', `/v1/speakers/${id}`)).status).toBe(404);
  });
});

describe('peers', () => {
  test('201: with defaults, and a peer_reconcile job with each change', async () => {
    const before = (await jobsOf('peer_reconcile')).length;
    const peer = await service.make('/v1/peers', { name: 'core', address: '192.0.2.10', remote_asn: 64500 });
    expect(peer).toMatchObject({
      speaker_ids: [],
      community_ids: [],
      families: ['ipv4', 'ipv6'],
      passive: false,
      port: 179,
      multihop: null,
      hold_time: 90,
      has_password: false,
      enabled: true,
      connected_speaker_id: null,
      established_on_speakers: [],
      session_mismatch: true,
    });
    expect((await jobsOf('peer_reconcile')).length).toBeGreaterThan(before);
    const path = `/v1/peers/${peer.id}`;
    const changed = await service.call('PATCH', path, {
      body: { speaker_ids: [speaker], community_ids: [community] },
    });
    expect(changed.body).toMatchObject({ speaker_ids: [speaker], community_ids: [community] });
    expect((await service.call('DELETE', path)).status).toBe(204);
    expect((await service.call('GET', path)).status).toBe(404);
  });

  test.each([
    ['/hold_time', { hold_time: 2 }],
    ['/address', { address: '192.0.2.300' }],
    ['/remote_asn', { remote_asn: 0 }],
    ['/port', { port: 0 }],
    ['/password', { password: 'secret' }],
    ['/bfd', { bfd: true }],
    ['/speaker_ids/0', { speaker_ids: [NOBODY] }],
    ['/community_ids/0', { community_ids: [NOBODY] }],
    ['/families', { families: [] }],
  ])('422: %s in %o', async (pointer, members) => {
    const body = { name: 'wrong', address: '192.0.2.11', remote_asn: 64500, ...members };
    const answer = await service.call('POST', '/v1/peers', { body });
    expect(refused(answer)).toEqual({ status: 422, code: 'validation_failed', at: [pointer] });
    expect((await service.call('GET', '/v1/peers?q=wrong')).body.items).toEqual([]);
  });

  test('409: the same address on the same speaker', async () => {
    await service.make('/v1/peers', { name: 'one', address: '192.0.2.12', remote_asn: 64500 });
    const body = { name: 'two', address: '192.0.2.12', remote_asn: 64500 };
    expect(refused(await service.call('POST', '/v1/peers', { body }))).toMatchObject({
      status: 409,
      code: 'conflict',
    });
  });
});

describe('revisions', () => {
  let revision: string;
  const path = () => `/v1/revisions/${revision}`;
  beforeAll(async () => {
    const prefixes = ['1.1.1.0/24', '8.8.8.0/24', '2001:4860::/32'];
    revision = await makeRevision(service, service.tenant, community, prefixes);
  });

  test('200: read and listed by state', async () => {
    expect((await service.call('GET', path())).body).toMatchObject({
      number: 1,
      state: 'ready',
      pinned: false,
      prefix_count: { ipv4: 2, ipv6: 1 },
      applied_on: [],
    });
    const { body } = await service.call('GET', '/v1/revisions?state=ready');
    expect((body.items as Body[]).map(({ id }) => id)).toContain(revision);
    expect((await service.call('GET', '/v1/revisions?state=held')).body.items).toEqual([]);
    const built = (body.items as Body[]).find(({ id }) => id === revision)!.created_at as string;
    const later = new Date(Date.parse(built) + 1).toISOString();
    for (const [query, isIn] of [
      [`since=${built}&until=${later}`, true],
      [`since=${later}`, false],
      [`until=${built}`, false],
    ] as const) {
      const { items } = (await service.call('GET', `/v1/revisions?${query}`)).body;
      expect(
        (items as Body[]).some(({ id }) => id === revision),
        query,
      ).toBe(isIn);
    }
  });

  test('200: pinned and let go', async () => {
    for (const pinned of [true, false])
      expect((await service.call('PATCH', path(), { body: { pinned } })).body.pinned).toBe(pinned);
  });

  test('200: prefixes in pages, with their communities', async () => {
    const first = await service.call('GET', `${path()}/prefixes?limit=2`);
    const named = { community_id: community, community: '65000:100', title: 'Clouds' };
    expect(first.body.items).toEqual([
      { prefix: '1.1.1.0/24', communities: [named] },
      { prefix: '8.8.8.0/24', communities: [named] },
    ]);
    const { body } = await service.call('GET', `${path()}/prefixes?cursor=${String(first.body.next_cursor)}`);
    expect(body).toEqual({
      items: [{ prefix: '2001:4860::/32', communities: [named] }],
      next_cursor: null,
      has_more: false,
    });
  });

  test('200: prefixes by family, community and what they contain', async () => {
    const found = async (query: string) =>
      ((await service.call('GET', `${path()}/prefixes?${query}`)).body.items as Body[]).map(
        ({ prefix }) => prefix,
      );
    expect(await found('family=ipv6')).toEqual(['2001:4860::/32']);
    expect(await found('contains=8.8.8.8')).toEqual(['8.8.8.0/24']);
    expect(await found(`contains=8.8.9.9&community_id=${community}`)).toEqual([]);
    expect(refused(await service.call('GET', `${path()}/prefixes?contains=8.8.8.300`)).at).toEqual([
      '?contains',
    ]);
    expect(refused(await service.call('GET', `${path()}/prefixes?community_id=${NOBODY}`)).at).toEqual([
      '?community_id',
    ]);
  });

  test('200: all of them as text or CSV', async () => {
    const as = (accept: string) => service.call('GET', `${path()}/prefixes`, { headers: { accept } });
    const text = await as('text/plain');
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text.headers.get('vary')).toContain('Accept');
    expect(text.text).toBe('1.1.1.0/24\n8.8.8.0/24\n2001:4860::/32\n');
    expect((await as('text/csv')).text.split('\r\n')[1]).toBe('1.1.1.0/24,65000:100');
    expect(refused(await as('image/png'))).toMatchObject({ status: 406, code: 'not_acceptable' });
    expect(
      (await service.call('HEAD', `${path()}/prefixes`, { headers: { accept: 'text/csv' } })).status,
    ).toBe(200);
  });

  test('200: a long stream arrives whole after its transaction has ended', async () => {
    const many = Array.from({ length: 60_000 }, (_, index) => `20.${index >> 8}.${index & 255}.0/24`);
    const long = await makeRevision(service, service.tenant, community, many);
    const headers = { accept: 'text/plain' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => service.call('GET', `/v1/revisions/${long}/prefixes`, { headers })),
    );
    for (const { text } of answers) expect(text.split('\n')).toHaveLength(60_001);
  });
});

describe('apply', () => {
  test('202: the latest ready revision to every speaker, without a body', async () => {
    const id = await makeRevision(service, service.tenant, community, ['9.9.9.0/24']);
    for (const body of [undefined, {}]) {
      const answer = await service.call('POST', '/v1/apply', { body });
      expect(answer.body).toMatchObject({ type: 'apply', resource: { type: 'revision', id } });
    }
    expect((await service.call('POST', `/v1/speakers/${speaker}/apply`)).body).toMatchObject({
      type: 'apply',
    });
  });

  test('409 revision_not_ready: there is none', async () => {
    const answer = await service.call('POST', '/v1/apply', { key: service.other.keys.operator });
    expect(refused(answer)).toMatchObject({ status: 409, code: 'revision_not_ready' });
  });

  test('422: what it names must exist', async () => {
    const revision = await service.call('POST', '/v1/apply', { body: { revision_id: NOBODY } });
    expect(refused(revision)).toEqual({ status: 422, code: 'validation_failed', at: ['/revision_id'] });
    const speakers = await service.call('POST', '/v1/apply', { body: { speaker_ids: [speaker, NOBODY] } });
    expect(refused(speakers)).toEqual({ status: 422, code: 'validation_failed', at: ['/speaker_ids/1'] });
  });
});

describe('jobs', () => {
  test('202: a queued job is cancelled at once, 409 when it has finished', async () => {
    const module = await service.make('/v1/modules', { name: 'job', type: 'IP_RANGES' });
    const { body: job } = await service.call('POST', `/v1/modules/${module.id}/refresh`);
    const path = `/v1/jobs/${String(job.id)}`;
    expect((await service.call('GET', path)).body).toMatchObject({
      state: 'queued',
      attempt: 0,
      finished_at: null,
    });
    const { body } = await service.call('GET', `/v1/jobs?state=queued&resource_id=${module.id}`);
    expect((body.items as Body[]).map(({ id }) => id)).toEqual([job.id]);
    expect((await service.call('POST', `${path}/cancel`)).body).toMatchObject({ state: 'cancelled' });
    expect(refused(await service.call('POST', `${path}/cancel`))).toMatchObject({
      status: 409,
      code: 'job_finished',
    });
  });
});
