/** Where browsers of other origins are let in, whether they are is part of every answer, so that each says that it depends on `Origin`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { REFERENCE_ASSETS } from '../../../src/http/reference/reference.ts';
import type { TenantRoute } from '../../../src/http/route.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import { keyFor, makeFixtures, pathWith, requiredQuery, type Fixtures } from '../fixtures.ts';
import { startService, type TestService } from '../service.ts';

const ORIGIN = 'https://console.example';

let service: TestService;
let ids: Fixtures;
beforeAll(async () => {
  service = await startService({ corsOrigins: [ORIGIN] });
  ids = await makeFixtures(service, service.tenant);
});
afterAll(() => service.close());

/** @param key null: none */
async function ask(
  path: string,
  { method = 'GET', key = null, ...headers }: Record<string, string | null> = {},
): Promise<{ status: number; allowed: string | null; vary: string[]; headers: Headers }> {
  const answer = await fetch(service.url + path, {
    method: method!,
    headers: {
      'accept-encoding': 'gzip',
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(headers as Record<string, string>),
    },
  });
  await answer.body?.cancel();
  return {
    ...{ status: answer.status, headers: answer.headers },
    allowed: answer.headers.get('access-control-allow-origin'),
    vary: (answer.headers.get('vary') ?? '').split(', '),
  };
}

/** @returns the headers that somebody without an origin is sent, who fills caches for those that have one */
async function expectVaries(path: string, more: Record<string, string | null>): Promise<Headers> {
  const check = async (origin: string | null): Promise<Headers> => {
    const { status, allowed, vary, headers } = await ask(path, {
      ...more,
      ...(origin === null ? {} : { origin }),
    });
    expect({ allowed, vary }, `${status} of ${path}`).toEqual({
      allowed: origin === ORIGIN ? ORIGIN : null,
      vary: expect.arrayContaining(['Origin']) as string[],
    });
    return headers;
  };
  await check(ORIGIN);
  await check('https://elsewhere.example');
  return check(null);
}

describe('a read, its 304 and its refusal', () => {
  const reads = ROUTES.filter(({ method }) => method === 'GET').map((route) => ({ path: route.path, route }));
  test.each(reads)('$path', async ({ route }) => {
    const { params, query } = route as TenantRoute;
    const path = pathWith(route.path, params, ids) + requiredQuery(query);
    const key = keyFor(route as TenantRoute, service.tenant);
    const etag = (await expectVaries(path, { key })).get('etag');
    if (etag !== null) {
      const known = { key, 'if-none-match': etag };
      expect((await ask(path, known)).status).toBe(304);
      await expectVaries(path, known);
    }
    await expectVaries(path, {});
    await expectVaries(path, { key, accept: 'image/png' });
  });
});

test.each([
  ...REFERENCE_ASSETS.map(({ path }) => path),
  ...['/docs/errors', '/docs/errors/conflict', '/docs/errors/none'],
  ...['/feeds/none', '/nothing', '/v1/nothing', '/v1/modules?no_such=1'],
])('%s', async (path) => {
  await expectVaries(path, { key: service.tenant.keys.operator });
});

test.each(['POST', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])('%s', async (method) => {
  await expectVaries('/v1/modules', { method, key: service.tenant.keys.operator });
});
