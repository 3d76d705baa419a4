/** Against a resolver that people run. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DohResolver, type DohResolverOptions } from '../../../src/sources/doh/doh.ts';
import { trust } from '../../daemons/certificates.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { startUnbound, type Unbound } from '../../daemons/unbound.ts';
import { failureOf } from './asking.ts';
import { reaching } from '../lists/list-server.ts';

const lacks = requireDaemon('unbound') === null;

describe.skipIf(lacks)('unbound', () => {
  let unbound: Unbound;
  const resolvers: DohResolver[] = [];
  const resolver = (options: Partial<DohResolverOptions> = {}): DohResolver => {
    const made = new DohResolver({
      ...{ url: unbound.url, method: 'POST', bootstrapAddresses: [], clientSubnet: null },
      ...{ timeoutMs: 20_000, headers: {}, reach: reaching('127.0.0.0/8') },
      ...options,
    });
    resolvers.push(made);
    return made;
  };

  beforeAll(async () => {
    const address = loopbackAddress();
    unbound = await startUnbound({
      listen: { address, port: await freePort(address) },
      records: [
        'www 300 A 45.0.0.1',
        'www 300 A 45.0.0.2',
        'www 120 AAAA 2600:80::1',
        'short 60 CNAME www',
        ...Array.from({ length: 7 }, (_, i) => `chain${i} 300 CNAME ${i === 6 ? 'short' : `chain${i + 1}`}`),
        'long 300 CNAME chain0',
        'ring 300 CNAME gnir',
        'gnir 300 CNAME ring',
        ...Array.from({ length: 1_000 }, (_, i) => `n${i} 300 A 45.1.${i >> 8}.${i & 255}`),
      ],
      broken: ['broken'],
      denied: ['denied'],
    });
    trust(unbound.certificates);
  });
  afterAll(async () => {
    for (const made of resolvers) made.close();
    await unbound?.stop();
  });

  const addresses = async (one: DohResolver, name: string, family: 'ipv4' | 'ipv6' = 'ipv4') =>
    (await one.resolve(name, family)).map(({ address }) => address).sort();

  test.each(['GET', 'POST'] as const)('answers %s', async (method) => {
    const one = resolver({ method });
    expect(await addresses(one, 'www.test')).toEqual(['45.0.0.1', '45.0.0.2']);
    expect(await addresses(one, 'www.test', 'ipv6')).toEqual(['2600:80::1']);
    const [found] = await one.resolve('short.test', 'ipv6');
    expect(found!.ttl).toBeGreaterThan(0);
    expect(found!.ttl).toBeLessThanOrEqual(60);
  });

  test('at its address by another name, under the certificate of that name', async () => {
    const { hostname, port } = new URL(unbound.url);
    const url = `https://dns.test:${port}/dns-query`;
    const bootstrapAddresses = ['127.255.255.254', hostname];
    expect(await addresses(resolver({ url, bootstrapAddresses }), 'www.test')).toHaveLength(2);
  });

  test('follows eight aliases, and no ninth', async () => {
    expect(await addresses(resolver(), 'chain0.test')).toEqual(['45.0.0.1', '45.0.0.2']);
    expect(await failureOf(resolver().resolve('long.test', 'ipv4'))).toMatchObject({
      code: 'source_unparseable',
    });
    expect((await failureOf(resolver().resolve('ring.test', 'ipv4'))).code).toMatch(
      /^source_(unparseable|dns_failure)$/,
    );
  });

  test('knows no such name, or no such record', async () => {
    const one = resolver();
    expect(await addresses(one, 'nobody.test')).toEqual([]);
    expect(await addresses(one, 'n1.test', 'ipv6')).toEqual([]);
    expect(await addresses(one, 'short.test', 'ipv6')).toHaveLength(1);
  });

  test('fails where it has no answer', async () => {
    expect(await failureOf(resolver().resolve('a.broken.test', 'ipv4'))).toMatchObject({
      code: 'source_dns_failure',
    });
    const denied = await failureOf(resolver({ timeoutMs: 500 }).resolve('denied.test', 'ipv4'));
    expect(denied.code).toMatch(/^source_(timeout|unreachable)$/);
  });

  test('a thousand names at once, while it is started again', async () => {
    const one = resolver();
    const asking = Promise.all(Array.from({ length: 1_000 }, (_, i) => addresses(one, `n${i}.test`)));
    await unbound.serve({});
    expect((await asking).flat().sort()).toEqual(
      Array.from({ length: 1_000 }, (_, i) => `45.1.${i >> 8}.${i & 255}`).sort(),
    );
  });
});
