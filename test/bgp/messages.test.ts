import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_STALE_TIME, decodeCapabilities, encodeCapabilities } from '../../src/bgp/capability.ts';
import { MessageType, encodeKeepalive, frameMessage } from '../../src/bgp/message.ts';
import { MessageReader } from '../../src/bgp/message-reader.ts';
import {
  BgpError,
  CeaseSubcode,
  administrativeShutdown,
  decodeNotification,
  describeNotification,
  encodeNotification,
  hardReset,
  reportNotification,
} from '../../src/bgp/notification.ts';
import { decodeOpen, encodeOpen } from '../../src/bgp/open.ts';
import type { OpenMessage } from '../../src/bgp/open.ts';
import { decodeRouteRefresh, encodeRouteRefresh } from '../../src/bgp/route-refresh.ts';
import { decodeUpdate } from '../../src/bgp/update.ts';
import { times } from '../fuzz.ts';

const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex');
const body = (message: Uint8Array): Uint8Array => message.subarray(19);

function faultOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof BgpError) return `${error.code}/${error.subcode}`;
    throw error;
  }
  return 'none';
}

const open: OpenMessage = {
  asn: 4_200_000_001,
  holdTime: 90,
  identifier: 0xc0000201,
  capabilities: {
    families: ['ipv4', 'ipv6'],
    fourOctetAs: 4_200_000_001,
    routeRefresh: true,
    extendedMessage: true,
    gracefulRestart: {
      restarting: true,
      notification: true,
      restartTime: 120,
      families: [
        { family: 'ipv4', forwarding: true },
        { family: 'ipv6', forwarding: false },
      ],
    },
  },
};

describe('the message reader', () => {
  it('cuts a stream into messages wherever the reads end', () => {
    const stream = Buffer.concat([encodeOpen(open), encodeKeepalive(), encodeRouteRefresh('ipv6')]);
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 10 }), (cuts) => {
        const reader = new MessageReader();
        const types: number[] = [];
        const edges = [0, ...cuts.sort((a, b) => a - b), stream.length];
        for (let i = 1; i < edges.length; i++) {
          reader.push(stream.subarray(edges[i - 1], edges[i]));
          for (let message = reader.next(); message !== null; message = reader.next())
            types.push(message.type);
        }
        expect(types).toEqual([MessageType.open, MessageType.keepalive, MessageType.routeRefresh]);
      }),
    );
  });

  it.each([
    ['a marker with a zero bit', '7f', '0013', '04', '1/1'],
    ['an unknown type', 'ff', '0013', '09', '1/3'],
    ['a length under the header', 'ff', '0012', '04', '1/2'],
    ['a KEEPALIVE with a body', 'ff', '0014', '04', '1/2'],
    ['an OPEN over 4,096 octets', 'ff', '1001', '01', '1/2'],
  ])('refuses %s', (_name, first, length, type, fault) => {
    const reader = new MessageReader();
    reader.push(Buffer.from(`${first}${'ff'.repeat(15)}${length}${type}`, 'hex'));
    expect(faultOf(() => reader.next())).toBe(fault);
  });
});

describe('OPEN', () => {
  it('comes back as it was sent', () => {
    expect(decodeOpen(body(encodeOpen(open)))).toEqual(open);
  });

  it('offers long-lived graceful restart in octets of RFC 9494, and reads it back', () => {
    const longLivedRestart = [
      { family: 'ipv4', forwarding: true, staleTime: MAX_STALE_TIME },
      { family: 'ipv6', forwarding: false, staleTime: 3_600 },
    ] as const;
    const octets = encodeCapabilities({ ...open.capabilities, longLivedRestart });
    expect(hex(octets)).toMatch(/470e00010180ffffff00020100000e10$/);
    expect(decodeCapabilities(octets)).toEqual({ ...open.capabilities, longLivedRestart });
    expect(faultOf(() => decodeCapabilities(octets.subarray(0, -1)))).toBe('2/0');
  });

  it('says AS_TRANS for a number of four octets (RFC 6793)', () => {
    expect(hex(body(encodeOpen(open)).subarray(0, 9))).toBe(`04${'5ba0'}${'005a'}c0000201`);
  });

  it('is understood with extended optional parameters (RFC 9072) and without any', () => {
    const capabilities = body(encodeOpen(open)).subarray(12);
    const head = body(encodeOpen(open)).subarray(0, 9);
    const extended = (length: number): Buffer =>
      Buffer.concat([
        head,
        Buffer.from([length, 255, 0, capabilities.length + 3, 2, 0, capabilities.length]),
        capabilities,
      ]);
    expect(decodeOpen(extended(255))).toEqual(open);
    // The length of old means nothing then, but for 0 (section 2).
    expect(decodeOpen(extended(254))).toEqual(open);
    expect(() => decodeOpen(extended(0))).toThrow('optional parameters of 0 octets');
    const bare = decodeOpen(Buffer.from('04fde8005ac000020100', 'hex'));
    expect(bare).toMatchObject({ asn: 65_000, capabilities: { families: null, fourOctetAs: null } });
  });

  it.each([
    ['another version', '03fde8005ac000020100', '2/1'],
    ['AS 0', '040000005ac000020100', '2/2'],
    ['router id 0.0.0.0', '04fde8005a0000000000', '2/3'],
    ['a hold time of 2 s', '04fde80002c000020100', '2/6'],
    ['an unknown parameter', '04fde8005ac0000201020100', '2/4'],
    ['parameters that run past the end', '04fde8005ac000020105020a', '2/0'],
    ['a capability that runs past its parameter', '04fde8005ac000020104020241ff', '2/0'],
    ['a four-octet AS capability of two octets', '04fde8005ac000020106020441020001', '2/0'],
  ])('refuses %s', (_name, octets, fault) => {
    expect(faultOf(() => decodeOpen(Buffer.from(octets, 'hex')))).toBe(fault);
  });
});

