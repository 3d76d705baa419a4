/** Headers that are sent for a tenant: changed by name, never shown. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listSourcesToCollect } from '../../../src/store/entries/cdn-sources.ts';
import { listProfilesToAsk } from '../../../src/store/modules/doh-profiles.ts';
import { startService, type Body, type TestService } from '../service.ts';

let service: TestService;
let moduleId: string;
beforeAll(async () => {
  service = await startService();
  moduleId = (await service.make('/v1/modules', { name: 'sources', type: 'CDN_SOURCES' })).id;
});
afterAll(() => service.close());

const KINDS = [
  {
    kind: 'cdn-sources',
    path: () => `/v1/modules/${moduleId}/cdn-sources`,
    url: 'https://example.net/list',
    read: async (id: string) => {
      const { db, secrets } = service.dependencies;
      const sources = await db.inTenant(service.tenant.id, (tx) =>
        listSourcesToCollect(tx, moduleId, secrets),
      );
      return sources.find((source) => source.id === id)!.headers;
    },
  },
  {
    kind: 'doh-profiles',
    path: () => '/v1/doh-profiles',
    url: 'https://dns.example/dns-query',
    read: async (id: string) => {
      const { db, secrets } = service.dependencies;
      const [profile] = await db.inTenant(service.tenant.id, (tx) => listProfilesToAsk(tx, secrets, [id]));
      return profile!.headers;
    },
  },
];

describe.each(KINDS)('$kind', ({ kind, path, url, read }) => {
  let serial = 0;
  const make = (headers: Body) => service.make(path(), { name: `${kind} ${++serial}`, url, headers });
  const patch = (id: string, headers: Body) =>
    service.call('PATCH', `${path()}/${id}`, { body: { headers } });

  test('PATCH changes those that it names, removes those that are null, and leaves the others', async () => {
    const { id } = await make({ Authorization: 'Bearer one', 'X-Old': 'old', 'X-Stays': 'stays' });
    const { status, body } = await patch(id, { authorization: 'Bearer two', 'X-OLD': null, 'X-New': 'new' });
    expect(status).toBe(200);
    expect(body.headers).toEqual({ 'X-Stays': null, authorization: null, 'X-New': null });
    expect(await read(id)).toEqual({ 'X-Stays': 'stays', authorization: 'Bearer two', 'X-New': 'new' });
  });

  test('removing what is not there, and the last one', async () => {
    const { id } = await make({ 'X-One': '1' });
    expect((await patch(id, { 'X-Two': null })).body.headers).toEqual({ 'X-One': null });
    expect((await patch(id, { 'x-one': null })).body.headers).toEqual({});
    expect(await read(id)).toEqual({});
  });

  test('two at once both count', async () => {
    const { id } = await make({});
    const names = Array.from({ length: 8 }, (_, index) => `X-${index}`);
    await Promise.all(names.map((name) => patch(id, { [name]: name })));
    expect(Object.keys(await read(id)).sort()).toEqual(names);
  });

  test('422: one too many in all, or one twice', async () => {
    const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`X-${index}`, 'v']));
    const { id } = await make(twenty);
    const full = await patch(id, { 'X-20': 'v' });
    expect(full.status).toBe(422);
    expect(full.body.detail).toContain('21');
    expect((await patch(id, { 'X-20': 'v', 'X-0': null })).status).toBe(200);
    const twice = await patch(id, { 'X-Twice': 'a', 'x-twice': 'b' });
    expect((twice.body.errors as Body[]).map(({ pointer }) => pointer)).toEqual(['/headers/x-twice']);
  });

  test('the audit log reports which came, changed and went, and no value', async () => {
    const { id } = await make({ 'X-Goes': 'planted-1', 'X-Stays': 'planted-2' });
    await patch(id, { 'X-Goes': null, 'X-Comes': 'planted-3' });
    const { body } = await service.call('GET', '/v1/audit?limit=500');
    const record = (body.items as Body[]).find(
      ({ action, resource }) => String(action).endsWith('.change') && (resource as Body).id === id,
    )!;
    expect(record.changes).toMatchObject({
      before: { headers: { 'X-Goes': null } },
      after: { headers: { 'X-Comes': '***' } },
    });
    expect(JSON.stringify(body)).not.toContain('planted');
  });
});
