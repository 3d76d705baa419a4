import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPrefixAt } from '../../../src/core/prefix.ts';
import {
  type CollectedPrefixes,
  PrefixTextReader,
  parsePrefixText,
  prefixesFromValues,
} from '../../../src/core/text/prefix-text.ts';
import { times } from '../../fuzz.ts';

function read(text: string): CollectedPrefixes {
  return parsePrefixText(Buffer.from(text, 'utf8'));
}

function textsOf({ ipv4, ipv6 }: CollectedPrefixes): string[] {
  return [ipv4, ipv6].flatMap((rows) => Array.from({ length: rows.size }, (_, i) => formatPrefixAt(rows, i)));
}

function readInChunks(bytes: Uint8Array, cuts: readonly number[]): CollectedPrefixes {
  const reader = new PrefixTextReader();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  places.slice(1).forEach((to, i) => reader.push(bytes.subarray(places[i], to)));
  return reader.finish();
}

describe('parsePrefixText', () => {
  it.each([
    ['198.51.100.0/24', ['198.51.100.0/24']],
    ['198.51.100.7', ['198.51.100.7/32']],
    ['2001:DB8::/32', ['2001:db8::/32']],
    ['  198.51.100.0/24\t\r', ['198.51.100.0/24']],
    ['\ufeff198.51.100.0/24', ['198.51.100.0/24']],
    ['\u200b198.51.100.0/24\u200b\u2060', ['198.51.100.0/24']],
    ['\u00a0198.51.100.0/24\u00a0', ['198.51.100.0/24']],
    ['198.51.100.0/24 # text', ['198.51.100.0/24']],
    ['198.51.100.0/24#1.2.3.4', ['198.51.100.0/24']],
    ['198.51.100.0/24 ; SBL1', ['198.51.100.0/24']],
    ['198.51.100.0/24;a', ['198.51.100.0/24']],
    ['198.51.100.0/24 // text', ['198.51.100.0/24']],
    ['198.51.100.0//text', ['198.51.100.0/32']],
    ['198.51.100.0/24//text', ['198.51.100.0/24']],
    ['198.51.100.0/24,DE,DE-BE,Berlin,', ['198.51.100.0/24']],
    ['198.51.100.0/24 , 64500 # 1.2.3.4', ['198.51.100.0/24']],
    ['198.51.100.0/24,v1.2.3.4.5,12:30', ['198.51.100.0/24']],
    ['198.51.100.0-198.51.100.2', ['198.51.100.0/31', '198.51.100.2/32']],
    ['198.51.100.0 - 198.51.100.0 # one', ['198.51.100.0/32']],
    ['2001:db8::-2001:db8::1', ['2001:db8::/127']],
    ['0.0.0.0-255.255.255.255', ['0.0.0.0/0']],
    ['::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', ['::/0']],
    ['# 198.51.100.0/24', []],
    [';', []],
    ['// text', []],
    ['', []],
    [' \t\r', []],
    ['\ufeff', []],
  ])('reads %j', (line, prefixes) => {
    const collected = read(line);
    expect(textsOf(collected)).toEqual(prefixes);
    expect(collected).toMatchObject({ accepted: prefixes.length > 0 ? 1 : 0, rejectedCount: 0, rejects: [] });
  });

  it.each([
    ['010.0.0.1', /leading zero/],
    ['10.0.0.0/33', /0 to 32/],
    ['127.1', /2 of the 4/],
    ['::ffff:10.0.0.1', /IPv4-mapped/],
    ['10.0.0.1/8', /10\.0\.0\.0\/8 for the network or 10\.0\.0\.1\/32/],
    ['10.0.0.0/8 11.0.0.0/8', /two prefixes/],
    ['10.0.0.0/8 text', /goes on behind 10\.0\.0\.0\/8/],
    ['10.0.0.0 255.0.0.0', /two prefixes/],
    ['10.0.0.0/255.0.0.0', /not a netmask/],
    ['10.0.0.0/8,11.0.0.0/8', /later field/],
    ['1.0.0.0,1.0.0.255,AU', /later field/],
    ['10.0.0.0/8,DE,"11.0.0.1"', /later field/],
    ['10.0.0.0/8,DE, 11.0.0.1/8', /later field/],
    ['ip_prefix,country', /not an IPv4 or IPv6 address/],
    [',10.0.0.0/8', /empty/],
    ['10.0.\u200b0.0/8', /U\+200B/],
    ['10.0.0.9-10.0.0.1', /ends before it begins: write 10\.0\.0\.1-10\.0\.0\.9/],
    ['10.0.0.0-::1', /one family into the other/],
    ['0.0.0.1-2001:db8::', /one family into the other/],
    ['::-1.2.3.4', /one family into the other/],
    ['10.0.0.0/24-10.0.1.0', /both ends as addresses/],
    ['10.0.0.0-10.0.0.300', /0 to 255/],
    ['10.0.0.0-', /empty/],
    ['"10.0.0.0/8"', /is not an/],
    ['10.0.0.0/8\0', /is not|goes on|no valid/],
    ['<html>', /not an IPv4 or IPv6 address/],
    ['x'.repeat(300), /too long/],
  ])('refuses %j and says why', (line, reason) => {
    const collected = read(`# first line\n${line}\n10.0.0.0/8`);
    expect(collected).toMatchObject({ accepted: 1, rejectedCount: 1 });
    expect(collected.rejects[0]!.line).toBe(2);
    expect(collected.rejects[0]!.reason).toMatch(reason);
    expect(collected.rejects[0]!.text.length).toBeLessThanOrEqual(200);
  });

  it('keeps order and duplicates, and reports lines by number across line ends of both kinds', () => {
    const collected = read('10.0.0.0/8\r\n\r\nbad\n9.0.0.0/8\n10.0.0.0/8\nworse');
    expect(textsOf(collected)).toEqual(['10.0.0.0/8', '9.0.0.0/8', '10.0.0.0/8']);
    expect(collected.rejects.map(({ line, text }) => [line, text])).toEqual([
      [3, 'bad'],
      [6, 'worse'],
    ]);
  });

  it('counts all rejects and keeps the first 1,000', () => {
    const collected = read('bad\n'.repeat(2500));
    expect(collected.rejectedCount).toBe(2500);
    expect(collected.rejects).toHaveLength(1000);
    expect(collected.rejects.at(-1)!.line).toBe(1000);
  });

  it('shows rejects without control characters', () => {
    const shown = read('\u001b[31mred\0\u0007\n').rejects[0]!.text;
    expect(shown).toBe('\ufffd[31mred\ufffd\ufffd');
  });

  it.each([
    '1.2.3.4/24\0',
    '1.2.3.4/\u001b[31m',
    '1.2.3.4/\u009b31m',
    '\u009b31m',
    '\u009b::\u007f',
    '1.2.3.4-\u009b',
    '::/\ud83d',
  ])('refuses %j without a control character in its message', (value) => {
    for (const { rejects } of [read(value), prefixesFromValues([{ line: 1, text: value }])]) {
      const { text, reason } = rejects[0]!;
      expect(text + reason).not.toMatch(/\p{Cc}/u);
      expect(reason.isWellFormed()).toBe(true);
    }
  });

  it('reports a refused value that is cut inside a character', () => {
    const { rejects } = prefixesFromValues([{ line: 1, text: `1.2.3.4/${'9'.repeat(71)}\u{1f600}` }]);
    expect(rejects[0]!.reason.isWellFormed()).toBe(true);
  });

  it('refuses lines without end and reads on behind them', () => {
    const long = 'a'.repeat(200_000);
    const collected = read(`${long}\n10.0.0.0/8\n# ${long}\n${' '.repeat(70_000)}11.0.0.0/8\n`);
    expect(textsOf(collected)).toEqual(['10.0.0.0/8']);
    expect(collected.rejects.map(({ line }) => line)).toEqual([1, 4]);
    expect(collected.rejects[0]!.reason).toMatch(/longer than 65536 bytes/);
  });

  it('stops at a bound of memory that ranges would run over', () => {
    const line = '::1-ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe\n';
    const collected = read(line.repeat(70_000));
    expect(collected.ipv6.size).toBeLessThan(2 ** 24 + 256);
    expect(collected.rejectedCount).toBeGreaterThan(0);
    expect(collected.rejects[0]!.reason).toMatch(/more than 16777216 prefixes/);
  });

  it('gives the same whatever the chunks', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '10.0.0.0/8',
        '2001:db8::/32',
        '1.2.3.4-1.2.3.9',
        '# x',
        '',
        '\ufeff1.2.3.4',
        'bad',
        '\r',
      ),
      fc.constantFrom('a'.repeat(65_535), 'a'.repeat(65_536), 'a'.repeat(65_537), `#${'a'.repeat(70_000)}`),
    );
    const input = fc.tuple(
      fc.array(line, { maxLength: 8 }),
      fc.boolean(),
      fc.array(fc.nat(), { maxLength: 6 }),
    );
    fc.assert(
      fc.property(input, ([lines, ended, cuts]) => {
        const bytes = Buffer.from(lines.join('\n') + (ended ? '\n' : ''), 'utf8');
        expect(readInChunks(bytes, cuts)).toEqual(parsePrefixText(bytes));
      }),
      { numRuns: times(200) },
    );
    const small = Buffer.from('\ufeff10.0.0.0/8\r\nbad\n\n1.2.3.4-1.2.3.9 # x\n::1', 'utf8');
    const oneByOne = Array.from({ length: small.length }, (_, i) => i);
    expect(readInChunks(small, oneByOne)).toEqual(parsePrefixText(small));
  });

  it('never throws, whatever the bytes', () => {
    const ascii = fc.string({ unit: fc.constantFrom(...'0123456789abcf.:/-, #;\n\r\t"\0'), maxLength: 80 });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      ascii.map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(bytes, (input) => {
        const collected = parsePrefixText(input);
        expect(collected.rejects.every(({ reason }) => reason.length > 0)).toBe(true);
      }),
      { numRuns: times(5_000, 2_000) },
    );
  });
});

