import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';
import { Browser } from './browser.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const make = async (key = service.tenant.keys.operator): Promise<string> => {
  const { status, body } = await service.call('POST', '/v1/auth/sign-in-links', { key });
  expect(status).toBe(201);
  return String(body.token);
};
const statusOf = async (token: string): Promise<number> =>
  (await new Browser(service.url).signIn(token)).status;

describe('a link that signs in once', () => {
  test('opens one session of the key that made it, and says so when it is opened again', async () => {
    const token = await make();
    expect(token).toMatch(/^pc_i_/);
    const browser = new Browser(service.url);
    const { status, body } = await browser.signIn(token);
    expect({ status, role: body.role }).toEqual({ status: 201, role: 'operator' });
    expect((await browser.ask('GET', '/v1/modules')).status).toBe(200);
    expect((await browser.write('DELETE', '/v1/auth/session')).status).toBe(204);
    const again = await new Browser(service.url).signIn(token);
    expect({ status: again.status, code: again.body.code }).toEqual({ status: 401, code: 'unauthenticated' });
    expect(again.body.detail).toContain('was used');
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  test('is good for one of many who open it at once', async () => {
    const token = await make();
    const statuses = await Promise.all(Array.from({ length: 5 }, () => statusOf(token)));
    expect(statuses.sort()).toEqual([201, 401, 401, 401, 401]);
  });

  test('is not used up by a page that is loaded, and is no key, not even right after it was used', async () => {
    const { body } = await service.call('POST', '/v1/auth/sign-in-links', {
      key: service.tenant.keys.viewer,
    });
    const token = String(body.token);
    expect(body.path).toBe(`/console/#sign-in=${token}`);
    await fetch(service.url + String(body.path), { redirect: 'manual' });
    const asKey = async () => (await service.call('GET', '/v1/modules', { key: token })).status;
    expect(await asKey()).toBe(401);
    expect(await statusOf(token)).toBe(201);
    expect(await asKey()).toBe(401);
  });

  test('outlives no secret that was rotated away', async () => {
    const key = service.tenant.keys.operator;
    const { status, body: made } = await service.call('POST', '/v1/api-keys', {
      key,
      body: { name: 'leaked', role: 'viewer' },
    });
    expect({ status, code: made.code }).toEqual({ status: 201, code: undefined });
    const old = String(made.secret);
    const bySession = new Browser(service.url);
    expect((await bySession.signIn(old)).status).toBe(201);
    const rotated = await service.call('POST', `/v1/api-keys/${String(made.id)}/rotate`, {
      key,
      body: { grace_seconds: 3600 },
    });
    expect(rotated.status).toBe(200);
    const { body: link } = await bySession.write('POST', '/v1/auth/sign-in-links');
    const browsers = [new Browser(service.url), new Browser(service.url)];
    expect((await browsers[0]!.signIn(await make(old))).status).toBe(201);
    expect((await browsers[1]!.signIn(String(link.token))).status).toBe(201);
    await service.database.admin(
      `UPDATE api_key SET previous_valid_until = now() - interval '1 second' WHERE id = '${String(made.id)}'`,
    );
    for (const browser of browsers)
      await expect.poll(async () => (await browser.ask('GET', '/v1/modules')).status).toBe(401);
  });

  test('ends within minutes', async () => {
    const { body } = await service.call('POST', '/v1/auth/sign-in-links', {
      key: service.tenant.keys.operator,
    });
    const minutes = (Date.parse(String(body.expires_at)) - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(9);
    expect(minutes).toBeLessThan(10.1);
    await service.database.admin(
      "UPDATE browser_session SET last_used_at = now() - interval '12 hours 1 second' WHERE tenant_id = $1",
      [service.tenant.id],
    );
    expect(await statusOf(String(body.token))).toBe(401);
  });

  test('is made by people only', async () => {
    for (const role of ['node', 'firewall'] as const)
      expect(
        (await service.call('POST', '/v1/auth/sign-in-links', { key: service.tenant.keys[role] })).status,
      ).toBe(403);
  });
});
