import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator } from '../../../src/http/admission/authentication.ts';
import { keyCredential } from '../../../src/http/request/credentials.ts';
import { RateLimiter } from '../../../src/http/admission/rate-limits.ts';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe('401', () => {
  test.each([
    ['no header', undefined, 'Send the header'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 'not of the form'],
    ['an empty key', 'Bearer ', 'not of the form'],
    ['two keys', 'Bearer a b', 'not of the form'],
    ['something else', 'Bearer hunter2', 'checksum'],
  ])('%s', async (_, authorization, reported) => {
    const headers = authorization === undefined ? {} : { authorization };
    const {
      status,
      body,
      headers: answered,
    } = await service.call('GET', '/v1/modules', { key: null, headers });
    expect({ status, code: body.code }).toEqual({ status: 401, code: 'unauthenticated' });
    expect(body.detail).toContain(reported);
    expect(answered.get('www-authenticate')).toBe('Bearer');
  });

  test('a typo is reported by the checksum', async () => {
    const { operator } = service.tenant.keys;
    const typo = operator.replace(/.(?=_[^_]*$)/, (last) => (last === 'A' ? 'B' : 'A'));
    const { status, body } = await service.call('GET', '/v1/modules', { key: typo });
    expect(status).toBe(401);
    expect(body.detail).toContain('checksum');
  });

  test('the scheme is read in any case', async () => {
    const headers = { authorization: `bearer ${service.tenant.keys.viewer}` };
    expect((await service.call('GET', '/v1/modules', { key: null, headers })).status).toBe(200);
  });
});

test('a revoked key stops working, and stays listed', async () => {
  const key = await service.make('/v1/api-keys', { name: 'short lived', role: 'viewer' });
  const secret = String(key.secret);
  expect((await service.call('GET', '/v1/modules', { key: secret })).status).toBe(200);
  expect((await service.call('DELETE', `/v1/api-keys/${key.id}`)).status).toBe(204);
  await expect.poll(async () => (await service.call('GET', '/v1/modules', { key: secret })).status).toBe(401);
  const { body } = await service.call('GET', `/v1/api-keys/${key.id}`);
  expect(body.revoked_at).not.toBeNull();
});

test('a key is remembered for less than a second', async () => {
  let clock = 0;
  const limiter = new RateLimiter({ reads: 0, writes: 0, nodes: 0, failures: 0 });
  const authenticator = new Authenticator(service.database.db, limiter, () => clock);
  const authenticate = (secret: string) => authenticator.authenticate(keyCredential(secret), '127.0.0.1');
  const key = await service.make('/v1/api-keys', { name: 'remembered', role: 'viewer' });
  const secret = String(key.secret);
  expect((await authenticate(secret)).key.id).toBe(key.id);
  await service.call('DELETE', `/v1/api-keys/${key.id}`);
  clock = 500;
  expect((await authenticate(secret)).key.id).toBe(key.id);
  clock = 900;
  await expect(authenticate(secret)).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('only a good key is known without a look-up, on each connection by its own header, and as long as it is remembered', async () => {
  let clock = 0;
  const limiter = new RateLimiter({ reads: 0, writes: 0, nodes: 0, failures: 0 });
  const authenticator = new Authenticator(service.database.db, limiter, () => clock);
  const [here, there] = [{}, {}];
  const good = `Bearer ${service.tenant.keys.viewer}`;
  const other = `Bearer ${service.tenant.keys.operator}`;
  const wrongKey = mintApiKey('viewer').secret;
  const wrong = `Bearer ${wrongKey}`;
  expect(authenticator.remembered(good, here)).toBeNull();
  const principal = await authenticator.authenticate(keyCredential(service.tenant.keys.viewer), '127.0.0.1');
  await expect(authenticator.authenticate(keyCredential(wrongKey), '127.0.0.1')).rejects.toThrow();
  expect(authenticator.remembered(good, here)).toBe(principal);
  expect(authenticator.remembered(good, there)).toBe(principal);
  for (const header of [wrong, other, 'Bearer', '', good.slice(0, -1)])
    expect(authenticator.remembered(header, here), header).toBeNull();
  expect(authenticator.remembered(good, here)).toBe(principal);
  clock = 800;
  expect(authenticator.remembered(good, here)).toBeNull();
  clock = 0;
  authenticator.forget();
  expect(authenticator.remembered(good, here)).toBeNull();
});

test('a key stops when it expires, although it is remembered', async () => {
  const expires_at = new Date(Date.now() + 4000).toISOString();
  const key = await service.make('/v1/api-keys', { name: 'expiring', role: 'viewer', expires_at });
  await expect
    .poll(async () => (await service.call('GET', '/v1/modules', { key: String(key.secret) })).status)
    .toBe(401);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expires_at));
});

