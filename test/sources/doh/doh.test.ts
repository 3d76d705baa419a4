import type { Answer } from 'dns-packet';
import { beforeAll, describe, expect, test } from 'vitest';
import { failureOf, useAsking } from './asking.ts';
import { a, type Asked, cname, type DohServer, replyTo, soa } from './server.ts';
import { allowing } from '../lists/list-server.ts';

const NXDOMAIN = 3;

const asking = useAsking();
const { resolver } = asking;
let server: DohServer;
beforeAll(() => {
  server = asking.server;
});

describe('asking', () => {
  test.each(['GET', 'POST'] as const)('%s carries the question in wire format, with id 0', async (method) => {
    server.answer = (asked) => replyTo(asked, [a('www.example.com', '45.0.0.1', 60)]);
    const headers = { Authorization: 'Bearer x' };
    const found = await resolver({ method, headers }).resolve('www.example.com', 'ipv4');
    expect(found).toEqual([{ address: '45.0.0.1', ttl: 60 }]);
    const [asked] = server.asked;
    expect(asked).toMatchObject({
      name: 'www.example.com',
      type: 'A',
      method,
      message: { id: 0, flag_rd: true },
    });
    expect(asked!.headers).toMatchObject({ accept: 'application/dns-message', authorization: 'Bearer x' });
    expect(asked!.path).toMatch(method === 'GET' ? /^\/dns-query\?dns=[\w-]+$/ : /^\/dns-query$/);
    expect(asked!.headers['content-type']).toBe(method === 'GET' ? undefined : 'application/dns-message');
  });

  test('asks for AAAA, over the one connection', async () => {
    server.answer = (asked) =>
      replyTo(asked, asked.type === 'AAAA' ? [a('x.example', '2600:80:0::1')] : [a('x.example', '45.0.0.1')]);
    const one = resolver();
    const before = server.connections;
    const found = await Promise.all([one.resolve('x.example', 'ipv6'), one.resolve('x.example', 'ipv4')]);
    expect(found.flat().map(({ address }) => address)).toEqual(['2600:80::1', '45.0.0.1']);
    expect(server.connections).toBe(before + 1);
  });

  test('sends the client subnet, and takes no answer for another', async () => {
    const subnet = allowing('198.51.100.0/24')[0]!;
    const one = resolver({ clientSubnet: subnet });
    const option = (ip: string): Answer => ({
      ...{ type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 0, ednsVersion: 0, flags: 0 },
      ...{ flag_do: false, options: [{ code: 8, ip, sourcePrefixLength: 24, scopePrefixLength: 20 }] },
    });
    let reported = '198.51.100.0';
    server.answer = (asked) =>
      replyTo(asked, [a('x.example', '45.0.0.1')], { additionals: [option(reported)] });
    expect(await one.resolve('x.example', 'ipv4')).toHaveLength(1);
    expect(server.asked[0]!.message.additionals).toMatchObject([
      { type: 'OPT', options: [{ code: 8, ip: '198.51.100.0', sourcePrefixLength: 24 }] },
    ]);
    reported = '203.0.113.0';
    expect(await failureOf(one.resolve('x.example', 'ipv4'))).toMatchObject({ code: 'source_unparseable' });
  });

  test('connects to the bootstrap addresses, and wants the certificate of the host', async () => {
    server.answer = (asked) => replyTo(asked, [a('x.example', '45.0.0.1')]);
    const url = `https://dns.test:${server.port}/dns-query`;
    const bootstrapAddresses = ['127.0.0.1'];
    expect(await resolver({ url, bootstrapAddresses }).resolve('x.example', 'ipv4')).toHaveLength(1);
    const other = resolver({ url: url.replace('dns.test', 'other.test'), bootstrapAddresses });
    const refused = await failureOf(other.resolve('x.example', 'ipv4'));
    expect(refused).toMatchObject({ code: 'source_unreachable' });
    expect(refused.message).toContain('no trustworthy TLS');
  });

  test('goes on after the server ended the connection', async () => {
    server.answer = (asked) => replyTo(asked, [a('x.example', '45.0.0.1')]);
    const one = resolver();
    for (let round = 0; round < 3; round++) {
      expect(await one.resolve('x.example', 'ipv4')).toHaveLength(1);
      server.drop();
    }
    const many = Array.from({ length: 300 }, (_, i) =>
      one.resolve('x.example', i % 2 === 0 ? 'ipv4' : 'ipv6'),
    );
    server.drop();
    expect(await Promise.all(many)).toHaveLength(300);
  });
});

