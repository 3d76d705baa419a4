/** Part 7 of the specification, "Errors": the titles quote it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer } from '../../src/http/server/server.ts';
import { newMetrics, startService, type Body, type TestService } from '../http/service.ts';

const FILES = '/v1/runtime-logs/files';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const FAULTS: readonly (readonly [status: number, method: string, path: string, sent: object])[] = [
  [400, 'POST', '/v1/modules', { body: '{' }],
  [400, 'GET', '/v1/modules?cursor=x', {}],
  [401, 'GET', '/v1/modules', { key: null }],
  [404, 'GET', '/v1/modules/x', {}],
  [404, 'GET', '/v1/nothing', {}],
  [404, 'GET', '/nothing', {}],
  [405, 'PUT', '/v1/modules', { body: {} }],
  [412, 'PATCH', '/v1/settings', { body: { deploy_freeze: false }, headers: { 'If-Match': '"x"' } }],
  [413, 'POST', '/v1/modules', { body: { name: 'x'.repeat(20 * 1024 * 1024) } }],
  [415, 'POST', '/v1/modules', { body: 'x', headers: { 'content-type': 'text/html' } }],
  [422, 'POST', '/v1/modules', { body: { name: 1 } }],
];

test.for(FAULTS)(
  '"Error bodies follow RFC 9457 with media type `application/problem+json`, with fields `type`, `title`, `status`, `detail` and possibly more.": %i of %s %s',
  async ([status, method, path, sent]) => {
    const answer = await service.call(method, path, sent);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const { type, title, status: reported, detail } = answer.body;
    expect(reported).toBe(status);
    for (const text of [title, detail]) expect(String(text).length).toBeGreaterThan(5);
    // RFC 9457, section 3.1.1: a URI reference, which answers here.
    expect((await fetch(new URL(String(type), service.url))).status).toBe(200);
  },
);

test('a problem as well where the credential is missing (401) or its role does not suffice (403)', async () => {
  const body = { name: 'x', type: 'DOMAINS' };
  for (const [status, key] of [
    [401, null],
    [403, service.tenant.keys.viewer],
  ] as const) {
    const answer = await service.call('POST', '/v1/modules', { key, body });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.body).toMatchObject({ status });
  }
});

test('"File routes of runtime logs return status 503 with error code `runtime_logs_unavailable` when the file API is not enabled."', async () => {
  const server = await createServer({ ...service.dependencies, logs: null, metrics: newMetrics() });
  const headers = { authorization: `Bearer ${service.tenant.keys.operator}` };
  for (const [method, url] of [
    ['GET', FILES],
    ['GET', `${FILES}/a.log`],
    ['DELETE', `${FILES}/a.log`],
  ] as const) {
    const answer = await server.inject({ method, url, headers });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(answer.json<Body>()).toMatchObject({
      ...{ status: 503, code: 'runtime_logs_unavailable' },
      type: '/docs/errors/runtime_logs_unavailable',
    });
  }
  await server.close();
});
