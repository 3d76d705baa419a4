import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_EXPORT, encodeRouteAttributes } from '../../src/bgp/attributes.ts';
import type { RouteAttributes, SenderContext } from '../../src/bgp/attributes.ts';
import { MessageReader } from '../../src/bgp/message-reader.ts';
import type { Family } from '../../src/bgp/message.ts';
import type { Nlri } from '../../src/bgp/nlri.ts';
import { BgpError } from '../../src/bgp/notification.ts';
import { UpdateChunk, attributesFit } from '../../src/bgp/update-chunk.ts';
import { decodeUpdate } from '../../src/bgp/update.ts';
import type { Update } from '../../src/bgp/update.ts';
import { times } from '../fuzz.ts';

interface TestPrefix {
  readonly words: readonly number[];
  readonly length: number;
}

const external: SenderContext = { localAsn: 65_001, external: true, fourOctetAs: true };

function rowsOf(prefixes: readonly TestPrefix[]): { words: Uint32Array; lengths: Uint8Array } {
  return {
    words: Uint32Array.from(prefixes.flatMap(({ words }) => words)),
    lengths: Uint8Array.from(prefixes, ({ length }) => length),
  };
}

function prefixesOf({ family, size, words, lengths }: Nlri): TestPrefix[] {
  const stride = family === 'ipv4' ? 1 : 4;
  return Array.from({ length: size }, (_, row) => ({
    words: [...words.subarray(row * stride, (row + 1) * stride)],
    length: lengths[row]!,
  }));
}

function decodeAll(chunk: UpdateChunk, receiver: SenderContext): Update[] {
  const reader = new MessageReader();
  reader.push(chunk.octets);
  const updates: Update[] = [];
  for (let message = reader.next(); message !== null; message = reader.next()) {
    updates.push(decodeUpdate(message.body, receiver));
  }
  return updates;
}

const mask = (words: readonly number[], length: number): number[] =>
  words.map((word, i) => {
    const bits = Math.max(0, Math.min(32, length - i * 32));
    return bits === 0 ? 0 : (word & (bits === 32 ? -1 : ~(0xffff_ffff >>> bits))) >>> 0;
  });

function prefixArbitrary(family: Family): fc.Arbitrary<TestPrefix> {
  const count = family === 'ipv4' ? 1 : 4;
  return fc
    .record({
      words: fc.array(fc.integer({ min: 0, max: 0xffff_ffff }), { minLength: count, maxLength: count }),
      length: fc.nat(count * 32),
    })
    .map(({ words, length }) => ({ words: mask(words, length), length }));
}

const attributesOf = (family: Family): RouteAttributes => ({
  nextHop: family === 'ipv4' ? [0xc0000201] : [0x20010db8, 0, 0, 1],
  communities: [65_000 * 65_536 + 100, NO_EXPORT],
  largeCommunities: [[65_000, 1, 100]],
});

describe.each<Family>(['ipv4', 'ipv6'])('UPDATEs of %s', (family) => {
  const routes = fc.array(prefixArbitrary(family), { minLength: 1, maxLength: 3_000, size: 'max' });

  it.each([4_096, 65_535])('announce what was asked, in messages of at most %i octets', (maxMessage) => {
    const attributes = encodeRouteAttributes(family, attributesOf(family), external);
    fc.assert(
      fc.property(routes, (prefixes) => {
        const range = { rows: rowsOf(prefixes), order: null, to: prefixes.length };
        const chunk = new UpdateChunk(maxMessage);
        let at = 0;
        const got: TestPrefix[] = [];
        at = chunk.announce(attributes, range, at);
        for (const update of decodeAll(chunk, external)) {
          expect(update.fault).toBeNull();
          expect(update.announced[0]!.nextHop).toEqual(attributesOf(family).nextHop);
          expect(update.attributes).toMatchObject({
            communities: attributesOf(family).communities,
            largeCommunities: [[65_000, 1, 100]],
            asPath: [{ type: 2, asns: [65_001] }],
          });
          got.push(...update.announced.flatMap(({ nlri }) => prefixesOf(nlri)));
        }
        expect(at).toBe(got.length);
        expect(got).toEqual(prefixes.slice(0, at));
        if (at < prefixes.length) expect(chunk.hasRoom).toBe(false);
      }),
      { numRuns: times(30) },
    );
  });

  it('withdraw likewise, in the order given', () => {
    fc.assert(
      fc.property(routes, (prefixes) => {
        const order = Uint32Array.from(prefixes.keys()).reverse();
        const chunk = new UpdateChunk(4_096);
        const done = chunk.withdraw(family, { rows: rowsOf(prefixes), order, to: order.length }, 0);
        const got = decodeAll(chunk, external).flatMap(({ withdrawn }) => withdrawn.flatMap(prefixesOf));
        expect(got).toEqual([...prefixes].reverse().slice(0, done));
      }),
      { numRuns: times(30) },
    );
  });

  it('share one message between routes of the same attributes', () => {
    const prefixes = Array.from({ length: 200 }, (_, i) => ({
      words: mask(family === 'ipv4' ? [(i << 8) >>> 0] : [0x20010000 + i, 0, 0, 0], 32),
      length: 32,
    }));
    const chunk = new UpdateChunk(4_096);
    chunk.announce(
      encodeRouteAttributes(family, attributesOf(family), external),
      { rows: rowsOf(prefixes), order: null, to: 200 },
      0,
    );
    expect(chunk.messages).toBe(1);
  });

  it('mark the End-of-RIB', () => {
    const chunk = new UpdateChunk(4_096);
    chunk.endOfRib(family);
    expect(decodeAll(chunk, external).map(({ endOfRib }) => endOfRib)).toEqual([family]);
  });
});

