import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function raw(text: string): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(text);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

describe('404', () => {
  test.each(['/', '/v1', '/v1/nothing', '/v1/modules/', '/v2/modules', '/v1/modules/a/b/c'])(
    '%s',
    async (path) => {
      const { status, body } = await service.call('GET', path);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
    },
  );
});

describe('405', () => {
  test('names the methods that the path takes', async () => {
    const { status, headers } = await service.call('PUT', '/v1/modules', { body: {} });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
  });

  test('knows item paths', async () => {
    const { status, headers } = await service.call('POST', '/v1/modules/x', { body: {} });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PATCH');
  });

  test('OPTIONS answers 204 with the methods', async () => {
    const { status, headers } = await service.call('OPTIONS', '/v1/health');
    expect(status).toBe(204);
    expect(headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});

describe('400 malformed_request', () => {
  test('JSON that is none, by line and column', async () => {
    const { status, body } = await service.call('POST', '/v1/modules', { body: '{"name":\n  oops}' });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'malformed_request' });
    expect(body.detail).toContain('line 2, column 3');
  });

  test('no body where one is needed', async () => {
    const { status, body } = await service.call('POST', '/v1/modules');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'malformed_request' });
  });

  test('a path whose escapes are broken', async () => {
    const { status, body } = await service.call('GET', '/v1/modules/%zz');
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'malformed_request' });
  });

  test('bytes that are no HTTP', async () => {
    const answer = await raw('this is not http\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/);
    expect(answer).toContain('"code":"malformed_request"');
  });

  test('nesting that nothing needs', async () => {
    const body = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const [method, path] of [
      ['POST', '/v1/modules'],
      ['DELETE', '/v1/modules/0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77'],
    ] as const)
      expect((await service.call(method, path, { body })).status).toBe(400);
  });

  test('headers beyond measure', async () => {
    const answer = await raw(`GET /v1/health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect(answer).toContain('"code":"headers_too_large"');
    expect(answer).toContain('16 KiB');
  });
});

describe('413', () => {
  test('a body over 1 MiB', async () => {
    const { status, body } = await service.call('POST', '/v1/communities', {
      body: `"${'x'.repeat(1024 * 1024)}"`,
    });
    expect({ status, code: body.code }).toEqual({ status: 413, code: 'payload_too_large' });
  });

  test('a length that is only promised is refused before a byte of it is read', async () => {
    const answer = await raw(
      'POST /v1/communities HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n' +
        `Authorization: Bearer ${service.tenant.keys.operator}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('nothing is read for somebody without a key', async () => {
    const answer = await raw(
      'POST /v1/communities HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999999999\r\n' +
        'Connection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

test('415: a body that is no JSON', async () => {
  const { status, body } = await service.call('POST', '/v1/modules', {
    body: 'name=x',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect({ status, code: body.code }).toEqual({ status: 415, code: 'unsupported_media_type' });
});

test('415: a compressed body', async () => {
  const headers = { 'content-encoding': 'gzip' };
  expect((await service.call('POST', '/v1/modules', { body: 'x', headers })).status).toBe(415);
});

test.each(['__proto__', 'constructor', 'toString'])(
  '422: the field %s is unknown like any other',
  async (name) => {
    const body = `{"name":"x","type":"DOMAINS","${name}":{"enabled":false}}`;
    const answer = await service.call('POST', '/v1/modules', { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer: `/${name}` })]);
  },
);

test('422: a body where none belongs', async () => {
  const { status } = await service.call('DELETE', '/v1/modules/0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77', {
    body: { force: true },
  });
  expect(status).toBe(422);
});

describe('X-Request-Id', () => {
  test('is taken when it is sane, and stands in the problem', async () => {
    const headers = { 'x-request-id': 'deploy-42.a:b' };
    const { headers: answered, body } = await service.call('GET', '/v1/nothing', { headers });
    expect(answered.get('x-request-id')).toBe('deploy-42.a:b');
    expect(body.request_id).toBe('deploy-42.a:b');
  });

  test.each(['has space', 'x'.repeat(129), '<script>'])('is made again instead of %.20s', async (given) => {
    const { headers } = await service.call('GET', '/v1/health', { headers: { 'x-request-id': given } });
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('answers carry headers that keep browsers and caches from harm', async () => {
  const { headers } = await service.call('GET', '/v1/modules');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(headers.get('access-control-allow-origin')).toBeNull();
});

test('HEAD answers as GET without the body', async () => {
  const { status, text, headers } = await service.call('HEAD', '/v1/modules');
  expect({ status, text }).toEqual({ status: 200, text: '' });
  expect(headers.get('content-type')).toContain('application/json');
});

test('X-Tenant-Id never changes the tenant', async () => {
  const theirs = await service.make(
    '/v1/communities',
    { community: '65000:1', title: 'x' },
    service.other.keys.operator,
  );
  for (const role of ['operator', 'super_viewer', 'super_admin'] as const) {
    const call = { key: service.tenant.keys[role], headers: { 'x-tenant-id': service.other.id } };
    expect((await service.call('GET', `/v1/communities/${theirs.id}`, call)).status).toBe(404);
    const session = await service.call('GET', '/v1/auth/session', call);
    expect(session.body.tenant).toMatchObject({ id: service.tenant.id });
  }
});

test('the log names request, key and tenant, and no secret', async () => {
  const secret = 'hunter2-hunter2';
  await service.call('POST', '/v1/peers?password=nope', {
    headers: { 'x-request-id': 'log-test' },
    body: { name: 'p', address: '192.0.2.9', remote_asn: 1, password: secret },
  });
  await expect.poll(() => service.log.some((line) => line.includes('log-test'))).toBe(true);
  const line = JSON.parse(service.log.find((text) => text.includes('log-test'))!) as Record<string, unknown>;
  expect(line).toMatchObject({
    method: 'POST',
    path: '/v1/peers',
    status: 422,
    tenant_id: service.tenant.id,
  });
  expect(line.key_id).toMatch(/^[0-9a-f-]{36}$/);
  const whole = service.log.join('');
  for (const hidden of [secret, ...Object.values(service.tenant.keys)]) expect(whole).not.toContain(hidden);
});
