import fc from 'fast-check';
import { Agent, request } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatAddress } from '../../../src/core/address.ts';
import { ownAddresses } from '../../../src/core/own-addresses.ts';
import { containsAddress } from '../../../src/core/sets/prefix-set.ts';
import { specialPurposeSet } from '../../../src/core/sets/special-purpose.ts';
import { type Resolve, addressRefusal, guardedConnector } from '../../../src/sources/fetch/address-guard.ts';
import { fetchSource } from '../../../src/sources/fetch/fetch.ts';
import { type ListServer, allowing, reaching, serves, startListServer } from '../lists/list-server.ts';
import { times } from '../../fuzz.ts';

const word = fc.integer({ min: 0, max: 0xffffffff });
const ipv4 = word.map((at) => [at]);
/** Random IPv6 addresses would hardly ever meet the first blocks of the registry. */
const ipv6 = fc.tuple(
  fc.oneof(word, fc.constantFrom(0, 0x0064ff9b, 0x01000000, 0x20010db8, 0x20020000, 0x3fff0000, 0xfe800000)),
  fc.oneof(fc.constant(0), fc.constant(0x00010000), word),
  fc.oneof(fc.constant(0), fc.constant(0xffff), word),
  word,
);

describe('addressRefusal', () => {
  it('refuses IPv4 that is special-purpose, and nothing else', () => {
    fc.assert(
      fc.property(ipv4, (words) => {
        const refused = addressRefusal(formatAddress({ family: 'ipv4', words }), reaching()) !== null;
        expect(refused).toBe(containsAddress(specialPurposeSet('ipv4'), words) || words[0] === 0xa83f8110);
      }),
      { numRuns: times(2000) },
    );
  });

  it('refuses IPv6 that is special-purpose or no global unicast', () => {
    fc.assert(
      fc.property(ipv6, (words) => {
        const isNat64 = words[0] === 0x0064ff9b && words[1] === 0 && words[2] === 0;
        const global = words[0] >>> 29 === 1 && !containsAddress(specialPurposeSet('ipv6'), words);
        const reached = isNat64 ? !containsAddress(specialPurposeSet('ipv4'), [words[3]]) : global;
        const refused = addressRefusal(formatAddress({ family: 'ipv6', words }), reaching()) !== null;
        expect(refused).toBe(!reached);
      }),
      { numRuns: times(2000) },
    );
  });

  it('says why', () => {
    expect(addressRefusal('169.254.169.254', reaching())).toBe('Link-local, RFC 3927');
    expect(addressRefusal('64:ff9b::a9fe:a9fe', reaching())).toBe(
      '169.254.169.254 behind NAT64, Link-local, RFC 3927',
    );
    expect(addressRefusal('4000::1', reaching())).toBe('outside of 2000::/3, RFC 4291');
  });

  it('lets through what the operator allows, by its plain address only', () => {
    const allow = reaching('127.0.0.1/32', '10.1.0.0/16', 'fd00:1::/32');
    for (const text of ['127.0.0.1', '10.1.255.255', 'fd00:1::1', '8.8.8.8'])
      expect(addressRefusal(text, allow)).toBeNull();
    for (const text of ['127.0.0.2', '10.2.0.0', 'fd00:2::1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])
      expect(addressRefusal(text, allow)).not.toBeNull();
  });
});

describe('the public addresses of the service', () => {
  // As a machine has them that is in the internet itself.
  const own = ownAddresses([
    { host: '45.9.9.1', of: 'this service' },
    { host: '[2a00:1450::9]', of: 'the database' },
  ]);

  it('are refused, under any of their names, unless the operator allows them', () => {
    for (const text of ['45.9.9.1', '2a00:1450::9', '64:ff9b::2d09:901'])
      expect(addressRefusal(text, { allow: [], own }), text).toBe('of this service');
    expect(addressRefusal('45.9.9.2', { allow: [], own })).toBeNull();
    expect(addressRefusal('45.9.9.1', { allow: allowing('45.9.9.0/24'), own })).toBeNull();
  });

  it('are not connected to, by number or name, in the words of a machine without a server', async () => {
    const get = (url: string) =>
      fetchSource({ url, headers: {}, etag: null, lastModified: null }, { reach: { allow: [], own } });
    await expect(get('http://45.9.9.1:8099/secret')).rejects.toMatchObject({
      code: 'source_unreachable',
      message: 'http://45.9.9.1:8099/secret refused the connection. Check host and port of the URL.',
    });
    const resolve: Resolve = (_hostname, _options, callback) =>
      callback(null, [{ address: '45.9.9.1', family: 4 }]);
    const agent = new Agent({ connect: await guardedConnector({ allow: [], own }, 10_000, resolve) });
    const refusals = ['http://lists.example/', 'http://lists.example:8099/', 'http://45.9.9.1/'].map((url) =>
      request(url, { dispatcher: agent }).then(
        () => 'an answer',
        ({ code, message }: Error & { code: string }) => `${code}: ${message}`,
      ),
    );
    expect(await Promise.all(refusals)).toEqual([
      'ECONNREFUSED: connect ECONNREFUSED 45.9.9.1:80',
      'ECONNREFUSED: connect ECONNREFUSED 45.9.9.1:8099',
      'ECONNREFUSED: connect ECONNREFUSED 45.9.9.1:80',
    ]);
    await agent.close();
  });
});

describe('guardedConnector', () => {
  const answering =
    (...answers: string[][]): Resolve =>
    (_hostname, _options, callback) => {
      callback(
        null,
        (answers.shift() ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    };

  it('connects to the address that was judged, whatever the name resolves to afterwards', async () => {
    const outside = await startListServer('127.0.0.1');
    outside.answer = serves('outside');
    const connect = await guardedConnector(
      reaching('127.0.0.1/32'),
      10_000,
      answering(['127.0.0.1'], ['127.0.0.2']),
    );
    const agent = new Agent({ connect });
    const url = `http://rebinding.example:${outside.port}/`;
    const answer = await request(url, { dispatcher: agent, headers: { connection: 'close' } });
    expect(await answer.body.text()).toBe('outside');
    await expect(request(url, { dispatcher: agent })).rejects.toMatchObject({
      code: 'source_refused_address',
    });
    await agent.destroy();
    await outside.close();
  });

  it('passes over addresses of a name that may not be reached', async () => {
    const server = await startListServer('127.0.0.1');
    server.answer = serves('reached');
    const mixed = ['::1', '127.0.0.2', '::ffff:127.0.0.1', '127.0.0.1', '10.0.0.1'];
    const agent = new Agent({
      connect: await guardedConnector(reaching('127.0.0.1/32'), 10_000, answering(mixed)),
    });
    const answer = await request(`http://mixed.example:${server.port}/`, { dispatcher: agent });
    expect(await answer.body.text()).toBe('reached');
    await agent.destroy();
    await server.close();
  });

  const missing: Resolve = (hostname, _, callback) =>
    callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), []);

  it.each([
    ['is private', answering(['10.1.2.3']), 'some.example resolves to 10.1.2.3'],
    ['is of this machine', answering(['127.0.0.1', '::1']), 'some.example resolves to 127.0.0.1, ::1'],
    ['has no address', answering([]), 'some.example resolves to nothing'],
    ['does not exist', missing, 'getaddrinfo ENOTFOUND some.example'],
  ])('tells nobody but the log that a name %s', async (_, resolve, cause) => {
    const agent = new Agent({ connect: await guardedConnector(reaching(), 10_000, resolve) });
    await expect(request('http://some.example/', { dispatcher: agent })).rejects.toMatchObject({
      code: 'source_refused_address',
      message:
        'some.example has no public address: the name does not exist, or leads inside. ' +
        'Use a public address, or have the operator of the service add its network to APP_FETCH_ALLOW.',
      cause: expect.objectContaining({ message: cause }) as Error,
    });
    await agent.destroy();
  });
});

describe('a source', () => {
  let server: ListServer;
  beforeEach(async () => {
    server = await startListServer();
    server.answer = serves('45.0.0.0/24\n');
  });
  afterEach(() => server.close());

  const get = (url: string, ...allow: string[]) =>
    fetchSource({ url, headers: {}, etag: null, lastModified: null }, { reach: reaching(...allow) });

  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '127.0.0.1.',
    '0.0.0.0',
    '0',
    '%31%32%37.0.0.1',
    '１２７.0.0.1',
    'localhost',
    'LOCALHOST',
    '[::1]',
    '[::]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
  ])('on this machine under the name of %s is never reached', async (host) => {
    await expect(get(`http://${host}:${server.port}/`)).rejects.toMatchObject({
      code: 'source_refused_address',
      message: expect.stringContaining('APP_FETCH_ALLOW') as string,
    });
    expect(server.requests).toEqual([]);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://100.100.100.200/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://[fc00::1]/',
    'http://10.0.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'https://192.0.0.192/',
    'http://168.63.129.16/',
  ])('at %s is never reached', async (url) => {
    await expect(get(url)).rejects.toMatchObject({ code: 'source_refused_address' });
  });

  it('on this machine is reached where the operator allows it, by address and by name', async () => {
    await get(server.origin, '127.0.0.0/8');
    await get(`http://localhost:${server.port}/`, '127.0.0.1/32');
    expect(server.requests.map(({ headers }) => headers.host)).toEqual([
      `127.0.0.1:${server.port}`,
      `localhost:${server.port}`,
    ]);
  });
});
