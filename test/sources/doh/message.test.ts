import { decode, encode } from 'dns-packet';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeQuestion, readReply } from '../../../src/sources/doh/message.ts';
import { checkDohUrl, dohPath } from '../../../src/sources/doh/url.ts';
import { SourceError } from '../../../src/sources/source-error.ts';
import { a, cname, replyTo, soa } from './server.ts';
import { allowing } from '../lists/list-server.ts';
import { times } from '../../fuzz.ts';

const question = { name: 'www.example.com', family: 'ipv4' } as const;
const asked = { message: decode(encodeQuestion(question, null)) };

/** Bytes either make an answer of whole addresses, or a SourceError: never another error, never an endless loop. */
function judge(bytes: Uint8Array): void {
  try {
    const { addresses, aliases } = readReply(Buffer.from(bytes), question, null, 8);
    expect(aliases).toBeLessThanOrEqual(8);
    for (const { address, ttl } of addresses) {
      expect(address).toMatch(/^\d{1,3}(\.\d{1,3}){3}$/);
      expect(ttl).toBeGreaterThanOrEqual(0);
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    expect(['source_unparseable', 'source_dns_failure']).toContain(error.code);
  }
}

test('random bytes are an answer or a fault of the resolver', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), judge), { numRuns: times(2_000) });
});

test('so are good answers with a few bytes changed, cut off, or doubled', () => {
  const good = replyTo(
    asked,
    [
      cname('www.example.com', 'edge.example.net'),
      cname('edge.example.net', 'pop.example.net'),
      a('pop.example.net', '45.0.0.1'),
      a('pop.example.net', '45.0.0.2'),
    ],
    { authorities: [soa('example.net')] },
  );
  const changes = fc.array(fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 })), {
    maxLength: 6,
  });
  const property = fc.property(changes, fc.nat(good.length), fc.boolean(), (changed, end, isDoubled) => {
    const bytes = Buffer.from(good);
    for (const [at, value] of changed) bytes[at] = value;
    judge(isDoubled ? Buffer.concat([bytes, bytes]) : bytes.subarray(0, end));
    judge(bytes);
  });
  fc.assert(property, { numRuns: times(3_000) });
});

test.each([
  ['198.51.100.0/24', '198.51.100.0', 24],
  ['0.0.0.0/0', '0.0.0.0', 0],
  ['2001:db8:8000::/33', '2001:db8:8000::', 33],
])('the client subnet %s travels with as many bytes as it needs', (text, ip, length) => {
  const bytes = encodeQuestion(question, allowing(text)[0]!);
  const [option] = decode(bytes).additionals!;
  expect(option).toMatchObject({ type: 'OPT', options: [{ code: 8, ip, sourcePrefixLength: length }] });
  // Header, question, OPT without data, code and length of the option, family and lengths, the address (RFC 7871 section 6).
  expect(bytes).toHaveLength(12 + 21 + 11 + 4 + 4 + Math.ceil(length / 8));
});

test('a failure code may have more bits in EDNS (RFC 6891 section 6.1.3)', () => {
  const message = encode({
    ...{ type: 'response', id: 0, flags: 0, questions: asked.message.questions! },
    additionals: [
      {
        ...{ type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode: 1, ednsVersion: 0 },
        ...{ flags: 0, flag_do: false, options: [] },
      },
    ],
  });
  expect(() => readReply(message, question, null, 8)).toThrow('RCODE 16');
});

test.each([
  ['https://dns.example/dns-query{?dns}', '/dns-query?dns=AAAA', '/dns-query'],
  ['https://dns.example/dns-query', '/dns-query?dns=AAAA', '/dns-query'],
  ['https://dns.example/q?key=1{&dns}', '/q?key=1&dns=AAAA', '/q?key=1'],
  ['https://dns.example/q?key=1', '/q?key=1&dns=AAAA', '/q?key=1'],
  ['https://[2001:db8::1]:8443', '/?dns=AAAA', '/'],
])('the template %s', (template, get, post) => {
  const url = checkDohUrl(template);
  if (!url.ok) throw new Error(url.reason);
  expect(dohPath(url.value, Buffer.alloc(3))).toBe(get);
  expect(dohPath(url.value, null)).toBe(post);
});
