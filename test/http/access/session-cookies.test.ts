import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test.each([
  ['the origin', { origin: 'https://routes.example' }],
  ['the proxy', { 'x-forwarded-proto': 'https' }],
])('behind TLS that ends on the same machine, %s says so, and the cookie is strict', async (_, said) => {
  const host = '127.0.0.1:8080';
  const signIn = await service.server.inject({
    ...{ method: 'POST', url: '/v1/auth/session', headers: { host, ...said } },
    payload: { api_key: service.tenant.keys.viewer },
  });
  const cookie = String(signIn.headers['set-cookie']);
  expect(cookie).toMatch(/^__Host-prefixcast-\S+; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
  const [pair] = cookie.split(';') as [string];
  const read = async (text: string, headers: Readonly<Record<string, string>> = {}) =>
    (await service.server.inject({ url: '/v1/modules', headers: { host, cookie: text, ...headers } }))
      .statusCode;
  // A read has no origin.
  expect(await read(pair)).toBe(200);
  expect(await read(pair, said)).toBe(200);
  // What another host of the domain could plant is not looked at.
  const planted = pair.replace('__Host-', '');
  expect(await read(planted, said)).toBe(401);
  const bad = `__Host-prefixcast-${service.tenant.id}=x`;
  expect(await read(`${planted}; ${bad}`)).toBe(401);
  expect(await read(planted)).toBe(200);
});
