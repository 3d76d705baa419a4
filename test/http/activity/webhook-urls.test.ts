/** Which URLs a webhook may be given. Where names lead is judged when something is sent (test/control/webhooks). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownAddresses } from '../../../src/core/own-addresses.ts';
import { startService, type Answered, type TestService } from '../service.ts';

const OWN = ownAddresses([{ host: '93.184.216.34', of: 'the database' }]);

let service: TestService;
let hook: string;
beforeAll(async () => {
  const reach = { allow: [{ family: 'ipv4', words: [0x7f000001], length: 32 } as const], own: OWN };
  service = await startService({}, { fetch: { reach } });
  hook = `/v1/webhooks/${(await service.make('/v1/webhooks', { url: 'https://hooks.example.net/', events: ['job'] })).id}`;
});
afterAll(() => service.close());

/** As a new one, and as that of one that is there. */
async function write(url: string): Promise<Answered[]> {
  return [
    await service.call('POST', '/v1/webhooks', { body: { url, events: ['job'] } }),
    await service.call('PATCH', hook, { body: { url } }),
  ];
}

test.each(['ftp://example.net/', 'https://user:word@example.net/', 'example.net', 'http://a b/'])(
  '%s is no URL to send to',
  async (url) => {
    for (const { status, body } of await write(url))
      expect({ status, ...body }).toMatchObject({
        ...{ status: 422, code: 'validation_failed', errors: [{ pointer: '/url' }] },
      });
  },
);

test.each([
  ['http://169.254.169.254/latest/meta-data', '169.254.169.254'],
  ['http://2852039166/', '169.254.169.254'],
  ['https://10.0.0.1:8443/', '10.0.0.1'],
  ['http://127.0.0.2/', '127.0.0.2'],
  ['http://[::1]/', '::1'],
  ['http://[fd00::1]/', 'fd00::1'],
  ['http://[::ffff:169.254.169.254]/', '::ffff:a9fe:a9fe'],
])('%s leads inside: refused before anything is sent', async (url, address) => {
  const { body: before } = await service.call('GET', hook);
  for (const { status, body } of await write(url)) {
    expect({ status, ...body }).toMatchObject({
      ...{ status: 422, code: 'source_refused_address', errors: [{ pointer: '/url' }] },
    });
    expect(body.detail).toContain(`${address} is not public`);
    expect(body.detail).toContain('APP_FETCH_ALLOW');
  }
  expect((await service.call('GET', hook)).body).toEqual(before);
});

test.each([
  ['a public address', 'https://9.9.9.9/'],
  ['one of APP_FETCH_ALLOW', 'http://127.0.0.1:9000/'],
  ['a name, wherever it leads', 'https://metadata.example.net/'],
  // Who tries public addresses must not learn which the service has.
  ['one of this service, of which nothing is said', 'http://93.184.216.34/'],
])('%s is taken', async (_, url) => {
  expect((await write(url)).map(({ status }) => status)).toEqual([201, 200]);
});
