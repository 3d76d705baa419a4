import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { reaching } from '../lists/list-server.ts';
import { failureOf, useAsking } from './asking.ts';
import { a, type Asked, type DohReply, type DohServer, replyTo } from './server.ts';
import { startTcpServer } from '../lists/list-server.ts';

const SERVFAIL = 2;
const REFUSED = 5;
const TRUNCATED = 0x0200;

const asking = useAsking();
const { resolver } = asking;
let server: DohServer;
beforeAll(() => {
  server = asking.server;
});

/** A message of zeroes but for what is given. */
const broken = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

describe('what is no answer fails', () => {
  type Case = [what: string, code: string, words: string, reply: (asked: Asked) => DohReply];
  const cases: Case[] = [
    ['SERVFAIL', 'source_dns_failure', 'SERVFAIL', (asked) => replyTo(asked, [], { rcode: SERVFAIL })],
    ['REFUSED', 'source_dns_failure', 'REFUSED', (asked) => replyTo(asked, [], { rcode: REFUSED })],
    ['an unknown code', 'source_dns_failure', 'RCODE 11', (asked) => replyTo(asked, [], { rcode: 11 })],
    [
      'another id',
      'source_unparseable',
      'id',
      (asked) => replyTo(asked, [a('a.example', '45.0.0.1')], { id: 7 }),
    ],
    [
      'another question',
      'source_unparseable',
      'another question',
      (asked) => replyTo(asked, [], { name: 'b.example' }),
    ],
    [
      'a truncated answer',
      'source_unparseable',
      'truncated',
      (asked) => replyTo(asked, [], { flags: TRUNCATED }),
    ],
    [
      'its own question',
      'source_unparseable',
      'not an answer',
      (asked) => {
        const bytes = replyTo(asked);
        bytes[2]! &= 0x7f;
        return bytes;
      },
    ],
    ['nothing', 'source_unparseable', '0 bytes', () => Buffer.alloc(0)],
    ['half a header', 'source_unparseable', 'header', () => Buffer.alloc(7)],
    [
      'more than its records',
      'source_unparseable',
      'not as long',
      (asked) => Buffer.concat([replyTo(asked), Buffer.alloc(4)]),
    ],
    [
      'less than its records',
      'source_unparseable',
      'not as long',
      (asked) => replyTo(asked, [a('a.example', '45.0.0.1')]).subarray(0, -3),
    ],
    [
      'a name that points at itself',
      'source_unparseable',
      'pointer',
      () => broken('0000 8180 0001 0000 0000 0000 c00c 0001 0001'),
    ],
    [
      'names that point at each other',
      'source_unparseable',
      'pointer',
      () => broken('0000 8180 0001 0000 0000 0000 c00e c00c 0001 0001'),
    ],
    [
      'a million records',
      'source_unparseable',
      'read',
      () => broken('0000 8180 ffff ffff ffff ffff 00 0001 0001'),
    ],
    [
      'a mapped address',
      'source_unparseable',
      'AAAA',
      (asked) => replyTo(asked, [a('a.example', '::ffff:45.0.0.1')]),
    ],
    ['a giant', 'source_too_large', '65535', () => Buffer.alloc(70_000)],
    [
      'an endless one',
      'source_too_large',
      '65535',
      () => (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
        const more = (): void => {
          while (!stream.destroyed && stream.write(Buffer.alloc(16_384)));
        };
        stream.on('drain', more);
        more();
      },
    ],
    [
      'a page',
      'source_unparseable',
      'text/html',
      () => (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'text/html; charset=utf-8' });
        stream.end('<!doctype html>');
      },
    ],
    [
      'no media type',
      'source_unparseable',
      'none',
      () => (stream) => {
        stream.respond({ ':status': 200 });
        stream.end();
      },
    ],
    [
      'a compressed body',
      'source_unparseable',
      'compressed',
      () => (stream) => {
        stream.respond({
          ':status': 200,
          'content-type': 'application/dns-message',
          'content-encoding': 'gzip',
        });
        stream.end('x');
      },
    ],
    [
      '404',
      'source_http_status',
      'HTTP 404',
      () => (stream) => {
        stream.respond({ ':status': 404 });
        stream.end();
      },
    ],
    [
      'a redirect',
      'source_http_status',
      'HTTP 302',
      () => (stream) => {
        stream.respond({ ':status': 302, location: 'https://127.0.0.2/' });
        stream.end();
      },
    ],
    [
      '503 again and again',
      'source_http_status',
      'HTTP 503',
      () => (stream) => {
        stream.respond({ ':status': 503 });
        stream.end();
      },
    ],
    [
      'a connection that breaks off',
      'source_unreachable',
      'broke',
      () => (stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
        stream.write(Buffer.alloc(20));
        setImmediate(() => stream.session?.destroy());
      },
    ],
  ];

  test.each(cases)('%s', async (_, code, words, reply) => {
    server.answer = reply;
    const error = await failureOf(
      resolver().resolve('a.example', _ === 'a mapped address' ? 'ipv6' : 'ipv4'),
    );
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(words);
    expect(error.message.startsWith(`https://localhost:${server.port}/dns-query `)).toBe(true);
  });

  test('silence, and a body that only drips', async () => {
    server.answer = () => () => undefined;
    const one = resolver({ timeoutMs: 150 });
    expect(await failureOf(one.resolve('a.example', 'ipv4'))).toMatchObject({ code: 'source_timeout' });
    server.answer = () => (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
      const timer = setInterval(() => stream.write(Buffer.alloc(1)), 20);
      stream.once('close', () => clearInterval(timer));
    };
    expect(await failureOf(one.resolve('a.example', 'ipv4'))).toMatchObject({ code: 'source_timeout' });
  });

  test('a connection on which nothing comes any more is left for a new one', async () => {
    const one = resolver({ timeoutMs: 1_500, retry: { attempts: 1, firstMs: 1, longestMs: 1 } });
    const before = server.connections;
    server.answer = (asked) =>
      asked.name === 'mute.example' ? () => undefined : replyTo(asked, [a(asked.name, '45.0.0.1')]);
    expect(await one.resolve('a.example', 'ipv4')).toHaveLength(1);
    const first = failureOf(one.resolve('mute.example', 'ipv4'));
    await sleep(700); // half of the time that the first one has
    const second = failureOf(one.resolve('mute.example', 'ipv4'));
    expect(await first).toMatchObject({ code: 'source_timeout' });
    expect(await one.resolve('a.example', 'ipv4')).toHaveLength(1);
    expect(server.connections).toBe(before + 2);
    expect(await second).toMatchObject({ code: 'source_timeout' });
  });

  test('503 is tried again', async () => {
    let left = 2;
    server.answer = (asked) =>
      left-- > 0
        ? (stream) => {
            stream.respond({ ':status': 503 });
            stream.end();
          }
        : replyTo(asked, [a('a.example', '45.0.0.1')]);
    expect(await resolver().resolve('a.example', 'ipv4')).toHaveLength(1);
  });

  test('nobody there; after many questions nobody is asked any more', async () => {
    const one = resolver({ url: 'https://localhost:1/', retry: { attempts: 1, firstMs: 1, longestMs: 1 } });
    for (let i = 0; i < 16; i++)
      expect((await failureOf(one.resolve('a.example', 'ipv4'))).message).toContain('refused the connection');
    const error = await failureOf(one.resolve('a.example', 'ipv4'));
    expect(error).toMatchObject({ code: 'source_unreachable' });
    expect(error.message).toContain('was not asked');
  });

  test('a server without HTTP/2', async () => {
    const { key, cert } = server.certificates;
    const plain = createTlsServer({ key, cert, ALPNProtocols: ['http/1.1'] });
    plain.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const url = `https://localhost:${(plain.address() as AddressInfo).port}/`;
    const error = await failureOf(resolver({ url }).resolve('a.example', 'ipv4'));
    plain.close();
    expect(error).toMatchObject({ code: 'source_unreachable' });
  });

  test('a server that says nothing from the start; who gives up does not wait for it', async () => {
    const mute = await startTcpServer(() => undefined);
    const url = `https://localhost:${mute.port}/`;
    const impatient = resolver({ url, timeoutMs: 100, retry: { attempts: 1, firstMs: 1, longestMs: 1 } });
    const error = await failureOf(impatient.resolve('a.example', 'ipv4'));
    expect(error).toMatchObject({ code: 'source_timeout' });
    expect(error.message).toContain('did not accept a connection');
    const patient = resolver({ url, timeoutMs: 30_000 });
    const asking = patient.resolve('a.example', 'ipv4', AbortSignal.timeout(50));
    await expect(asking).rejects.toThrow(/timeout/);
    await mute.close();
  });

  test.each([
    ['a literal', 'https://127.0.0.1:9/', []],
    ['a name', 'https://localhost:9/', []],
    ['a bootstrap address', 'https://dns.example:9/', ['127.0.0.1']],
  ])('an address inside is not connected to: %s', async (_, url, bootstrapAddresses) => {
    const one = resolver({ url, bootstrapAddresses, reach: reaching() });
    expect(await failureOf(one.resolve('a.example', 'ipv4'))).toMatchObject({
      code: 'source_refused_address',
    });
  });

  test('an abort ends it with its reason', async () => {
    server.answer = () => () => undefined;
    const controller = new AbortController();
    const asking = resolver().resolve('a.example', 'ipv4', controller.signal);
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await expect(asking).rejects.toThrow('enough');
  });
});