describe('aliases', () => {
  test('are followed within an answer; the least time to live counts', async () => {
    server.answer = (asked) =>
      replyTo(asked, [
        cname('www.example.com', 'Edge.CDN.example', 30),
        cname('edge.cdn.example', 'pop.cdn.example', 900),
        a('pop.cdn.example', '45.0.0.1', 600),
        a('POP.cdn.example', '45.0.0.2', 20),
        a('other.example', '45.0.0.3'),
      ]);
    expect(await resolver().resolve('www.example.com', 'ipv4')).toEqual([
      { address: '45.0.0.1', ttl: 30 },
      { address: '45.0.0.2', ttl: 20 },
    ]);
    expect(server.asked).toHaveLength(1);
  });

  test('are asked for where the answer ends', async () => {
    const next: Record<string, string> = { 'a.example': 'b.example', 'b.example': 'c.example' };
    server.answer = (asked) => {
      const target = next[asked.name];
      return replyTo(asked, [
        target === undefined ? a(asked.name, '45.0.0.1') : cname(asked.name, target, 7),
      ]);
    };
    expect(await resolver().resolve('a.example', 'ipv4')).toEqual([{ address: '45.0.0.1', ttl: 7 }]);
    expect(server.asked.map(({ name }) => name)).toEqual(['a.example', 'b.example', 'c.example']);
  });

  test.each([
    ['in one answer', 100],
    ['one by one', 1],
  ])('eight are followed, nine are not, %s', async (_, together) => {
    const chainOf = (length: number) => (asked: Asked) => {
      const from = Number(asked.name.slice(1).split('.')[0]);
      const records = [];
      for (let i = from; i < Math.min(length, from + together); i++)
        records.push(cname(`n${i}.example`, `n${i + 1}.example`));
      if (from + together >= length) records.push(a(`n${length}.example`, '45.0.0.1'));
      return replyTo(asked, records);
    };
    server.answer = chainOf(8);
    expect(await resolver().resolve('n0.example', 'ipv4')).toHaveLength(1);
    server.answer = chainOf(9);
    const error = await failureOf(resolver().resolve('n0.example', 'ipv4'));
    expect(error).toMatchObject({ code: 'source_unparseable' });
    expect(error.message).toContain('more than 8 aliases');
  });

  test.each([
    ['of itself', [cname('a.example', 'a.example')]],
    ['in a ring', [cname('a.example', 'b.example'), cname('b.example', 'a.example')]],
  ])('%s end', async (_, records) => {
    server.answer = (asked) => replyTo(asked, records);
    expect(await failureOf(resolver().resolve('a.example', 'ipv4'))).toMatchObject({
      code: 'source_unparseable',
    });
  });

  test('in a ring over several answers end', async () => {
    server.answer = (asked) =>
      replyTo(asked, [cname(asked.name, asked.name === 'a.example' ? 'b.example' : 'a.example')]);
    expect(await failureOf(resolver().resolve('a.example', 'ipv4'))).toMatchObject({
      code: 'source_unparseable',
    });
    expect(server.asked.length).toBeLessThanOrEqual(9);
  });
});

/** An alias of a.example whose target is these bytes. */
const aliasTo = (asked: Asked, target: Buffer): Buffer => {
  const answer = replyTo(asked, [cname('a.example', 'b.example')]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(target.length);
  const data = answer.lastIndexOf(Buffer.from('\x01b\x07example\0'));
  return Buffer.concat([answer.subarray(0, data - 2), length, target]);
};

test.each([
  ['the root', [0]],
  ['bytes of no text', [2, 0xff, 0xfe, 0]],
  ['a blank', [3, 0x61, 0x20, 0x62, 0]],
  ['a label of bytes that grow as text', [63, ...Array.from({ length: 63 }, () => 0xff), 0]],
])('an alias to %s is not asked for', async (_, bytes) => {
  server.answer = (asked) => aliasTo(asked, Buffer.from(bytes));
  const error = await failureOf(resolver().resolve('a.example', 'ipv4'));
  expect(error).toMatchObject({ code: 'source_unparseable' });
  expect(error.message).toContain('target of an alias');
  expect(server.asked).toHaveLength(1);
});

describe('nothing found is an answer', () => {
  test.each([
    ['no such name', [], { rcode: NXDOMAIN, authorities: [soa('example')] }],
    ['an alias to no such name', [cname('a.example', 'b.example')], { rcode: NXDOMAIN }],
    ['no such record', [], { authorities: [soa('example')] }],
    ['an alias without such a record', [cname('a.example', 'b.example')], { authorities: [soa('example')] }],
    ['nothing at all', [], {}],
  ])('%s', async (_, records, more) => {
    server.answer = (asked) => replyTo(asked, records, more);
    const isMissing = 'rcode' in more;
    expect(await resolver().lookUp('a.example', 'ipv6')).toEqual({ addresses: [], isMissing });
    expect(server.asked).toHaveLength(1);
  });
});
