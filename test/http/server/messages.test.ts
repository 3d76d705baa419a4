/** What refusals say to somebody who mistyped a path or brought no token, and which headers answers depend on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

const ID = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';

let service: TestService;
beforeAll(async () => {
  service = await startService({ corsOrigins: ['https://console.example'] });
});
afterAll(() => service.close());

test.each([
  ['/v1/moduls', '/v1/modules'],
  ['/modules', '/v1/modules'],
  ['/v1/Communities', '/v1/communities'],
  [`/v1/modules/${ID}/ip-ranges-entries`, '/v1/modules/{module_id}/ip-range-entries'],
  [`/v1/jobs/${ID}/cancle`, '/v1/jobs/{job_id}/cancel'],
])('%s is answered with its nearest: %s', async (path, near) => {
  const { status, body } = await service.call('GET', path);
  expect(status).toBe(404);
  expect(body.detail).toContain(`Did you mean ${near}?`);
});

test('a path that resembles none is offered no other', async () => {
  const { body } = await service.call('GET', '/wp-login.php');
  expect(body.detail).not.toContain('Did you mean');
});

test.each([
  ['/v1/nodes/enroll', '/v1/speakers/{speaker_id}/enrollment-tokens'],
  ['/v1/firewall/clients/enroll', '/v1/firewall/enrollment-tokens'],
])('%s without its token names the token, and who makes one', async (path, maker) => {
  for (const key of [null, 'nonsense']) {
    const { status, body } = await service.call('POST', path, { key, body: {} });
    expect(status).toBe(401);
    expect(body.detail).toContain('enrollment token');
    expect(body.detail).toContain(maker);
  }
});

test.each(['/v1/revisions/latest/prefixes', '/docs', '/v1/modules'])(
  'Vary of %s never loses Origin',
  async (path) => {
    const { headers } = await service.call('GET', path, { headers: { origin: 'https://console.example' } });
    expect(headers.get('vary')?.split(', ')).toContain('Origin');
  },
);
