/** What refusals say to somebody who mistyped a path or brought no token, and which headers answers depend on. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../../src/http/server/route-table.ts';
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

/** With the middle letter of its last word missing; ids stand where parameters do. */
function mistyped(path: string): string {
  const segments = path.split('/');
  const at = segments.findLastIndex((segment) => !segment.startsWith('{'));
  const word = segments[at]!;
  segments[at] = word.slice(0, word.length >> 1) + word.slice((word.length >> 1) + 1);
  return segments.map((segment) => (segment.startsWith('{') ? ID : segment)).join('/');
}

const MISTYPED = [...new Set(ROUTES.map(({ path }) => path))].map((path) => [mistyped(path), path] as const);
/** What is there in place of the word may be a name: /v1/revisions/prne asks for a revision of that name. */
const isOther = (path: string): boolean =>
  ROUTES.some((route) => new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path));
/** As near to another. */
const AMBIGUOUS = ['/v1/maintenance/policies/{id}/runs'];

test('nearly every path is one that nothing else can be', () => {
  expect(MISTYPED.filter(([path]) => isOther(path)).length).toBeLessThan(5);
});

test.each(MISTYPED.filter(([path, near]) => !isOther(path) && !AMBIGUOUS.includes(near)))(
  '%s, which lacks a letter, is answered with %s',
  async (path, near) => {
    const { status, body } = await service.call('GET', path);
    expect({ status, detail: body.detail }).toEqual({
      ...{ status: 404, detail: expect.stringContaining(`Did you mean ${near}?`) as string },
    });
  },
);

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
