/** Part 9 of the specification, "Versioning", and how the page writes names: the titles quote it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentPlatform, parseConfig } from '../../src/config/config.ts';
import { KNOWN_VARIABLES } from '../../src/config/known-variables.ts';
import { ROUTES } from '../../src/http/server/route-table.ts';
import { startService, type Body, type TestService } from '../http/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test.for(['All functional routes are under `/v1`.', 'Every functional route is under the `/v1` prefix.'])(
  '"%s"',
  async () => {
    const { paths } = (await service.call('GET', '/v1/openapi.json')).body;
    const outside = Object.keys(paths as Body).filter((path) => !path.startsWith('/v1/'));
    expect(outside.sort()).toEqual(['/metrics', '/version']);
    for (const path of ['/modules', '/lookup?q=8.8.8.8', '/v2/modules'])
      expect((await service.call('GET', path)).status, path).toBe(404);
  },
);

test('"Product-specific prefixes in environment variable names and process names are written here as `APP`/`app`, and the routing-daemon segment of two paths is written as `router`."', () => {
  // They are named so as well.
  for (const name of ['APP_SERVICE', 'APP_RUNTIME_LOGS_DIR', 'APP_CORS_ORIGINS'])
    expect(KNOWN_VARIABLES).toContain(name);
  expect(parseConfig({ APP_SERVICE: 'app-all' }, currentPlatform()).service).toBe('app-all');
  const segment = ROUTES.filter(({ path }) => path.split('/').includes('router')).map(({ path }) => path);
  expect(segment.sort()).toEqual(['/v1/router/reload', '/v1/router/status']);
});

test('"`GET /v1/version` (public) and `GET /version` return build version and build-time metadata."', async () => {
  const inside = await service.call('GET', '/v1/version', { key: null });
  expect(inside).toMatchObject({ status: 200, body: { version: '0.0.0', api: 'v1' } });
  for (const member of ['commit', 'built_at']) expect(inside.body).toHaveProperty(member);
  expect((await service.call('GET', '/version', { key: null })).body).toEqual(inside.body);
});

test('"`doh_profile_id` is kept for compatibility next to `doh_profile_ids`."', async () => {
  const [first, second] = await Promise.all(
    ['a', 'b'].map((name) =>
      service.make('/v1/doh-profiles', { url: `https://${name}.example.net/dns-query` }),
    ),
  );
  const module = await service.make('/v1/modules', {
    ...{ name: 'names', type: 'DOMAINS', doh_profile_id: first!.id },
  });
  expect(module).toMatchObject({ doh_profile_id: first!.id, doh_profile_ids: [first!.id] });
  const change = async (body: object) =>
    (await service.call('PATCH', `/v1/modules/${module.id}`, { body })).body;
  const both = { doh_profile_ids: [second!.id, first!.id] };
  expect(await change(both)).toMatchObject({ ...both, doh_profile_id: second!.id });
  expect(await change({ doh_profile_id: first!.id })).toMatchObject({ doh_profile_ids: [first!.id] });
  expect(await change({ doh_profile_id: null })).toMatchObject({ doh_profile_ids: [], doh_profile_id: null });
});
