import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTenant, startService, type Body, type TestService } from '../service.ts';
import { Browser, ENDED, refused, signedIn, untilEnded } from './browser.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const open = (key = service.tenant.keys.operator): Promise<Browser> => signedIn(service.url, key);

describe('signing in', () => {
  test('gives a cookie that no script reads and no other site sends, and the page what it needs', async () => {
    const browser = new Browser(service.url);
    const { headers, body } = await browser.signIn(service.tenant.keys.operator);
    const [cookie, ...more] = headers.getSetCookie();
    expect(more).toEqual([]);
    expect(cookie).toMatch(
      new RegExp(
        `^prefixcast-${service.tenant.id}=pc_b_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}; Path=/v1; HttpOnly; SameSite=Strict$`,
      ),
    );
    expect(body).toMatchObject({ role: 'operator', tenant: { id: service.tenant.id } });
    const { csrf_token, expires_at, created_at, others, last_event_id } = body.browser_session as Body;
    expect(Date.parse(String(expires_at)) - Date.parse(String(created_at))).toBe(12 * 3_600_000);
    expect(String(csrf_token)).toHaveLength(43);
    expect(others).toEqual([]);
    const again = await browser.ask('GET', '/v1/auth/session');
    // That somebody has signed in is an event, too.
    const { last_event_id: later, ...rest } = again.body.browser_session as Body;
    expect(again.body).toEqual({ ...body, browser_session: { ...rest, last_event_id: later } });
    expect(rest).toEqual({ ...(body.browser_session as Body), last_event_id: undefined });
    expect(Number(later)).toBeGreaterThanOrEqual(Number(last_event_id));
  });

  test('works with every role of people, and with no other', async () => {
    for (const role of ['viewer', 'operator', 'super_viewer', 'super_admin'] as const)
      expect(
        (await (await open(service.tenant.keys[role])).ask('GET', '/v1/auth/session')).body,
      ).toMatchObject({ role });
    for (const role of ['node', 'firewall'] as const) {
      const { status, body, headers } = await new Browser(service.url).signIn(service.tenant.keys[role]);
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'forbidden' });
      expect(headers.getSetCookie()).toEqual([]);
    }
  });

  test.each([
    ['no key', {}, 422],
    ['no body', undefined, 422],
    ['a typo', { api_key: 'pc_o_x' }, 401],
    ['a number', { api_key: 1 }, 422],
    ['a session in place of a key', { api_key: `pc_b_${'0'.repeat(43)}_000000` }, 401],
  ])('refuses %s', async (_, body, status) => {
    const answer = await new Browser(service.url).ask('POST', '/v1/auth/session', { body });
    expect(answer.status).toBe(status);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('asks HTTPS of a browser that is elsewhere, and then a cookie that no other host can plant', async () => {
    const host = 'routes.example:8080';
    const signIn = (scheme: string) =>
      service.server.inject({
        method: 'POST',
        url: '/v1/auth/session',
        headers: { host, origin: `${scheme}://${host}` },
        payload: { api_key: service.tenant.keys.viewer },
      });
    const insecure = await signIn('http');
    expect(insecure.statusCode).toBe(403);
    expect(insecure.json()).toMatchObject({ code: 'insecure_origin' });
    expect(insecure.headers['set-cookie']).toBeUndefined();
    const answer = await signIn('https');
    expect(answer.statusCode).toBe(201);
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(/^__Host-prefixcast-\S+; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
    const read = (text: string) =>
      service.server.inject({ url: '/v1/modules', headers: { host, cookie: text } });
    expect((await read(cookie.split(';')[0]!)).statusCode).toBe(200);
    // As another host of the same domain could set it.
    expect((await read(cookie.split(';')[0]!.replace('__Host-', ''))).statusCode).toBe(401);
  });

  test('is refused to pages of other sites', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const { status, body } = await new Browser(service.url).signIn(service.tenant.keys.viewer, {
        'sec-fetch-site': site,
      });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'csrf_failed' });
    }
  });

  test('takes no session that the browser brings: a planted one ends, and the new one has another secret', async () => {
    const attacker = await open();
    const victim = new Browser(service.url);
    for (const [name, kept] of attacker.cookies) victim.cookies.set(name, kept);
    await victim.signIn(service.tenant.keys.operator);
    expect([...victim.cookies.values()]).not.toEqual([...attacker.cookies.values()]);
    expect(await refused(victim)).toBeNull();
    expect(await untilEnded(attacker)).toEqual(ENDED);
  });
});