test('last_used_at is set by use', async () => {
  const key = await service.make('/v1/api-keys', { name: 'used', role: 'viewer' });
  expect(key.last_used_at).toBeNull();
  await service.call('GET', '/v1/modules', { key: String(key.secret) });
  await expect
    .poll(async () => (await service.call('GET', `/v1/api-keys/${key.id}`)).body.last_used_at)
    .not.toBeNull();
});

test('403 tenant_suspended: keys of a suspended tenant do nothing', async () => {
  const { id, keys } = service.other;
  await service.database.admin("UPDATE tenant SET status = 'suspended' WHERE id = $1", [id]);
  await expect
    .poll(async () => (await service.call('GET', '/v1/modules', { key: keys.viewer })).body.code)
    .toBe('tenant_suspended');
  await service.database.admin("UPDATE tenant SET status = 'active' WHERE id = $1", [id]);
  await expect
    .poll(async () => (await service.call('GET', '/v1/modules', { key: keys.viewer })).status)
    .toBe(200);
});

test('the session reports tenant, role, permissions and key', async () => {
  const { body } = await service.call('GET', '/v1/auth/session', { key: service.tenant.keys.node });
  expect(body).toMatchObject({
    tenant: { id: service.tenant.id },
    role: 'node',
    permissions: ['bgp:session:read', 'bgp:node:pull', 'bgp:node:report'],
    key: { name: 'the node', expires_at: null },
  });
  expect(service.tenant.keys.node.startsWith((body.key as { prefix: string }).prefix)).toBe(true);
});

describe('API keys', () => {
  test('201: the secret is in the answer to creation alone, and works', async () => {
    const key = await service.make('/v1/api-keys', { name: 'once', role: 'operator' });
    const secret = String(key.secret);
    expect((await service.call('GET', '/v1/auth/session', { key: secret })).body.role).toBe('operator');
    expect((await service.call('GET', `/v1/api-keys/${key.id}`)).text).not.toContain(secret);
    expect((await service.call('GET', '/v1/api-keys?limit=500')).text).not.toContain(secret);
  });

  test('403 role_escalation: no key creates a stronger one', async () => {
    for (const role of ['super_viewer', 'super_admin'] as const) {
      const { status, body } = await service.call('POST', '/v1/api-keys', { body: { name: 'x', role } });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'role_escalation' });
      const key = service.tenant.keys.super_admin;
      expect((await service.call('POST', '/v1/api-keys', { body: { name: 'x', role }, key })).status).toBe(
        201,
      );
    }
  });

  test('422: what has expired already', async () => {
    for (const expires_at of ['2001-01-01T00:00:00Z', '0000-01-01T00:00:00Z']) {
      const { status, body } = await service.call('POST', '/v1/api-keys', {
        body: { name: 'late', role: 'viewer', expires_at },
      });
      expect({ status, code: body.code }).toEqual({ status: 422, code: 'validation_failed' });
    }
  });

  test('200: a key can be renamed', async () => {
    const key = await service.make('/v1/api-keys', { name: 'before', role: 'viewer' });
    const { body } = await service.call('PATCH', `/v1/api-keys/${key.id}`, { body: { name: 'after' } });
    expect(body).toMatchObject({ id: key.id, name: 'after', role: 'viewer' });
  });
});
