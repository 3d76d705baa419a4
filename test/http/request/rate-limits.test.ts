import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Problem } from '../../../src/api/problems/problem.ts';
import { RateLimiter } from '../../../src/http/admission/rate-limits.ts';
import { SuspectKeys } from '../../../src/http/admission/suspect-keys.ts';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { startService, type TestService } from '../service.ts';

// Other files share the process.
afterEach(() => vi.restoreAllMocks());

const OFF = { reads: 0, writes: 0, nodes: 0, failures: 0 };

describe('counting', () => {
  /** Remaining requests as the answer tells them, or the code of the refusal. */
  function ask(
    limiter: RateLimiter,
    key: string,
    method = 'GET',
    role: 'viewer' | 'node' = 'viewer',
  ): string {
    let reported = '';
    try {
      limiter.countRequest(key, role, method, (name, value) => {
        if (name === 'ratelimit') reported = value;
      });
    } catch (error) {
      return `${(error as Problem).code} ${reported} ${(error as Problem).retryAfter}`;
    }
    return reported;
  }

  test('a key has its requests in each minute from its first on, reads and writes apart', () => {
    let now = 1000;
    const limiter = new RateLimiter({ ...OFF, reads: 2, writes: 1 }, () => now);
    expect(ask(limiter, 'a')).toBe('"reads";r=1;t=60');
    now += 30_500;
    expect(ask(limiter, 'a', 'HEAD')).toBe('"reads";r=0;t=30');
    expect(ask(limiter, 'a')).toBe('rate_limited "reads";r=0;t=30 30');
    expect(ask(limiter, 'a', 'POST')).toBe('"writes";r=0;t=60');
    expect(ask(limiter, 'a', 'DELETE')).toContain('rate_limited');
    expect(ask(limiter, 'b')).toBe('"reads";r=1;t=60');
    now += 29_500;
    expect(ask(limiter, 'a')).toBe('"reads";r=1;t=60');
  });

  test('where there is no room left, nothing is counted unless it is refused', () => {
    const limiter = new RateLimiter({ ...OFF, reads: 2 }, () => 0);
    const allowed = () => limiter.countAllowed('a', 'viewer', 'GET')?.at(3) ?? null;
    expect(allowed()).toBe('"reads";r=1;t=60');
    expect(ask(limiter, 'a')).toBe('"reads";r=0;t=60');
    expect(allowed()).toBeNull();
    expect(ask(limiter, 'a')).toBe('rate_limited "reads";r=0;t=60 60');
    expect(limiter.countAllowed('a', 'operator', 'POST'), 'no limit').toEqual([]);
  });

  test('nodes have a limit of their own, and 0 is none', () => {
    const limiter = new RateLimiter({ ...OFF, nodes: 1 }, () => 0);
    expect(ask(limiter, 'n', 'GET', 'node')).toBe('"nodes";r=0;t=60');
    expect(ask(limiter, 'n', 'POST', 'node')).toContain('rate_limited');
    expect(ask(limiter, 'v')).toBe('');
  });

  test('failures count for an IPv4 address, and for the /64 of an IPv6 address', () => {
    const limiter = new RateLimiter({ ...OFF, failures: 2 }, () => 0);
    limiter.countFailure('2001:db8::1');
    limiter.countFailure('2001:db8::2:0:0:0');
    limiter.countFailure('192.0.2.1');
    limiter.countFailure('::ffff:192.0.2.1');
    expect(limiter.hasManyFailures('2001:db8::3')).toBe(true);
    expect(limiter.hasManyFailures('2001:db8:0:1::3')).toBe(false);
    expect(limiter.hasManyFailures('192.0.2.1')).toBe(true);
    expect(limiter.hasManyFailures('192.0.2.2')).toBe(false);
  });

  test('many callers do not fill the memory, and the latest keep their count', () => {
    const limiter = new RateLimiter({ ...OFF, reads: 2 }, () => 0);
    for (let caller = 0; caller < 60_000; caller++) ask(limiter, String(caller));
    expect(ask(limiter, '59999')).toBe('"reads";r=0;t=60');
    expect(ask(limiter, '0')).toBe('"reads";r=1;t=60');
  });
});

