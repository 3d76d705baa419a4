import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FAMILIES, type Family } from '../../../src/core/address.ts';
import { CompiledCover } from '../../../src/core/sets/compiled-cover.ts';
import { coverOf, equalSets, union } from '../../../src/core/sets/prefix-set.ts';
import {
  type CollectedPrefixes,
  PrefixTextReader,
  parsePrefixText,
} from '../../../src/core/text/prefix-text.ts';
import { times } from '../../fuzz.ts';

const encoder = new TextEncoder();

interface Read extends CollectedPrefixes {
  /** Lines of each family that its cover took, and did not leave to the reader. */
  readonly lines: Record<Family, number>;
}

/** The lists read by covers, in chunks of `chunkBytes`, with what they left to the reader. */
function readByCovers(text: string, chunkBytes = Infinity): Read {
  const covers = { ipv4: new CompiledCover('ipv4'), ipv6: new CompiledCover('ipv6') };
  const reader = new PrefixTextReader(FAMILIES.map((family) => covers[family]));
  const bytes = encoder.encode(text);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.slice(at, at + chunkBytes));
  const rest = reader.finish();
  const lines = { ipv4: covers.ipv4.lines, ipv6: covers.ipv6.lines };
  for (const family of FAMILIES) covers[family].addAll(rest[family]);
  return { ...rest, ipv4: covers.ipv4.build(), ipv6: covers.ipv6.build(), lines };
}

/** Both ways of reading must find the same prefixes, and refuse the same lines in the same words. */
function agrees(text: string, chunkBytes?: number): Read {
  const read = readByCovers(text, chunkBytes);
  const expected = parsePrefixText(encoder.encode(text));
  for (const family of FAMILIES) {
    const same = equalSets(read[family], coverOf(expected[family]));
    if (!same) throw new Error(`${family} differs for ${JSON.stringify(text)}`);
  }
  expect([read.accepted, read.rejectedCount]).toEqual([expected.accepted, expected.rejectedCount]);
  expect(read.rejects).toEqual(expected.rejects);
  return read;
}

const octet = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 300 }).map(String) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789.:/\u00ff '), maxLength: 4 }) },
);
const group = fc.oneof(
  { weight: 4, arbitrary: fc.nat({ max: 0xffff }).map((number) => number.toString(16)) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789abcfFg.:/ '), maxLength: 5 }) },
);
const behind = (most: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof(
        fc.constant(''),
        fc.nat({ max: most }).map((number) => `/${number}`),
      ),
      fc.constantFrom('', '', '', '\r', ' ', ' # why', ',DE'),
    )
    .map(([length, rest]) => length + rest);
const ipv4Line = fc
  .tuple(octet, octet, octet, octet, behind(40))
  .map(([a, b, c, d, rest]) => `${a}.${b}.${c}.${d}${rest}`);
const ipv6Line = fc
  .tuple(
    fc.array(group, { minLength: 1, maxLength: 9 }),
    fc.constantFrom(':', ':', '::'),
    fc.nat({ max: 9 }),
    behind(140),
  )
  .map(
    ([groups, gap, place, rest]) =>
      groups.map((text, i) => (i === 0 ? text : (i === place ? gap : ':') + text)).join('') + rest,
  );
const wholeNets = fc
  .tuple(fc.nat({ max: 24 }), fc.nat(0xffff))
  .map(([zeros, bits]) => `${((bits << 16) >>> zeros) >>> 24}.0.0.0/${zeros}`);
const line = fc.oneof(
  ipv4Line,
  ipv6Line,
  wholeNets,
  fc.constantFrom('', '# nothing', '::/0', '2001:db8::/32', '::1', '0.0.0.0/0'),
);

describe('CompiledCover', () => {
  it('reads what the other reader reads, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        fc.constantFrom('\n', '\r\n'),
        (lines, cut, lineEnd) => {
          agrees(lines.join(lineEnd), cut);
        },
      ),
      { numRuns: times(400) },
    );
  });

  it.each([
    ...['10.0.0.0/8', '0.0.0.0/0', '192.0.2.0/24\r', '255.255.255.255', '1.2.3.4/32'],
    ...['2001:db8::/32', '::/0', '::1', '1:2:3:4:5:6:7:8', 'fe80::a:b/127\r', '1:2:3::/48', '::ffff:1:2'],
  ])('agrees with the other reader whatever byte stands at any place of %j', (whole) => {
    for (let place = 0; place <= whole.length; place++) {
      const lines: string[] = [];
      for (let byte = 0; byte < 0x80; byte++) {
        const character = String.fromCharCode(byte);
        lines.push(whole.slice(0, place) + character + whole.slice(place + 1));
        lines.push(whole.slice(0, place) + character + whole.slice(place));
      }
      agrees(lines.join('\n'));
    }
  });

  it('takes every octet and every length of plain lines', () => {
    const lines = Array.from({ length: 256 }, (_, value) => `${value}.${255 - value}.7.${value}`);
    for (let length = 0; length <= 32; length++) lines.push(`0.0.0.0/${length}`);
    expect(agrees(`${lines.join('\n')}\n`).lines.ipv4).toBe(256 + 33);
  });

  it('takes every form of a plain IPv6 line', () => {
    const lines: string[] = [];
    for (let before = 0; before <= 7; before++) {
      for (let after = 0; before + after <= 7; after++) {
        const groups = (count: number): string =>
          Array.from({ length: count }, (_, i) => 'f0A1'.slice(i % 4)).join(':');
        lines.push(`${groups(before)}::${groups(after)}`);
      }
    }
    for (let length = 0; length <= 128; length++) {
      const word = (1n << 128n) - (1n << BigInt(128 - length));
      const digits = word.toString(16).padStart(32, '0');
      lines.push(`${digits.match(/.{4}/g)!.join(':')}/${length}`);
    }
    for (const text of lines) expect(agrees(`${text}\n`).lines.ipv6).toBe(1);
    agrees(lines.join('\r\n'));
  });

  it('takes lines from lists that are longer than its input', () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `10.${i >> 8}.${i & 255}.0/${24 + (i % 9)}`);
    lines.splice(20_000, 0, '# a comment', 'nothing', `${'1'.repeat(70_000)}`, '2001:db8::/32');
    const { lines: taken } = agrees(`${lines.join('\n')}\n`);
    expect(taken.ipv4).toBe(40_000);
  });

  it.each(FAMILIES)('hands on its memory, and can still take more (%s)', (family) => {
    const [first, second, third] = ['0', '1', 'f'].map((digit) => {
      const lines = Array.from({ length: 500 }, (_, i) =>
        family === 'ipv4'
          ? `1${digit.charCodeAt(0)}.${i % 256}.${i >> 7}.0/${20 + (i % 13)}`
          : `${digit}:${i}::/${32 + (i % 96)}`,
      );
      return parsePrefixText(encoder.encode(lines.join('\n')))[family];
    });
    const covers = [new CompiledCover(family), new CompiledCover(family)] as const;
    covers[0].addAll(first!);
    const before = covers[0].build();
    covers[1].addAll(second!);
    covers[0].addAll(third!);
    expect(equalSets(before, coverOf(first!))).toBe(true);
    expect(equalSets(covers[1].build(), coverOf(second!))).toBe(true);
    expect(equalSets(covers[0].build(), union(coverOf(first!), coverOf(third!)))).toBe(true);
    expect(equalSets(covers[0].build(), union(before, coverOf(third!)))).toBe(true);
  });
});
