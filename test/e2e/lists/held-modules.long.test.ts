import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { addCdnModule, type Casting, refresh, type Routers, serve, startCasting } from '../casting.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('frr-bgpd') === null;

/** `count` scattered /24s from the `from`th on: no two of them halves of one. */
const scattered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `45.${(from + i) >> 7}.${((from + i) & 127) * 2}.0/24`);

interface Module {
  readonly held: {
    readonly snapshot: string;
    readonly findings: readonly { readonly code: string }[];
  } | null;
}

/** One story, in order: what a BIRD and an FRR have at each step. */
describe.skipIf(lacks)('a source that turns bad, with two real routers', () => {
  let casting: Casting;
  let routers: Routers;
  let listId: string;
  let sourceId: string;
  let rangesId: string;
  const list = scattered(200);

  beforeAll(async () => {
    casting = await startCasting();
    casting.sources.set('/list', serve(list.join('\n')));
    routers = await casting.addRouters();
    ({ moduleId: listId, sourceId } = await addCdnModule(casting, '64500:1', { path: '/list' }));
    await refresh(casting, listId);
    await routers.waitRoutes(200);
    const community = { community: '64500:666', title: 'blackhole' };
    const { id: communityId } = await casting.service.post<{ id: string }>('/v1/communities', community);
    const ranges = { name: 'blackhole', type: 'IP_RANGES', community_id: communityId };
    ({ id: rangesId } = await casting.service.post<{ id: string }>('/v1/modules', ranges));
  });
  afterAll(() => casting?.close());

  const received = async () => (await routers.lines()).map((line) => line.split(' ')[0]!).sort();
  const module = () => casting.service.get<Module>(`/v1/modules/${listId}`);
  const addRange = (cidr: string, moduleId = rangesId) =>
    casting.service.post(`/v1/modules/${moduleId}/ip-range-entries`, { cidr });

  test('poison in one module is held, and a blackhole in another reaches the routers', async () => {
    casting.sources.set('/list', serve(scattered(20).join('\n')));
    const { quarantined } = await refresh(casting, listId);
    expect(quarantined).toEqual([listId]);
    expect(await module()).toMatchObject({
      held: { findings: [{ code: 'max_change_exceeded', module_id: listId, entry_id: sourceId }] },
    });
    expect(casting.reported.filter(({ event }) => event === 'module_held')).toMatchObject([
      { tenant: 'default', module: 'module 64500:1', findings: ['max_change_exceeded'] },
    ]);
    expect(casting.reported.filter(({ event }) => event === 'module_released')).toEqual([]);
    await addRange('46.9.9.9/32');
    await refresh(casting, rangesId);
    await routers.waitRoutes(201);
    expect(await received()).toEqual([...list, '46.9.9.9/32'].sort());
  });

  test('the source fails then: the routers keep the good routes, not the poison', async () => {
    casting.sources.set('/list', (_request, response) => response.writeHead(503).end());
    const { id } = await casting.service.post<{ id: string }>(`/v1/modules/${listId}/refresh`);
    await casting.service.ended({ id });
    await addRange('46.9.9.10/32');
    await refresh(casting, rangesId);
    await routers.waitRoutes(202);
    expect(await received()).toEqual([...list, '46.9.9.9/32', '46.9.9.10/32'].sort());
    expect(await casting.service.get(`/v1/modules/${listId}/cdn-sources/${sourceId}`)).toMatchObject({
      ...{ status: 'stale', held: true, prefix_count: { ipv4: 200 } },
    });
  });

  test('a release lets through what its difference said', async () => {
    casting.sources.set('/list', serve(scattered(20).join('\n')));
    await refresh(casting, listId);
    const { held } = await module();
    expect(await casting.service.get(`/v1/modules/${listId}/held/diff?limit=1`)).toMatchObject({
      ...{ snapshot: held!.snapshot, summary: { announced: 0, withdrawn: 180, changed: 0 } },
    });
    const release = {
      override: ['max_change_exceeded'],
      reason: 'the provider gave its network up',
      snapshot: held!.snapshot,
    };
    const job = await casting.service.post<{ id: string }>(`/v1/modules/${listId}/release`, release);
    await casting.service.succeeded(job);
    await routers.waitRoutes(22);
    expect(await received()).toEqual([...scattered(20), '46.9.9.9/32', '46.9.9.10/32'].sort());
    expect(await module()).toMatchObject({ held: null });
    expect(casting.reported.findLast(({ event }) => event === 'module_released')).toMatchObject({
      msg: 'The module module 64500:1 is held no more',
    });
    expect(await casting.service.get('/v1/audit?action=module.release')).toMatchObject({
      items: [{ severity: 'critical', resource: { type: 'module', id: listId } }],
    });
  });

  test('0.0.0.0/0 with an exclusion reaches nobody', async () => {
    const out = { name: 'out', type: 'IP_RANGES', purpose: 'exclude' };
    const { id: outId } = await casting.service.post<{ id: string }>('/v1/modules', out);
    await addRange('9.9.9.0/24', outId);
    await refresh(casting, outId);
    const all = await casting.service.post<{ id: string }>('/v1/modules', { name: 'all', type: 'IP_RANGES' });
    await addRange('0.0.0.0/0', all.id);
    const { quarantined } = await refresh(casting, all.id);
    expect(quarantined).toEqual([all.id]);
    const { held } = await casting.service.get<Module>(`/v1/modules/${all.id}`);
    expect(held!.findings.map(({ code }) => code)).toContain('default_route_forbidden');
    for (const finding of held!.findings)
      expect(finding).toMatchObject({ module_id: all.id, entry_id: expect.any(String) as string });
    const key = { name: 'night shift', role: 'operator' };
    const { secret } = await casting.service.post<{ secret: string }>('/v1/api-keys', key);
    const release = {
      override: [...new Set(held!.findings.map(({ code }) => code))],
      reason: 'an upstream asked for it',
    };
    const refused = await fetch(`${casting.service.url}/v1/modules/${all.id}/release`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(release),
    });
    expect(await refused.json()).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await received()).toEqual([...scattered(20), '46.9.9.9/32', '46.9.9.10/32'].sort());
    await casting.service.call('DELETE', `/v1/modules/${all.id}`);
  });

  test('more than half of the addresses reach nobody either, also where an exclusion takes most of them out', async () => {
    const most = { name: 'most', type: 'IP_RANGES' };
    const { id } = await casting.service.post<{ id: string }>('/v1/modules', most);
    const ranges = { items: [{ cidr: '64.0.0.0/2' }, { cidr: '128.0.0.0/2' }] };
    await casting.service.post(`/v1/modules/${id}/ip-range-entries`, ranges);
    const out = { name: 'nearly all of it', type: 'IP_RANGES', purpose: 'exclude' };
    const { id: outId } = await casting.service.post<{ id: string }>('/v1/modules', out);
    const taken = { items: [{ cidr: '64.0.0.0/2' }, { cidr: '128.0.0.0/3' }, { cidr: '160.0.0.0/4' }] };
    await casting.service.post(`/v1/modules/${outId}/ip-range-entries`, taken);
    expect((await refresh(casting, id)).quarantined).toContain(id);
    const { held } = await casting.service.get<Module>(`/v1/modules/${id}`);
    expect(held!.findings.find(({ code }) => code === 'coverage_exceeded')).toMatchObject({
      ...{ module_id: id, entry_id: expect.any(String) as string, limit: 50 },
    });
    for (const module of [id, outId]) await casting.service.call('DELETE', `/v1/modules/${module}`);
    await refresh(casting, rangesId);
    expect(await received()).toEqual([...scattered(20), '46.9.9.9/32', '46.9.9.10/32'].sort());
  });

  test('a big module that is disabled is held, and goes when somebody says so', async () => {
    casting.sources.set('/list', serve(scattered(110).join('\n')));
    await refresh(casting, listId);
    await routers.waitRoutes(112);
    await casting.service.call('PATCH', `/v1/modules/${listId}`, { enabled: false });
    await addRange('46.9.9.20/32');
    expect((await refresh(casting, rangesId)).quarantined).toContain(listId);
    await routers.waitRoutes(113);
    const { held } = await module();
    expect(held!.findings).toMatchObject([{ code: 'large_withdrawal', module_id: listId }]);
    const override = { override: ['large_withdrawal'], reason: 'the customer has left us' };
    await casting.service.succeeded(
      await casting.service.post(`/v1/modules/${listId}/release`, { ...override, snapshot: held!.snapshot }),
    );
    await routers.waitRoutes(3);
    expect(await received()).toEqual(['46.9.9.10/32', '46.9.9.20/32', '46.9.9.9/32']);
  });
});
