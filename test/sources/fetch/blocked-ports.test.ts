import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Receivers } from '../../../src/control/webhooks/receivers.ts';
import { checkDohUrl } from '../../../src/sources/doh/url.ts';
import { portRefusal } from '../../../src/sources/fetch/blocked-ports.ts';
import { fetchSource } from '../../../src/sources/fetch/fetch.ts';
import { reaching, redirects, startListServer } from '../lists/list-server.ts';

/** Those of the list that an ordinary user may listen at; one of them is free. */
const PORTS = [6566, 4190, 6697, 10080, 6669, 5061];

let router: Server;
let connections = 0;
beforeAll(async () => {
  for (const port of PORTS) {
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const isOpen = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (isOpen) return void (router = server);
  }
  throw new Error(`none of the ports ${PORTS.join(', ')} is free`);
});
afterAll(() => router.close());

const reach = reaching('127.0.0.0/8');
const fetch = (url: string) => fetchSource({ url, headers: {}, etag: null, lastModified: null }, { reach });
const place = (): string => `127.0.0.1:${(router.address() as AddressInfo).port}`;

test('a source at the port of another protocol is never connected to, by its URL or by a redirect', async () => {
  for (const scheme of ['http', 'https'])
    await expect(fetch(`${scheme}://${place()}/`)).rejects.toMatchObject({
      code: 'source_bad_url',
      message: expect.stringContaining('a port of another protocol') as string,
    });
  const lists = await startListServer();
  lists.answer = redirects(`http://${place()}/`);
  await expect(fetch(lists.origin)).rejects.toMatchObject({ code: 'source_redirect' });
  await lists.close();
  expect(connections).toBe(0);
});

test('nor is a receiver of webhooks that was stored before', async () => {
  const receivers = new Receivers(reach);
  const target = {
    ...{ id: 'w', name: 'old', url: `http://${place()}/`, secret: 'a secret of many characters' },
    ...{ format: 'json', tenant: { id: 't', slug: 'acme', name: 'Acme' } },
  } as Parameters<Receivers['send']>[0];
  const delivery = { id: 'd', event: 'job', event_id: 'e', data: {} } as unknown as Parameters<
    Receivers['send']
  >[1];
  const answer = await receivers.send(target, delivery, AbortSignal.timeout(10_000));
  await receivers.close();
  expect(JSON.stringify(answer)).toContain('a port of another protocol');
  expect(connections).toBe(0);
});

test.each(['https://dns.example:179/dns-query', 'https://dns.example:53/dns-query{?dns}'])(
  'a resolver at %s is refused',
  (url) => expect(checkDohUrl(url)).toMatchObject({ ok: false }),
);

test.each([
  ['179', /port 179, the port of BGP/],
  ['22', /another protocol/],
  ['0', /another protocol/],
])('port %s is blocked', (port, reason) => expect(portRefusal(port)).toMatch(reason));

test.each(['', '80', '443', '8080', '8443', '1790', '53000', null])('port %j is not', (port) =>
  expect(portRefusal(port)).toBeNull(),
);