describe('attributes', () => {
  const announce = (sender: SenderContext, family: Family = 'ipv4'): Update => {
    const chunk = new UpdateChunk(4_096);
    const rows = rowsOf([
      { words: mask(family === 'ipv4' ? [0x0a000000] : [0x20010db8, 0, 0, 0], 8), length: 8 },
    ]);
    chunk.announce(
      encodeRouteAttributes(family, attributesOf(family), sender),
      { rows, order: null, to: 1 },
      0,
    );
    return decodeAll(chunk, sender)[0]!;
  };

  it('of iBGP have an empty path and LOCAL_PREF 100', () => {
    const sender = { localAsn: 65_001, external: false, fourOctetAs: true };
    expect(announce(sender).attributes).toMatchObject({ asPath: [], localPreference: 100, origin: 0 });
    expect(announce(sender, 'ipv6').attributes).toMatchObject({
      asPath: [],
      localPreference: 100,
      nextHop: null,
    });
  });

  it('of eBGP carry no LOCAL_PREF', () => {
    expect(announce(external).attributes).toMatchObject({ localPreference: null });
  });

  it('send a peer with short AS numbers the real one in AS4_PATH', () => {
    const sender = { localAsn: 4_200_000_001, external: true, fourOctetAs: false };
    expect(announce(sender).attributes.asPath).toEqual([{ type: 2, asns: [4_200_000_001] }]);
  });

  it('that leave no room for a prefix are recognised', () => {
    const communities = Array.from({ length: 1_020 }, (_, i) => i);
    const encoded = encodeRouteAttributes('ipv4', { ...attributesOf('ipv4'), communities }, external);
    expect(attributesFit(encoded, 4_096)).toBe(false);
    expect(attributesFit(encoded, 65_535)).toBe(true);
  });
});

describe('faults of a received UPDATE (RFC 7606)', () => {
  const origin = '40010100';
  const path = '4002060201000000fd';
  const nextHop = '400304c0000201';
  const decode = (withdrawn: string, attributes: string, nlri: string): Update => {
    const length = (text: string): string => (text.length / 2).toString(16).padStart(4, '0');
    const body = `${length(withdrawn)}${withdrawn}${length(attributes)}${attributes}${nlri}`;
    return decodeUpdate(Buffer.from(body, 'hex'), external);
  };

  it.each([
    ['a missing ORIGIN', `${path}${nextHop}`],
    ['a missing NEXT_HOP', `${origin}${path}`],
    ['ORIGIN of two octets', `4001020000${path}${nextHop}`],
    ['ORIGIN 3', `40010103${path}${nextHop}`],
    ['a path cut short', `${origin}40020402020001${nextHop}`],
    ['a segment of a path that has no AS number', `${origin}40020802000201000000fd${nextHop}`],
    ['a segment of a path of no known type', `${origin}4002060501000000fd${nextHop}`],
    ['wrong flags', `c0010100${path}${nextHop}`],
    ['communities of five octets', `${origin}${path}${nextHop}c008050000000000`],
    ['an attribute that runs past the end', `${origin}${path}${nextHop}c008ff`],
  ])('withdraws the routes of an UPDATE with %s', (_name, attributes) => {
    const update = decode('', attributes, '080a');
    expect(update.announced).toEqual([]);
    expect(update.withdrawn.flatMap(prefixesOf)).toEqual([{ words: [0x0a000000], length: 8 }]);
    expect(update.fault).not.toBeNull();
  });

  it('keeps the first of two equal attributes and drops what it may', () => {
    const update = decode('', `${origin}40010102${path}${nextHop}40060101400504000000ff`, '080a');
    expect(update.fault).toBeNull();
    expect(update.attributes).toMatchObject({ origin: 0, localPreference: null });
  });

  it.each([
    ['lengths beyond the message', '0005000000', '3/1'],
    ['a prefix of /33', '000000000021ffffffffff'.slice(0, 8) + '21ffffffffff', '3/10'],
    ['an unknown well-known attribute', '00000004406301aa', '3/2'],
    ['MP_REACH_NLRI twice', `0000001a${'800e0a00020100000000000000'.repeat(2)}`, '3/1'],
    ['MP_UNREACH_NLRI with /129', '00000007800f0400020181', '3/9'],
    ['MP_REACH_NLRI with a next hop of 3 octets', '0000000b800e0800020103aabbcc00', '3/9'],
  ])('ends the session for %s', (_name, octets, fault) => {
    let code = 'none';
    try {
      decodeUpdate(Buffer.from(octets, 'hex'), external);
    } catch (error) {
      if (error instanceof BgpError) code = `${error.code}/${error.subcode}`;
    }
    expect(code).toBe(fault);
  });

  it('clears bits beyond the length of a prefix', () => {
    const update = decode('0cac1f', '', '');
    expect(update.withdrawn.flatMap(prefixesOf)).toEqual([{ words: [0xac100000], length: 12 }]);
  });
});
