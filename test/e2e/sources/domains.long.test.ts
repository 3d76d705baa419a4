import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { startUnbound, type Unbound } from '../../daemons/unbound.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Casting, refresh, refreshInVain, startCasting } from '../casting.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('unbound') === null;

/** Names become routes at a router, and what resolvers say later changes them, or does not. */
describe.skipIf(lacks)('a module of domains', () => {
  let unbound: Unbound;
  let casting: Casting;
  let bird: Bird;
  let moduleId: string;
  let profileId: string;
  const ids = new Map<string, string>();

  const entry = (domain: string) =>
    casting.service.get<{
      status: string;
      last_error: string | null;
      last_refreshed_at: string | null;
      prefix_count: object;
      addresses: { address: string; dropped: string | null; last_seen_at: string }[];
    }>(`/v1/modules/${moduleId}/domain-entries/${ids.get(domain)}`);
  const routes = async (): Promise<string[]> => (await bird.routes()).map(({ prefix }) => prefix).sort();
  const policy = (more: object): Promise<unknown> =>
    casting.service.call('PATCH', `/v1/modules/${moduleId}`, { doh_resolver_policy: more });
  const lookUp = (q: string) =>
    casting.service.get<{
      matches: { layer: string; source: string; prefix?: string; domain?: string; community: object }[];
      announced: { prefix: string }[];
    }>(`/v1/lookup?q=${q}`);

  beforeAll(async () => {
    const address = loopbackAddress();
    unbound = await startUnbound({
      listen: { address, port: await freePort(address) },
      records: [
        'www 60 CNAME edge',
        'edge 60 A 45.0.0.1',
        'edge 60 AAAA 2600:80::1',
        'two 60 A 45.0.0.8',
        'two 60 A 45.0.0.9',
        'two 60 A 10.0.0.1',
      ],
    });
    casting = await startCasting({
      APP_FETCH_ALLOW: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: unbound.certificates.caFile,
    });
    bird = await casting.addBird();
    const { service } = casting;
    const { id: community_id } = await service.post<{ id: string }>('/v1/communities', {
      community: '64500:7',
      title: 'Names',
    });
    const body = { name: 'names', type: 'DOMAINS', community_id };
    moduleId = (await service.post<{ id: string }>('/v1/modules', body)).id;
    const { items } = await service.post<{ items: { id: string; domain: string }[] }>(
      `/v1/modules/${moduleId}/domain-entries`,
      { items: [{ domain: 'WWW.test.' }, { domain: 'two.test' }] },
    );
    for (const { domain, id } of items) ids.set(domain, id);
  });
  afterAll(async () => {
    await casting?.close();
    await unbound?.stop();
  });

  test('says what is missing while it has no resolver', async () => {
    expect(await refreshInVain(casting, moduleId)).toMatchObject({ status: 'failed' });
    const { status, last_error: error } = await entry('www.test');
    expect(status).toBe('failed');
    expect(error).toContain('POST /v1/doh-profiles');
  });

  test('has at the router what the names resolve to, and reports what it left out', async () => {
    const { service } = casting;
    profileId = (await service.post<{ id: string }>('/v1/doh-profiles', { url: unbound.url })).id;
    await service.call('PATCH', `/v1/modules/${moduleId}`, { doh_profile_id: profileId });
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'ok' });
    await bird.waitRoutes(3);
    expect(await routes()).toEqual(['2600:80::1/128', '45.0.0.1/32', '45.0.0.8/31']);
    for (const { communities } of await bird.routes()) expect(communities).toContain('64500:7');
    expect(await entry('www.test')).toMatchObject({ status: 'ok', prefix_count: { ipv4: 1, ipv6: 1 } });
    const two = await entry('two.test');
    expect(two).toMatchObject({ status: 'ok', last_error: null, prefix_count: { ipv4: 2, ipv6: 0 } });
    expect(two.addresses.find(({ address }) => address === '10.0.0.1')!.dropped).toContain('RFC 1918');
  });

  test('is found by name, in both layers, with what is announced', async () => {
    const { matches, announced } = await lookUp('Two.test.');
    expect(matches.map(({ layer, source, prefix, domain }) => [layer, source, prefix ?? domain])).toEqual([
      ['entry', 'domain', 'two.test'],
      ['snapshot', 'domain', '45.0.0.8/32'],
      ['snapshot', 'domain', '45.0.0.9/32'],
    ]);
    expect(matches[2]!.community).toMatchObject({ value: '64500:7', title: 'Names' });
    expect(announced.map(({ prefix }) => prefix)).toEqual(['45.0.0.8/31']);
    const [match] = (await lookUp('45.0.0.1')).matches;
    expect(match).toMatchObject({ layer: 'snapshot', source: 'domain', prefix: '45.0.0.1/32' });
  });

  test('keeps what was seen before while the resolver cannot answer, however old', async () => {
    await policy({ retain_seconds: 0 });
    const before = await routes();
    const { last_refreshed_at: refreshed } = await entry('two.test');
    await unbound.serve({ broken: ['two'] });
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'partial', content_changed: false });
    const two = await entry('two.test');
    expect(two).toMatchObject({ status: 'stale', last_refreshed_at: refreshed });
    expect(two.last_error).toContain('SERVFAIL');
    unbound.kill('SIGSTOP');
    try {
      await casting.service.call('PATCH', `/v1/doh-profiles/${profileId}`, { timeout_ms: 300 });
      expect(await refreshInVain(casting, moduleId)).toMatchObject({ status: 'failed' });
    } finally {
      unbound.kill('SIGCONT');
    }
    expect((await entry('www.test')).last_error).toContain('source_timeout');
    await casting.service.call('PATCH', `/v1/doh-profiles/${profileId}`, { timeout_ms: 20_000 });
    expect(await routes()).toEqual(before);
  });

  test('keeps addresses that rotate, for the time that the module says', async () => {
    await policy({ retain_seconds: 86_400 });
    await unbound.serve({
      broken: [],
      records: ['www 60 A 45.0.0.2', 'two 60 A 45.0.0.8', 'two 60 A 45.0.0.9'],
    });
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'ok' });
    await bird.waitRoutes(4);
    expect(await routes()).toEqual(['2600:80::1/128', '45.0.0.1/32', '45.0.0.2/32', '45.0.0.8/31']);
    await policy({ retain_seconds: 0 });
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'ok' });
    await bird.waitRoutes(2);
    expect(await routes()).toEqual(['45.0.0.2/32', '45.0.0.8/31']);
  });

  test('lets go of a name that is gone when that time is over, and not before', async () => {
    await policy({ retain_seconds: 86_400 });
    await unbound.serve({ records: ['www 60 A 45.0.0.2'] });
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'ok', content_changed: false });
    expect(await entry('two.test')).toMatchObject({ status: 'ok', prefix_count: { ipv4: 2, ipv6: 0 } });
    await policy({ retain_seconds: 1 });
    // Whole seconds have to pass on the clock of the database.
    await waitFor(
      async () => {
        await refresh(casting, moduleId);
        return (await entry('two.test')).addresses.length === 0;
      },
      { what: 'the addresses to be let go', everyMs: 500 },
    );
    const gone = await entry('two.test');
    expect(gone.status).toBe('ok');
    expect(gone.last_error).toMatch(/^NXDOMAIN: there is no such name\./);
    await bird.waitRoutes(1);
    expect(await routes()).toEqual(['45.0.0.2/32']);
  });
});