describe('writes', () => {
  const community = (number: number) => ({ community: `65000:${number}`, title: `c${number}` });

  test('need the token of the session, and reads need none', async () => {
    const [browser, other] = [await open(), await open()];
    for (const headers of [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': String(other.session.csrf_token) },
      { 'x-csrf-token': `${String(browser.session.csrf_token)}x` },
    ]) {
      const { status, body } = await browser.ask('POST', '/v1/communities', { body: community(1), headers });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'csrf_failed' });
    }
    const made = await browser.write('POST', '/v1/communities', community(1));
    expect(made.status).toBe(201);
    const path = `/v1/communities/${String(made.body.id)}`;
    expect((await browser.ask('DELETE', path)).status).toBe(403);
    expect((await browser.ask('GET', path)).status).toBe(200);
    expect((await browser.write('DELETE', path)).status).toBe(204);
  });

  test('do what the role may and nothing else, and are signed with the key', async () => {
    const viewer = await open(service.tenant.keys.viewer);
    const { status, body } = await viewer.write('POST', '/v1/communities', community(2));
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'forbidden' });
    const operator = await open();
    await operator.write('POST', '/v1/communities', community(2));
    const audit = await operator.ask('GET', '/v1/audit?action=community.create');
    expect((audit.body.items as Body[])[0]).toMatchObject({ actor: 'key:the operator' });
  });
});

describe('Authorization and cookie', () => {
  test('Authorization wins, good or wrong, and needs no token', async () => {
    const browser = await open(service.tenant.keys.operator);
    const authorization = `Bearer ${service.other.keys.viewer}`;
    const { body } = await browser.ask('GET', '/v1/auth/session', { headers: { authorization } });
    expect(body).toMatchObject({ role: 'viewer', tenant: { id: service.other.id }, browser_session: null });
    const wrong = await browser.ask('GET', '/v1/modules', { headers: { authorization: 'Bearer x' } });
    expect(wrong.status).toBe(401);
    const write = await browser.ask('POST', '/v1/communities', {
      headers: { authorization: `Bearer ${service.other.keys.operator}` },
      body: { community: '65000:9', title: 'theirs' },
    });
    expect(write.status).toBe(201);
  });

  test('the secret of a session is no key', async () => {
    const browser = await open();
    const [{ value } = { value: '' }] = browser.cookies.values();
    for (const path of ['/v1/modules', '/v1/lookup?q=8.8.8.8']) {
      const { status } = await service.call('GET', path, { key: value });
      expect(status).toBe(401);
    }
    const [name] = browser.cookies.keys();
    const headers = { cookie: `${name}=${service.tenant.keys.operator}` };
    expect((await service.call('GET', '/v1/modules', { key: null, headers })).status).toBe(401);
  });
});

describe('several tenants in one browser', () => {
  test('have a session each, and a request says which it means', async () => {
    const browser = await open(service.tenant.keys.operator);
    expect((await browser.signIn(service.other.keys.viewer)).status).toBe(201);
    expect(browser.cookies.size).toBe(2);
    const as = (tenantId: string) => ({ headers: { 'x-session-tenant': tenantId } });
    for (const [mine, theirs, role] of [
      [service.tenant, service.other, 'operator'],
      [service.other, service.tenant, 'viewer'],
    ] as const) {
      const { body } = await browser.ask('GET', '/v1/auth/session', as(mine.id));
      expect(body).toMatchObject({ role, tenant: { id: mine.id } });
      expect((body.browser_session as Body).others).toMatchObject([{ tenant: { id: theirs.id } }]);
    }
    const unsaid = await browser.ask('GET', '/v1/modules');
    expect(unsaid.body).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(unsaid.body.detail).toContain('X-Session-Tenant');
    expect((await browser.ask('GET', '/v1/modules', as(service.other.id))).status).toBe(200);
    // A page that knows nothing asks which there are.
    const { body } = await browser.ask('GET', '/v1/auth/session');
    expect((body.browser_session as Body).others).toHaveLength(1);
    const third = await makeTenant(service.database);
    expect((await browser.ask('GET', '/v1/modules', as(third.id))).body.code).toBe('session_ended');
  });

  test('are never mixed: the token of one is no good for another, and a cookie under another name for nothing', async () => {
    const browser = await open(service.tenant.keys.operator);
    const token = String(browser.session.csrf_token);
    await browser.signIn(service.other.keys.operator);
    const { body } = await browser.write(
      'POST',
      '/v1/communities',
      { community: '65000:7', title: 'x' },
      { 'x-csrf-token': token, 'x-session-tenant': service.other.id },
    );
    expect(body.code).toBe('csrf_failed');
    const value = browser.cookies.get(`prefixcast-${service.other.id}`)!.value;
    const cookie = `prefixcast-${service.tenant.id}=${value}`;
    const mixed = await service.call('GET', '/v1/modules', { key: null, headers: { cookie } });
    expect(mixed.body.code).toBe('session_ended');
  });

  test('end each by itself, and a new session of one takes the place of the former', async () => {
    const browser = await open(service.tenant.keys.operator);
    await browser.signIn(service.other.keys.operator);
    const ended = await browser.write('DELETE', '/v1/auth/session', undefined, {
      'x-session-tenant': service.other.id,
    });
    expect(ended.status).toBe(204);
    expect([...browser.cookies.keys()]).toEqual([`prefixcast-${service.tenant.id}`]);
    expect(await refused(browser)).toBeNull();
    await browser.signIn(service.tenant.keys.viewer);
    expect((await browser.ask('GET', '/v1/auth/session')).body.role).toBe('viewer');
    expect(browser.cookies.size).toBe(1);
  });
});
