/** Who holds addresses, such as those that a cover would add. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const ask = (prefixes: unknown, key?: string) =>
  service.call('POST', '/v1/lookup/holders', { body: { prefixes }, ...(key === undefined ? {} : { key }) });

test('200: the ASes of each prefix in their order, by viewers too', async () => {
  const asked = ['198.51.100.0/25', ' 8.8.8.0/24', '203.0.113.0/24', '8.8.8.0/24'];
  const { status, body } = await ask(asked, service.tenant.keys.viewer);
  expect(status).toBe(200);
  const google = [{ asn: 15_169, name: 'GOOGLE', range: '8.8.8.0-8.8.8.255' }];
  expect(body).toEqual({
    source: expect.stringMatching(/^table file:/) as string,
    items: [
      {
        prefix: '198.51.100.0/25',
        origins: [{ asn: 64_500, name: 'EXAMPLE', range: '198.51.100.0-198.51.101.255' }],
      },
      { prefix: '8.8.8.0/24', origins: google },
      { prefix: '203.0.113.0/24', origins: [] },
      { prefix: '8.8.8.0/24', origins: google },
    ],
  });
});

test('422: what is no prefix, and none or too many of them', async () => {
  expect((await ask(['8.8.8.0/24', 'nowhere', '10.0.0.0/33'])).body.errors).toMatchObject([
    { pointer: '/prefixes/1' },
    { pointer: '/prefixes/2' },
  ]);
  expect((await ask([])).status).toBe(422);
  expect((await ask(Array.from({ length: 21 }, (_, n) => `9.0.${n}.0/24`))).status).toBe(422);
});

test('what is known is answered again without the source; anything else by the code of what is wrong with it', async () => {
  await ask(['198.51.101.0/24']);
  rmSync(join(service.logs, 'asn-table.tsv'));
  expect((await ask(['198.51.101.0/24'])).body.items).toMatchObject([{ origins: [{ asn: 64_500 }] }]);
  const { status, body } = await ask(['198.51.101.0/24', '7.7.7.0/24']);
  expect([status, body.code]).toEqual([422, 'source_unreachable']);
  expect(body.detail).toContain('APP_ASN_SOURCE_URL');
});
