/** A request is begun with a good key and ended after the key, or its tenant, was taken back. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { HalfSent } from './half-sent.ts';
import { makeTenant, startService, type TestService, type TestTenant } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const begun: HalfSent[] = [];
afterEach(() => {
  for (const request of begun.splice(0)) request.end();
});

const BODY = JSON.stringify({ name: 'back', role: 'operator' });

/** A request whose last bytes come when `end` is called; it resolves with the status. */
async function begin(key: string, path: string, body = BODY): Promise<() => Promise<number>> {
  const head = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  const request = new HalfSent(service.url, key, path, head);
  begun.push(request);
  request.send(body.slice(0, 5));
  // The head has passed once the service holds room for the body: what a key may not do is refused before.
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(request.answer).toBe('');
  return async () => {
    request.send(body.slice(5));
    return request.status();
  };
}

/** Whether ordinary use of the key is refused by now. */
function isRefused(key: string): Promise<boolean> {
  return service.call('GET', '/v1/auth/session', { key }).then(({ status }) => status >= 400);
}

async function mintKey(tenant: TestTenant): Promise<{ id: string; secret: string }> {
  const made = await service.make('/v1/api-keys', { name: 'stolen', role: 'operator' }, tenant.keys.operator);
  return { id: made.id, secret: made.secret as string };
}

test('a key that is revoked while the body arrives makes no key, nor anything else', async () => {
  const tenant = await makeTenant(service.database);
  const { id, secret } = await mintKey(tenant);
  const key = tenant.keys.operator;
  const ends = [
    await begin(secret, '/v1/api-keys'),
    await begin(secret, '/v1/modules', JSON.stringify({ name: 'back', type: 'IP_RANGES' })),
  ];
  expect((await service.call('DELETE', `/v1/api-keys/${id}`, { key })).status).toBe(204);
  await waitFor(() => isRefused(secret), { what: 'the key to be refused' });
  expect(await Promise.all(ends.map((end) => end()))).toEqual([401, 401]);
  expect((await service.call('GET', '/v1/api-keys?q=back', { key })).body.items).toEqual([]);
  expect((await service.call('GET', '/v1/modules', { key })).body.items).toEqual([]);
});

test.each(['stop', 'suspend'])(
  'a tenant that is ended by %s while the body arrives writes nothing',
  async (how) => {
    const tenant = await makeTenant(service.database);
    const end = await begin(tenant.keys.operator, '/v1/api-keys');
    const key = service.tenant.keys.super_admin;
    const ended =
      how === 'stop'
        ? await service.call('POST', `/v1/tenants/${tenant.id}/stop`, { key })
        : await service.call('PATCH', `/v1/tenants/${tenant.id}`, { key, body: { status: 'suspended' } });
    expect(ended.status).toBe(200);
    await waitFor(() => isRefused(tenant.keys.operator), { what: 'the tenant to be refused' });
    expect(await end()).toBe(403);
  },
);

test('a body that arrives slowly under a good key is taken', async () => {
  const end = await begin(service.tenant.keys.operator, '/v1/api-keys');
  await new Promise((resolve) => setTimeout(resolve, 1_000)); // slow, and longer than a key is believed
  expect(await end()).toBe(201);
});
