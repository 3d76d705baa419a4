/** What ends a session of a browser, and what is left of it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator } from '../../../src/http/admission/authentication.ts';
import { RateLimiter } from '../../../src/http/admission/rate-limits.ts';
import { sweepBrowserSessions } from '../../../src/store/keys/browser-sessions.ts';
import { waitFor } from '../../daemons/wait.ts';
import { makeTenant, startService, type TestService } from '../service.ts';
import { Browser, ENDED, refused, signedIn, untilEnded } from './browser.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const open = (key = service.tenant.keys.operator): Promise<Browser> => signedIn(service.url, key);

describe('a session ends', () => {
  test('when somebody signs out; the key goes on, and so do other browsers', async () => {
    const [here, there] = [await open(), await open()];
    const stolen = new Browser(service.url);
    for (const [name, kept] of here.cookies) stolen.cookies.set(name, kept);
    expect((await here.ask('DELETE', '/v1/auth/session')).body.code).toBe('csrf_failed');
    expect((await here.write('DELETE', '/v1/auth/session')).status).toBe(204);
    expect(here.cookies.size).toBe(0);
    expect(await untilEnded(stolen)).toEqual(ENDED);
    expect(await refused(there)).toBeNull();
    expect((await service.call('GET', '/v1/modules')).status).toBe(200);
    const byKey = await service.call('DELETE', '/v1/auth/session');
    expect(byKey.body.code).toBe('conflict');
  });

  test('when its key is revoked, or rotated without grace; with grace it lasts as long as the former secret', async () => {
    const make = async (name: string) => {
      const { id, secret } = await service.make('/v1/api-keys', { name, role: 'viewer' });
      return { path: `/v1/api-keys/${id}`, browser: await open(String(secret)) };
    };
    const [revoked, rotated, graced] = [await make('revoked'), await make('rotated'), await make('graced')];
    expect((await service.call('DELETE', revoked.path)).status).toBe(204);
    await service.call('POST', `${rotated.path}/rotate`, { body: {} });
    await service.call('POST', `${graced.path}/rotate`, { body: { grace_seconds: 3600 } });
    expect(await untilEnded(revoked.browser)).toEqual(ENDED);
    expect(await untilEnded(rotated.browser)).toEqual(ENDED);
    expect(await refused(graced.browser)).toBeNull();
    // How, since another key signs in again, and this one never does.
    for (const [{ browser }, how] of [
      [revoked, 'was revoked'],
      [rotated, 'was given another secret'],
    ] as const)
      expect((await browser.ask('GET', '/v1/modules')).body.detail).toBe(
        `The session has ended: its API key ${how}. Sign in again.`,
      );
  });

  test('when its key expires, which the session says', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const { id, secret } = await service.make('/v1/api-keys', { name: 'short', role: 'viewer', expires_at });
    const browser = await open(String(secret));
    expect(browser.session.expires_at).toBe(expires_at);
    await service.database.admin('UPDATE api_key SET expires_at = now() WHERE id = $1', [id]);
    expect(await untilEnded(browser)).toEqual(ENDED);
    expect((await browser.ask('GET', '/v1/modules')).body.detail).toContain('its API key has expired.');
  });

  test('after 12 hours without use, and use keeps it open', async () => {
    const [idle, used] = [await open(), await open()];
    const age = (browser: Browser, hours: number) =>
      service.database.admin(
        'UPDATE browser_session SET last_used_at = now() - make_interval(secs => $2) WHERE id = $1',
        [browser.session.id, hours * 3_600],
      );
    await age(used, 11.9);
    const lastUse = async () =>
      (
        await service.database.admin<{ recent: boolean }>(
          "SELECT last_used_at > now() - interval '1 minute' AS recent FROM browser_session WHERE id = $1",
          [used.session.id],
        )
      )[0]!.recent;
    const use = async () => {
      await refused(used);
      return lastUse();
    };
    await waitFor(use, { what: 'the use to be noted' });
    await age(idle, 12.1);
    expect(await untilEnded(idle)).toEqual(ENDED);
    expect(await refused(used)).toBeNull();
  });

  test('is kept open by requests, not by answers that go on by themselves', async () => {
    const browser = await open();
    const [[, { value: text }] = ['', { value: '' }]] = browser.cookies;
    const credential = { text, tenantId: service.tenant.id };
    const limiter = new RateLimiter({ reads: 0, writes: 0, nodes: 0, failures: 0 });
    const authenticator = new Authenticator(service.database.db, limiter, () => 0);
    const hoursLeft = async (): Promise<number> => {
      const [row] = await service.database.admin<{ hours: number }>(
        'SELECT 12 - extract(epoch FROM now() - last_used_at)::float8 / 3600 AS hours FROM browser_session WHERE id = $1',
        [browser.session.id],
      );
      return Math.round(row!.hours);
    };
    await service.database.admin(
      "UPDATE browser_session SET last_used_at = now() - interval '2 hours' WHERE id = $1",
      [browser.session.id],
    );
    await authenticator.authenticateAgain(credential);
    expect(await hoursLeft()).toBe(10);
    // Although it is remembered.
    await authenticator.authenticate(credential, '127.0.0.1');
    expect(await hoursLeft()).toBe(12);
  });

  test('when its tenant is suspended, until it is active again', async () => {
    const tenant = await makeTenant(service.database);
    const browser = await open(tenant.keys.viewer);
    const set = (status: string) =>
      service.database.admin('UPDATE tenant SET status = $2 WHERE id = $1', [tenant.id, status]);
    await set('suspended');
    expect(await untilEnded(browser)).toEqual({ status: 403, code: 'tenant_suspended' });
    await set('active');
    await waitFor(async () => (await refused(browser)) === null, { what: 'the session to work' });
  });

  test('and a stream of it with it', async () => {
    const browser = await open();
    const [[name, { value }] = ['', { value: '' }]] = browser.cookies;
    const stream = await fetch(`${service.url}/v1/events`, {
      headers: { cookie: `${name}=${value}`, accept: 'text/event-stream' },
    });
    expect(stream.status).toBe(200);
    await browser.write('DELETE', '/v1/auth/session');
    // It ends: else the text never comes.
    expect(await stream.text()).toContain(':');
  });
});

test('the audit log reports both ends, the database has no secret, and ended sessions are swept', async () => {
  const tenant = await makeTenant(service.database);
  const [stays, goes, idle] = [
    await open(tenant.keys.operator),
    await open(tenant.keys.operator),
    await open(tenant.keys.operator),
  ];
  await goes.write('DELETE', '/v1/auth/session');
  const records = await service.database.admin<{ action: string; resource_id: string; actor: string }>(
    "SELECT action, resource_id, actor FROM audit_record WHERE tenant_id = $1 AND resource_type = 'browser_session' ORDER BY at, id",
    [tenant.id],
  );
  const actor = 'key:the operator';
  expect(records).toEqual([
    { action: 'browser_session.open', resource_id: stays.session.id, actor },
    { action: 'browser_session.open', resource_id: goes.session.id, actor },
    { action: 'browser_session.open', resource_id: idle.session.id, actor },
    { action: 'browser_session.end', resource_id: goes.session.id, actor },
  ]);
  const [{ value } = { value: '' }] = stays.cookies.values();
  const rows = await service.database.admin<{ text: string }>(
    'SELECT to_jsonb(b)::text AS text FROM browser_session b UNION ALL SELECT to_jsonb(a)::text FROM audit_record a',
  );
  expect(rows.some(({ text }) => text.includes(value) || text.includes(tenant.keys.operator))).toBe(false);
  expect(service.log.some((line) => line.includes(value))).toBe(false);
  await service.database.admin(
    "UPDATE browser_session SET last_used_at = now() - interval '13 hours' WHERE id = $1",
    [idle.session.id],
  );
  await service.database.db.inTenant(tenant.id, (tx) => sweepBrowserSessions(tx));
  const left = await service.database.admin('SELECT id FROM browser_session WHERE tenant_id = $1', [
    tenant.id,
  ]);
  expect(left).toEqual([{ id: stays.session.id }]);
  expect(await refused(stays)).toBeNull();
});