describe('prefixesFromValues', () => {
  it('reads values strictly and reports the refused ones by their line', () => {
    const values = [
      '10.0.0.0/8',
      ' ::1 ',
      '1.2.3.4-1.2.3.5',
      '10.0.0.0/8 # x',
      '10.0.0.0/8,DE',
      '',
      'x'.repeat(5000),
    ];
    const collected = prefixesFromValues(values.map((text, i) => ({ line: (i + 1) * 10, text })));
    expect(textsOf(collected)).toEqual(['10.0.0.0/8', '1.2.3.4/31', '::1/128']);
    expect(collected).toMatchObject({ accepted: 3, rejectedCount: 4 });
    expect(collected.rejects.map(({ line }) => line)).toEqual([40, 50, 60, 70]);
    expect(collected.rejects[2]!.reason).toMatch(/empty/);
    expect(collected.rejects[3]!.text.length).toBeLessThanOrEqual(200);
  });

  it('looks once at each blank inside a value', () => {
    // Looking at all that follow for each takes longer than a test may.
    const text = `x${' '.repeat(500_000)}x`;
    const { rejects } = prefixesFromValues([{ line: 1, text }]);
    expect(rejects[0]!.reason).toMatch(/too long/);
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const { accepted, rejectedCount } = prefixesFromValues([{ line: 1, text }]);
        expect(accepted + rejectedCount).toBe(1);
      }),
    );
  });
});
