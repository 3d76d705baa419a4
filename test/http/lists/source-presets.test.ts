import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourcePreset } from '../../../src/api/entries/source-presets.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const presets = async (query = ''): Promise<SourcePreset[]> =>
  (await service.call('GET', `/v1/source-presets${query}`, { key: service.tenant.keys.viewer })).body
    .items as SourcePreset[];

test('a viewer finds presets, and a module takes each as a CDN source', async () => {
  const all = await presets();
  expect(all.length).toBeGreaterThan(25);
  expect((await presets('?q=s3')).map(({ id }) => id)).toContain('aws');
  expect((await presets('?category=blocklist&q=spamhaus')).map(({ id }) => id)).toEqual([
    'spamhaus-drop',
    'spamhaus-drop-ipv6',
  ]);
  const module = await service.make('/v1/modules', { name: 'all of them', type: 'CDN_SOURCES' });
  const items = all.flatMap(({ id, url, format, json_path, csv_column, variants }) =>
    [{ id: 'all', url, format, json_path }, ...variants].flatMap((list) =>
      list.url === null
        ? []
        : [
            {
              name: `${id} ${list.id}`,
              url: list.url,
              format: list.format,
              json_path: list.json_path,
              csv_column,
            },
          ],
    ),
  );
  const made = await service.call('POST', `/v1/modules/${module.id}/cdn-sources`, { body: { items } });
  expect(made.status, made.text.slice(0, 500)).toBe(201);
});