describe('over HTTP', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ rateLimits: { reads: 5, writes: 2, nodes: 1, failures: 4 } });
  });
  afterAll(() => service.close());

  test('429 rate_limited: after so many reads of a key, with the standard headers; others go on', async () => {
    const { viewer, operator } = service.tenant.keys;
    for (let left = 4; left >= 0; left--) {
      const { status, headers } = await service.call('GET', '/v1/modules', { key: viewer });
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe('"reads";q=5;w=60');
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"reads";r=${left};t=\\d+$`));
    }
    const { status, body, headers } = await service.call('GET', '/v1/modules', { key: viewer });
    expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('ratelimit')).toMatch(/r=0;t=\d+$/);
    expect((await service.call('GET', '/v1/modules', { key: operator })).status).toBe(200);
  });

  test('429 rate_limited: a refused write changes nothing', async () => {
    for (let i = 0; i < 2; i++)
      await service.make('/v1/communities', { community: `65000:${i}`, title: 'x' });
    const { status } = await service.call('POST', '/v1/communities', {
      body: { community: '65000:9', title: 'x' },
    });
    expect(status).toBe(429);
    expect(await service.database.admin("SELECT 1 FROM community WHERE community = '65000:9'")).toEqual([]);
  });

  test.each(['/v1/health', '/v1/ready', '/v1/version', '/version', '/metrics', '/v1/openapi.json'])(
    '%s is exempt',
    async (path) => {
      for (let i = 0; i < 10; i++) {
        const { status, headers } = await service.call('GET', path, { key: null });
        expect(status).toBe(200);
        expect(headers.get('ratelimit')).toBeNull();
      }
    },
  );

  test('wrong keys of an address shut out no good key that comes from there', async () => {
    const wrong = () => service.call('GET', '/v1/modules', { key: mintApiKey('operator').secret });
    for (let i = 0; i < 20; i++) expect((await wrong()).status).toBe(401);
    // Keys of two tenants that the process has not seen yet, behind one load balancer, while it goes on.
    const flood = Array.from({ length: 50 }, wrong);
    const { super_admin: fresh } = service.other.keys;
    const { super_admin: another } = service.tenant.keys;
    expect((await service.call('GET', '/v1/modules', { key: fresh })).status).toBe(200);
    expect((await service.call('GET', '/v1/modules', { key: another })).status).toBe(200);
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([401]));
  });

  test('keys that are rejected without a look-up do not count as wrong ones', async () => {
    const lookUp = vi.spyOn(SuspectKeys.prototype, 'lookUp');
    const clean = await startService({ rateLimits: { ...OFF, failures: 4 } });
    for (let i = 0; i < 20; i++)
      expect((await clean.call('GET', '/v1/modules', { key: `hunter${i}` })).status).toBe(401);
    expect((await clean.call('GET', '/v1/modules')).status).toBe(200);
    expect(lookUp).not.toHaveBeenCalled();
    await clean.close();
  });
});

describe('keys of an address that sent many wrong ones', () => {
  test('are looked up one at a time, and addresses take turns', async () => {
    const suspects = new SuspectKeys();
    const order: string[] = [];
    let atOnce = 0;
    const ask = (address: string): Promise<string> =>
      suspects.lookUp(
        address,
        async () => {
          expect(++atOnce).toBe(1);
          await turn();
          atOnce--;
          order.push(address);
          return address;
        },
        () => true,
      );
    await Promise.all([...Array.from({ length: 20 }, () => ask('loud')), ask('quiet')]);
    expect(order.indexOf('quiet')).toBe(2);
  });

  test('429 rate_limited: where a hundred wait already, and of that address alone', async () => {
    const suspects = new SuspectKeys();
    const found = Promise.withResolvers<string>();
    const ask = (address: string): Promise<string> =>
      suspects.lookUp(
        address,
        () => found.promise,
        () => true,
      );
    const waiting = Array.from({ length: 100 }, () => ask('loud'));
    await expect(ask('loud')).rejects.toMatchObject({ code: 'rate_limited' });
    waiting.push(ask('quiet'));
    found.resolve('a key');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['a key']));
    expect(await ask('loud')).toBe('a key');
  });
});