describe('NOTIFICATION', () => {
  it('reads as people say it', () => {
    const read = (octets: Uint8Array): string => describeNotification(decodeNotification(body(octets)));
    expect(read(encodeNotification(new BgpError(4, 0)))).toBe('Hold Timer Expired');
    expect(read(encodeNotification(administrativeShutdown('maintenance until 06:00')))).toBe(
      'Cease, Administrative Shutdown: "maintenance until 06:00"',
    );
    const inner = new BgpError(6, CeaseSubcode.peerDeconfigured);
    expect(read(encodeNotification(hardReset(inner)))).toBe('Cease, Hard Reset (Cease, Peer De-configured)');
    expect(read(encodeNotification(new BgpError(6, 77)))).toBe('Cease, subcode 77');
  });

  it('names the limit that the peer reported', () => {
    const data = Uint8Array.of(0, 1, 1, 0, 0, 3, 232);
    const text = 'Cease, Maximum Number of Prefixes Reached';
    expect(describeNotification({ code: 6, subcode: 1, data })).toBe(
      `${text}: the limit is 1000 IPv4 prefixes`,
    );
    expect(describeNotification({ code: 6, subcode: 1, data: data.subarray(0, 3) })).toBe(text);
  });

  it('is reported with its numbers and the words of the peer', () => {
    const report = (code: number, subcode: number, data: Uint8Array = new Uint8Array(0)) =>
      reportNotification('received', { code, subcode, data });
    const limit = Uint8Array.of(0, 1, 1, 0, 0, 3, 232);
    const name = 'Cease, Maximum Number of Prefixes Reached';
    const reported = { direction: 'received', code: 6, subcode: 1, text: 'the limit is 1000 IPv4 prefixes' };
    expect(report(6, 1, limit)).toEqual({ ...reported, name });
    // What a hard reset wraps is why it was sent.
    expect(report(6, 9, Uint8Array.of(6, 1, ...limit))).toEqual({
      ...reported,
      name: `${name} (Cease, Hard Reset)`,
    });
    expect(report(6, 9, Uint8Array.of(6, 9, 6, 1))).toMatchObject({ code: 6, subcode: 9, text: null });
    expect(report(6, 1)).toMatchObject({ name, text: null });
    const { data } = administrativeShutdown('maintenance');
    expect(report(6, 2, data)).toMatchObject({ subcode: 2, text: 'maintenance' });
    expect(report(3, 8, limit)).toMatchObject({ code: 3, subcode: 8, text: null });
  });

  it('cuts a shutdown communication to what fits, between characters', () => {
    const { data } = administrativeShutdown('ü'.repeat(200));
    expect(data[0]).toBe(254);
    expect(data.length).toBe(255);
  });

  it('keeps control characters of a peer out of the text', () => {
    const words = Buffer.from('a\u001b[31mb\nc');
    const text = describeNotification({
      code: 6,
      subcode: 2,
      data: Buffer.concat([Buffer.from([words.length]), words]),
    });
    expect(text).toBe('Cease, Administrative Shutdown: "a [31mb c"');
  });
});

it('ROUTE-REFRESH names its family, and only plain requests count', () => {
  expect(decodeRouteRefresh(body(encodeRouteRefresh('ipv6')))).toBe('ipv6');
  expect(decodeRouteRefresh(Uint8Array.of(0, 1, 1, 1))).toBeNull();
  expect(decodeRouteRefresh(Uint8Array.of(0, 25, 0, 70))).toBeNull();
});

describe('hostile octets', () => {
  const decoders: [string, (octets: Uint8Array) => unknown][] = [
    ['OPEN', (octets) => decodeOpen(octets)],
    ['UPDATE', (octets) => decodeUpdate(octets, { external: true, fourOctetAs: true })],
    [
      'UPDATE with short AS numbers',
      (octets) => decodeUpdate(octets, { external: false, fourOctetAs: false }),
    ],
    ['NOTIFICATION', (octets) => describeNotification(decodeNotification(octets))],
    ['ROUTE-REFRESH', (octets) => decodeRouteRefresh(octets)],
    [
      'a stream',
      (octets) => {
        const reader = new MessageReader();
        reader.push(frameMessage(MessageType.update, octets));
        reader.push(octets);
        while (reader.next() !== null);
      },
    ],
  ];
  it.each(decoders)('%s: a value or a BgpError, nothing else', (_name, decode) => {
    // Small octets make lengths that fit, and so reach deeper than uniform noise does.
    const octet = fc.oneof(
      fc.nat(255),
      fc.nat(8),
      fc.constantFrom(0x40, 0x80, 0xc0, 0x90, 1, 2, 14, 15, 16, 32),
    );
    const octets = fc.oneof(
      fc.uint8Array({ minLength: 10, maxLength: 400 }),
      fc.array(octet, { minLength: 10, maxLength: 120 }),
    );
    fc.assert(
      fc.property(octets, (input) => {
        expect(faultOf(() => decode(Uint8Array.from(input)))).toMatch(/^(none|\d+\/\d+)$/);
      }),
      { numRuns: times(3_000) },
    );
  });

  it('an OPEN with any octet changed is a value or a BgpError', () => {
    const good = body(encodeOpen(open));
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), (at, value) => {
        const bad = good.slice();
        bad[at] = value;
        expect(faultOf(() => decodeOpen(bad))).toMatch(/^(none|2\/\d+)$/);
      }),
      { numRuns: times(2_000) },
    );
  });
});
