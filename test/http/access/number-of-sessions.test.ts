import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type TestService } from '../service.ts';
import { Browser } from './browser.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function open(key: string): Promise<Browser> {
  const browser = new Browser(service.url);
  expect((await browser.signIn(key)).status).toBe(201);
  return browser;
}

const statusOf = async (browser: Browser): Promise<number> =>
  (await browser.ask('GET', '/v1/modules')).status;

test('a key has a hundred sessions at most: one more ends the one of them that was used least lately', async () => {
  const { database, tenant } = service;
  const { secret, id } = await service.make('/v1/api-keys', { name: 'many browsers', role: 'viewer' });
  const ofOther = await open(tenant.keys.viewer);
  const browsers: Browser[] = [];
  for (let n = 0; n < 100; n++) browsers.push(await open(String(secret)));
  const [first, second] = browsers;
  expect(await statusOf(second!)).toBe(200);
  // The second one that was opened, so that age does not count; and one of another key, which does not either.
  const restBy = (hours: number, which: string, values: unknown[]) =>
    database.admin(
      `UPDATE browser_session SET last_used_at = now() - make_interval(hours => ${hours}) WHERE ${which}`,
      values,
    );
  await restBy(
    2,
    'id = (SELECT id FROM browser_session WHERE api_key_id = $1 ORDER BY created_at OFFSET 1 LIMIT 1)',
    [id],
  );
  await restBy(3, 'api_key_id <> $1', [id]);
  await open(String(secret));
  await waitFor(async () => (await statusOf(second!)) === 401, { what: 'the end of the session' });
  expect(await statusOf(first!)).toBe(200);
  expect(await statusOf(ofOther)).toBe(200);
  const [row] = await database.admin<{ count: number }>(
    'SELECT count(*)::int AS count FROM browser_session WHERE api_key_id = $1',
    [id],
  );
  expect(row!.count).toBe(100);
});
