/** Part 4 of the specification, "Endpoints": what modules, keys, peers and speakers do beside being made, read, changed and deleted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Body } from '../http/service.ts';
import { startFilledService, type FilledService } from './roles.ts';

let service: FilledService;
beforeAll(async () => {
  service = await startFilledService();
});
afterAll(() => service.close());

const read = async (path: string): Promise<Body> => (await service.call('GET', path)).body;

describe('Modules and entries', () => {
  test('GET `/v1/modules`: "list; filters by module type and by enabled status"', async () => {
    const off = await service.make('/v1/modules', { name: 'off', type: 'DOMAINS', enabled: false });
    const found = async (query: string) =>
      ((await read(`/v1/modules?${query}`)).items as Body[]).map(({ id }) => id);
    expect(await found('type=DOMAINS')).toEqual([service.ids['module of names'], off.id]);
    expect(await found('type=DOMAINS&enabled=true')).toEqual([service.ids['module of names']]);
    expect(await found('enabled=false')).toEqual([off.id]);
    expect(await found('type=IP_RANGES')).toEqual([service.ids['module of ranges']]);
  });

  test.for([
    ['cdn-sources', 'module', 'CDN source', { enabled: false }],
    ['as-entries', 'module of networks', 'AS entry', { note: 'x' }],
    ['domain-entries', 'module of names', 'domain entry', { note: 'x' }],
    ['ip-range-entries', 'module of ranges', 'IP range entry', { note: 'x' }],
  ] as const)(
    '"GET, POST, PATCH, DELETE `/v1/modules/{module_id}/%s` (and item routes)": PATCH and DELETE of the collection too',
    async ([entries, module, entry, patch]) => {
      const path = `/v1/modules/${service.ids[module]}/${entries}`;
      const choice = { ids: [service.ids[entry]] };
      await service.expectRefused(['node', 'viewer'], 'PATCH', path, { ...choice, patch });
      expect((await service.call('PATCH', path, { body: { ...choice, patch } })).status).toBe(200);
      expect(await read(`${path}/${service.ids[entry]}`)).toMatchObject(patch);
      await service.expectRefused(['node', 'viewer'], 'DELETE', path, choice);
      expect((await service.call('DELETE', path, { body: choice })).status).toBe(200);
      expect((await service.call('GET', `${path}/${service.ids[entry]}`)).status).toBe(404);
    },
  );

  test('POST `/v1/modules/{module_id}/refresh`: "start a refresh"', async () => {
    const path = `/v1/modules/${service.ids['module of ranges']}/refresh`;
    await service.expectRefused(['node', 'viewer'], 'POST', path);
    const { status, headers, body } = await service.callAs('operator', 'POST', path);
    expect({ status, type: body.type }).toEqual({ status: 202, type: 'module_refresh' });
    expect(headers.get('location')).toBe(`/v1/jobs/${String(body.id)}`);
  });

  test('GET `/v1/router-lists/catalog`: "aggregated catalog of modules, domain entries, ASNs, IP ranges and communities"', async () => {
    const path = '/v1/router-lists/catalog';
    await service.make(`/v1/modules/${service.ids['module of networks']}/as-entries`, { asn: 3333 });
    await service.make(`/v1/modules/${service.ids['module of names']}/domain-entries`, {
      domain: 'a.example.net',
    });
    await service.make(`/v1/modules/${service.ids['module of ranges']}/ip-range-entries`, {
      cidr: '9.9.9.0/24',
    });
    await service.expectRefused(['node'], 'GET', path);
    expect((await service.callAs('viewer', 'GET', path)).body).toMatchObject({
      modules: expect.arrayContaining([expect.objectContaining({ id: service.ids.module })]) as unknown[],
      domain_entries: [{ domain: 'a.example.net' }],
      as_entries: [{ asn: 3333 }],
      ip_range_entries: [{ cidr: '9.9.9.0/24' }],
      communities: [{ community: '65000:100', title: 'Clouds' }],
    });
  });
});

describe('API keys and session', () => {
  test('GET `/v1/auth/session`: "returns tenant and role of the calling key"', async () => {
    for (const role of ['viewer', 'operator', 'node', 'super_admin'] as const)
      expect((await service.callAs(role, 'GET', '/v1/auth/session')).body).toMatchObject({
        tenant: { id: service.tenant.id },
        role,
      });
  });

  test('POST `/v1/api-keys/{id}/rotate`: "rotate"', async () => {
    const path = `/v1/api-keys/${service.ids['API key']}/rotate`;
    await service.expectRefused(['node', 'viewer'], 'POST', path, {});
    const { status, body } = await service.callAs('operator', 'POST', path, {});
    expect({ status, secret: body.secret }).toEqual({ status: 200, secret: expect.any(String) as string });
  });
});

describe('Peers and speakers', () => {
  test('`/v1/peers/{id}`: "write operations start `peer_reconcile`"', async () => {
    const before = ((await read('/v1/jobs?type=peer_reconcile&limit=500')).items as Body[]).length;
    await service.call('PATCH', `/v1/peers/${service.ids.peer}`, { body: { description: 'changed' } });
    const jobs = (await read('/v1/jobs?type=peer_reconcile&limit=500')).items as Body[];
    // A peer's job that waits serves those who ask for another.
    expect(jobs.length).toBeGreaterThanOrEqual(Math.max(1, before));
    expect(jobs[0]).toMatchObject({ resource: { type: 'peer' } });
  });

  test('`/v1/speakers`: "GET accepts a `live` query parameter that adds live speaker and BGP session status"', async () => {
    for (const { live } of (await read('/v1/speakers?live=true')).items as Body[])
      expect(live).toMatchObject({ sessions: expect.any(Array) as unknown[] });
    for (const speaker of (await read('/v1/speakers')).items as Body[])
      expect(speaker).not.toHaveProperty('live');
  });

  test('DELETE speaker resource: "removes a speaker; authorization is checked"', async () => {
    const { id } = await service.make('/v1/speakers', { name: 'removed', local_asn: 64512 });
    const path = `/v1/speakers/${id}`;
    await service.expectRefused(['viewer', 'node'], 'DELETE', path);
    expect((await service.call('DELETE', path, { key: service.other.keys.operator })).status).toBe(404);
    expect((await service.callAs('operator', 'DELETE', path)).status).toBe(204);
    expect((await service.callAs('operator', 'GET', path)).status).toBe(404);
  });

  test('GET `/v1/router/status`: "status of the local routing daemon"', async () => {
    await service.expectRefused(['node'], 'GET', '/v1/router/status');
    const { status, body } = await service.callAs('viewer', 'GET', '/v1/router/status');
    expect(status).toBe(200);
    expect(body).not.toEqual({});
  });
});
