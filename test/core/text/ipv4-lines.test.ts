import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlainLines } from '../../../src/core/text/ipv4-lines.ts';
import { PrefixBuffer } from '../../../src/core/prefix-buffer.ts';
import { formatPrefixAt, parsePrefix } from '../../../src/core/prefix.ts';
import { parsePrefixText, prefixesFromValues } from '../../../src/core/text/prefix-text.ts';
import { times } from '../../fuzz.ts';

/** Behind what is tried, so that it is not too near to the end to be read. */
const REST = '\n# and then a comment that is long enough\n';

/** What is read of the one line, and null when it is left to the other reader. */
function plain(line: string): string | null {
  const bytes = new TextEncoder().encode(line + REST);
  const rows = new PrefixBuffer('ipv4');
  const end = readPlainLines(new DataView(bytes.buffer), 0, rows, 10);
  if (rows.size === 0) return null;
  expect(end).toBe(line.length + 1);
  return formatPrefixAt(rows, 0);
}

/** What is read here must be what the reader of single values makes of it, and no plain prefix may be left. */
function agrees(text: string): void {
  const read = plain(text);
  const { ipv4, accepted } = prefixesFromValues([{ line: 1, text }]);
  if (read !== null) {
    if (accepted !== 1 || formatPrefixAt(ipv4, 0) !== read)
      throw new Error(`${JSON.stringify(text)} is read as ${read}`);
    return;
  }
  const parsed = parsePrefix(text);
  if (parsed.ok && parsed.value.family === 'ipv4') throw new Error(`${JSON.stringify(text)} is left`);
}

describe('readPlainLines', () => {
  it.each([
    ['1.2.3.4', '1.2.3.4/32'],
    ['255.255.255.255/32\r', '255.255.255.255/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['128.0.0.0/1', '128.0.0.0/1'],
  ])('reads %j', (line, prefix) => {
    expect(plain(line)).toBe(prefix);
  });

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.1234',
    '01.2.3.4',
    '1.2.3.04',
    '1.2.3.00',
    '1.2.3.4/',
    '1.2.3.4/33',
    '1.2.3.4/032',
    '1.2.3.4/320',
    '0.0.0.0/00',
    '10.0.0.1/8',
    '10.0.0.0/:',
    '10.0.0.0/<',
    '0.0.0.0/@',
    '10.0.0.0/1:',
    '10.0.0.0/1/',
    '10.0.0.0/8 ',
    '10.0.0.0/8\r\r',
    ' 10.0.0.0/8',
    '1.2.3.4-1.2.3.5',
    '1..2.3',
    '1.2.3.:',
    '1.2.3./',
    '1,2.3.4',
    '\u00b11.2.3.4',
    '1.2.3.\u00b9',
    '::1',
  ])('leaves %j', (line) => {
    expect(plain(line)).toBeNull();
  });

  it('takes only what the other reader takes, and alike', () => {
    const octet = fc.oneof(
      fc.nat({ max: 300 }).map(String),
      fc.string({ unit: fc.constantFrom(...'0123456789.:/\u00ff '), maxLength: 4 }),
    );
    const length = fc.oneof(
      fc.constant(''),
      fc.nat({ max: 40 }).map((number) => `/${number}`),
    );
    const line = fc
      .tuple(octet, octet, octet, octet, length)
      .map(([a, b, c, d, behind]) => `${a}.${b}.${c}.${d}${behind}`);
    fc.assert(fc.property(line, agrees), { numRuns: times(20_000) });
  });

  it('agrees with the other reader whatever byte stands at any place of a line', () => {
    for (const line of ['10.0.0.0/8', '0.0.0.0/0', '192.0.2.0/24\r', '255.255.255.255', '1.2.3.4/32']) {
      for (let place = 0; place <= line.length; place++) {
        for (let byte = 0; byte < 0x80; byte++) {
          if (byte === 0x0a) continue;
          const character = String.fromCharCode(byte);
          agrees(line.slice(0, place) + character + line.slice(place + 1));
          agrees(line.slice(0, place) + character + line.slice(place));
        }
      }
    }
  });

  it('reads every octet and every length', () => {
    for (let value = 0; value < 256; value++) {
      expect(plain(`${value}.${255 - value}.0.${value}`)).toBe(`${value}.${255 - value}.0.${value}/32`);
    }
    for (let length = 0; length <= 32; length++) expect(plain(`0.0.0.0/${length}`)).toBe(`0.0.0.0/${length}`);
  });

  it('stops at its limit, and at the end', () => {
    const bytes = new TextEncoder().encode('1.2.3.4\n'.repeat(10));
    const rows = new PrefixBuffer('ipv4');
    expect(readPlainLines(new DataView(bytes.buffer), 0, rows, 3)).toBe(24);
    expect(readPlainLines(new DataView(bytes.buffer), 24, rows, 100)).toBe(64);
    expect(parsePrefixText(bytes).accepted).toBe(10);
  });
});
