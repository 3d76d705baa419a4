import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService({ corsOrigins: ['https://console.example.net', 'http://localhost:5173'] });
});
afterAll(() => service.close());

test('a listed origin may read answers and their headers', async () => {
  const { headers } = await service.call('GET', '/v1/modules', {
    headers: { origin: 'http://localhost:5173' },
  });
  expect(headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
  expect(headers.get('vary')).toContain('Origin');
  expect(headers.get('access-control-expose-headers')).toContain('ETag');
  expect(headers.get('access-control-expose-headers')).toContain('Link');
  expect(headers.get('access-control-allow-credentials')).toBeNull();
});

test('any other origin may not', async () => {
  for (const origin of ['https://evil.example', 'https://console.example.net.evil.example', 'null']) {
    const { headers } = await service.call('GET', '/v1/modules', { headers: { origin } });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
});

test('a preflight needs no key and names what may be sent', async () => {
  const { status, headers } = await service.call('OPTIONS', '/v1/modules', {
    key: null,
    headers: {
      origin: 'https://console.example.net',
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'authorization, if-match',
    },
  });
  expect(status).toBe(204);
  expect(headers.get('access-control-allow-methods')).toContain('PATCH');
  expect(headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
});

test('a browser can read problems too', async () => {
  const { status, headers } = await service.call('GET', '/v1/modules', {
    key: null,
    headers: { origin: 'https://console.example.net' },
  });
  expect(status).toBe(401);
  expect(headers.get('access-control-allow-origin')).toBe('https://console.example.net');
});
