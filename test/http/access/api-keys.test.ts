import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import type { Role } from '../../../src/api/access/permissions.ts';
import { plantKey, startService, type Body, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Long enough for every cache to have forgotten. */
const WITHIN = { interval: 50 };

const statusOf = async (secret: unknown): Promise<number> =>
  (await service.call('GET', '/v1/auth/session', { key: String(secret) })).status;

const plant = (role: Role) => plantKey(service.database, service.tenant.id, role);

const rotate = (id: string, body?: Body, key = service.tenant.keys.operator) =>
  service.call('POST', `/v1/api-keys/${id}/rotate`, { key, ...(body === undefined ? {} : { body }) });

describe('rotation', () => {
  test('200: the new secret works at once, the old one not any more', async () => {
    const key = await service.make('/v1/api-keys', { name: 'turned', role: 'viewer' });
    expect(await statusOf(key.secret)).toBe(200);
    const { status, body } = await rotate(key.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: key.id, name: 'turned', role: 'viewer' });
    expect(Date.parse(String(body.previous_valid_until))).toBeLessThanOrEqual(Date.now());
    expect(body.secret).not.toBe(key.secret);
    expect(String(body.secret).startsWith(String(body.prefix))).toBe(true);
    expect(await statusOf(body.secret)).toBe(200);
    await expect.poll(() => statusOf(key.secret), WITHIN).toBe(401);
    const refused = await service.call('GET', '/v1/modules', { key: String(key.secret) });
    expect(refused.body.detail).toContain('another secret');
    expect((await service.call('GET', `/v1/api-keys/${key.id}`)).text).not.toContain(body.secret);
  });

  test('200: both secrets work while grace lasts, and of the old ones only the last', async () => {
    const key = await service.make('/v1/api-keys', { name: 'graceful', role: 'viewer' });
    const second = await rotate(key.id, { grace_seconds: 3600 });
    expect(Date.parse(String(second.body.previous_valid_until))).toBeGreaterThan(Date.now() + 3_000_000);
    expect(await statusOf(key.secret)).toBe(200);
    expect(await statusOf(second.body.secret)).toBe(200);
    const third = await rotate(key.id, { grace_seconds: 3600 });
    await expect.poll(() => statusOf(key.secret), WITHIN).toBe(401);
    expect(await statusOf(second.body.secret)).toBe(200);
    await rotate(key.id, { grace_seconds: 0 });
    await expect.poll(() => statusOf(third.body.secret), WITHIN).toBe(401);
  });

  test('the process that answers a rotation or a revocation refuses the old secret at once, with no word from the database', async () => {
    const key = await service.make('/v1/api-keys', { name: 'unheard', role: 'viewer' });
    const listeners = await service.database.admin<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'prefixcast listener'`,
    );
    const pids = listeners.map(({ pid }) => pid);
    expect(pids).not.toEqual([]);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      expect(await statusOf(key.secret)).toBe(200);
      const { body } = await rotate(key.id);
      expect(await Promise.all([key.secret, body.secret].map(statusOf))).toEqual([401, 200]);
      await service.call('DELETE', `/v1/api-keys/${key.id}`);
      expect(await statusOf(body.secret)).toBe(401);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
  });

  test('the old secret stops when its grace is over', async () => {
    const key = await service.make('/v1/api-keys', { name: 'short grace', role: 'viewer' });
    const { body } = await rotate(key.id, { grace_seconds: 2 });
    await expect.poll(() => statusOf(key.secret), WITHIN).toBe(401);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(String(body.previous_valid_until)) - 1000);
    expect(await statusOf(body.secret)).toBe(200);
  });

  test('409 conflict: a key that does not work is not fixed by a secret', async () => {
    const revoked = await service.make('/v1/api-keys', { name: 'revoked', role: 'viewer' });
    await service.call('DELETE', `/v1/api-keys/${revoked.id}`);
    const expired = await service.make('/v1/api-keys', { name: 'expired', role: 'viewer' });
    const past = "UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE id = $1";
    await service.database.admin(past, [expired.id]);
    for (const { id } of [revoked, expired]) {
      const { status, body } = await rotate(id);
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    }
  });

  test('422: more grace than a month', async () => {
    const key = await service.make('/v1/api-keys', { name: 'greedy', role: 'viewer' });
    expect((await rotate(key.id, { grace_seconds: 30 * 86_400 })).status).toBe(200);
    expect((await rotate(key.id, { grace_seconds: 30 * 86_400 + 1 })).status).toBe(422);
  });

  test('a repetition with the same Idempotency-Key rotates once', async () => {
    const key = await service.make('/v1/api-keys', { name: 'repeated', role: 'viewer' });
    const ask = () =>
      service.call('POST', `/v1/api-keys/${key.id}/rotate`, { headers: { 'idempotency-key': 'rotate-1' } });
    const [first, again] = [await ask(), await ask()];
    expect(again.body.secret).toBe(first.body.secret);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(await statusOf(first.body.secret)).toBe(200);
  });
});

describe('401 says why', () => {
  test('an expired, a revoked and an unknown key', async () => {
    const expired = await service.make('/v1/api-keys', { name: 'expired', role: 'viewer' });
    const past = "UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE id = $1";
    await service.database.admin(past, [expired.id]);
    const revoked = await service.make('/v1/api-keys', { name: 'revoked', role: 'viewer' });
    await service.call('DELETE', `/v1/api-keys/${revoked.id}`);
    const reported = [
      [expired.secret, 'has expired'],
      [revoked.secret, 'was revoked'],
      [mintApiKey('viewer').secret, 'is unknown'],
    ] as const;
    for (const [secret, text] of reported) {
      const { status, body } = await service.call('GET', '/v1/modules', { key: String(secret) });
      expect(status).toBe(401);
      expect(body.detail).toContain(text);
    }
  });

  test('a later expires_at brings an expired key back', async () => {
    const key = await service.make('/v1/api-keys', { name: 'late', role: 'viewer' });
    const past = "UPDATE api_key SET expires_at = now() - interval '1 hour' WHERE id = $1";
    await service.database.admin(past, [key.id]);
    expect(await statusOf(key.secret)).toBe(401);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    expect((await service.call('PATCH', `/v1/api-keys/${key.id}`, { body: { expires_at } })).status).toBe(
      200,
    );
    await expect.poll(() => statusOf(key.secret), WITHIN).toBe(200);
  });
});

describe('403 role_escalation: an operator does not reach a super_admin key', () => {
  test.each([
    ['rotate', 'POST', '/rotate', {}],
    ['change', 'PATCH', '', { name: 'mine' }],
    ['revoke', 'DELETE', '', undefined],
  ] as const)('%s', async (_, method, suffix, body) => {
    const strong = await plant('super_admin');
    const path = `/v1/api-keys/${strong.id}${suffix}`;
    const refused = await service.call(method, path, body === undefined ? {} : { body });
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 403,
      code: 'role_escalation',
    });
    expect(await statusOf(strong.secret)).toBe(200);
    const key = service.tenant.keys.super_admin;
    const allowed = await service.call(method, path, { key, ...(body === undefined ? {} : { body }) });
    expect(allowed.status).toBeLessThan(300);
  });
});

describe('409 last_super_admin', () => {
  const lastOf = async (): Promise<{ id: string; key: string }> => {
    const key = service.other.keys.super_admin;
    const { body } = await service.call('GET', '/v1/api-keys?role=super_admin', { key });
    return { id: (body.items as { id: string }[])[0]!.id, key };
  };

  test('the last such key of a tenant is neither revoked nor given an end', async () => {
    const { id, key } = await lastOf();
    const path = `/v1/api-keys/${id}`;
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    // One that ends is no other: nobody could make the next when it is over.
    const ending = await service.make(
      '/v1/api-keys',
      { name: 'ending', role: 'super_admin', expires_at },
      key,
    );
    for (const refused of [
      await service.call('DELETE', path, { key }),
      await service.call('PATCH', path, { key, body: { expires_at } }),
    ])
      expect({ status: refused.status, code: refused.body.code }).toEqual({
        status: 409,
        code: 'last_super_admin',
      });
    expect((await service.call('PATCH', path, { key, body: { name: 'kept' } })).status).toBe(200);
    expect((await service.call('DELETE', `/v1/api-keys/${ending.id}`, { key })).status).toBe(204);
  });

  test('of two that take each other back at the same time one stays', async () => {
    const { id, key } = await lastOf();
    const second = await service.make('/v1/api-keys', { name: 'second', role: 'super_admin' }, key);
    const answers = await Promise.all([
      service.call('DELETE', `/v1/api-keys/${second.id}`, { key }),
      service.call('DELETE', `/v1/api-keys/${id}`, { key: String(second.secret) }),
    ]);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    const alive = 'SELECT 1 FROM api_key WHERE tenant_id = $1 AND role = $2 AND revoked_at IS NULL';
    expect(await service.database.admin(alive, [service.other.id, 'super_admin'])).toHaveLength(1);
  });
});

test('an expiry may have any offset of RFC 3339, or be a leap second', async () => {
  const expiries = ['2090-01-01T00:00:00+23:59', '2090-06-30T23:59:60Z'];
  const shown: unknown[] = [];
  for (const expires_at of expiries) {
    const { id } = await service.make('/v1/api-keys', { name: 'far', role: 'viewer', expires_at });
    shown.push((await service.call('PATCH', `/v1/api-keys/${id}`, { body: { expires_at } })).body.expires_at);
  }
  expect(shown).toEqual(['2089-12-31T00:01:00.000Z', '2090-06-30T23:59:59.000Z']);
});
