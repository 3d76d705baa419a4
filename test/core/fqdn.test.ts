import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFqdn } from '../../src/core/fqdn.ts';
import { times } from '../fuzz.ts';

const longLabel = 'x'.repeat(63);

describe('parseFqdn', () => {
  it.each([
    ['www.example.com', 'www.example.com'],
    ['WWW.Example.COM.', 'www.example.com'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['BÜCHER.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['faß.de', 'xn--fa-hia.de'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['_dmarc.example.com', '_dmarc.example.com'],
    ['r3---sn-x.example.com', 'r3---sn-x.example.com'],
    ['1and1.example', '1and1.example'],
    ['4.example', '4.example'],
    [`${longLabel}.example`, `${longLabel}.example`],
    ['a.xn--p1ai', 'a.xn--p1ai'],
  ])('reads %s as %s', (text, name) => {
    expect(parseFqdn(text)).toEqual({ ok: true, value: name });
  });

  it.each([
    ['', /empty/],
    ['.', /empty label/],
    ['a..b', /empty label/],
    ['.example.com', /empty label/],
    ['example.com..', /empty label/],
    ['*.example.com', /wildcard/],
    ['localhost', /not fully qualified/],
    ['192.0.2.1', /ends in a number/],
    ['１９２.0.2.1', /ends in a number/],
    ['0x7f.1', /ends in a number/],
    ['example.0x7f', /ends in a number/],
    ['[::1]', /character "\["/],
    ['::1', /character ":"/],
    ['example.com:80', /character ":"/],
    ['http://example.com/', /URL/],
    ['example.com/path', /character "\/"/],
    ['user@example.com', /character "@"/],
    ['%65xample.com', /character "%"/],
    ['exa mple.com', /blank/],
    [' example.com', /blank/],
    ['exa\u200bmple.com', /invisible/],
    ['exa\u00admple.com', /invisible/],
    ['-a.example', /label "-a"/],
    ['a-.example', /label "a-"/],
    ['xn--a.example', /internationalised/],
    ['xn--.example', /internationalised/],
    ['a\0.example', /character/],
    [`${longLabel}x.example`, /longer than 63/],
    [`${`${longLabel}.`.repeat(4)}example`, /longer than 253/],
    ['x'.repeat(5000), /longer than 253/],
  ])('refuses %j and says why', (text, reason) => {
    const parsed = parseFqdn(text);
    expect(parsed.ok ? `(accepted as ${parsed.value})` : parsed.reason).toMatch(reason);
  });

  it('gives names that it reads back unchanged', () => {
    const label = fc.string({ unit: fc.constantFrom(...'abzÄß例1-_é'), minLength: 1, maxLength: 8 });
    const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
    let accepted = 0;
    fc.assert(
      fc.property(name, (text) => {
        const parsed = parseFqdn(text);
        if (!parsed.ok) return;
        accepted++;
        expect(parsed.value).toMatch(/^[a-z0-9_.-]+$/);
        expect(parseFqdn(parsed.value)).toEqual(parsed);
        expect(parseFqdn(`${text}.`)).toEqual(parsed);
      }),
      { numRuns: times(1000) },
    );
    expect(accepted).toBeGreaterThan(0);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(typeof parseFqdn(text).ok).toBe('boolean');
      }),
      { numRuns: times(2000) },
    );
  });

  it('accepts the names of a real list', () => {
    const path = join(import.meta.dirname, '../../../shared/data/domains/netflix.txt');
    if (!existsSync(path)) {
      if (process.env.CI) throw new Error(`In CI nothing is skipped: ${path} is absent`);
      console.warn(`\n*** SKIPPED: names of a real list: ${path} is absent ***\n`);
      return;
    }
    const names = readFileSync(path, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !parseFqdn(name).ok)).toEqual([]);
  });
});
