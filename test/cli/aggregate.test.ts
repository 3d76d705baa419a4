import { afterAll, describe, expect, it } from 'vitest';
import { Lists, prefixcast, prefixcastCutShort, prefixcastUnheard } from './prefix-commands.ts';

const lists = new Lists();
afterAll(() => lists.remove());
const mixed = lists.write(
  'mixed.txt',
  '10.0.0.128/25\n2001:db8::1\n10.0.0.0/25\n# comment\n10.0.2.0/24,DE\r\n',
);

describe('prefixcast aggregate', () => {
  it('prints the fewest prefixes, IPv4 first, of files and standard input together', () => {
    const more = lists.write('more.txt', '10.0.3.0-10.0.3.255\n2001:db8::');
    expect(prefixcast(['aggregate', mixed, '-', more], '10.0.1.0/24')).toEqual({
      code: 0,
      out: '10.0.0.0/22\n2001:db8::/127\n',
      err: '',
    });
  });

  it('leaves out excluded lists', () => {
    const first = lists.write('first.txt', '10.0.0.0/26');
    const second = lists.write('second.txt', '10.0.2.0/23\n2001:db8::/64');
    const { code, out } = prefixcast(['aggregate', '--exclude', first, '--exclude', second, mixed]);
    expect([code, out]).toEqual([0, '10.0.0.64/26\n10.0.0.128/25\n']);
  });

  it('prints one family, or both', () => {
    expect(prefixcast(['aggregate', '--ipv6', mixed]).out).toBe('2001:db8::1/128\n');
    expect(prefixcast(['aggregate', '--ipv4', mixed]).out).toBe('10.0.0.0/24\n10.0.2.0/24\n');
    expect(prefixcast(['aggregate', '--ipv4', '--ipv6', mixed]).out).toBe(
      '10.0.0.0/24\n10.0.2.0/24\n2001:db8::1/128\n',
    );
  });

  it('fits each family into that many prefixes and reports what that costs', () => {
    expect(prefixcast(['aggregate', '--max-prefixes', '1', mixed])).toEqual({
      code: 0,
      out: '10.0.0.0/22\n2001:db8::1/128\n',
      err: 'ipv4: 2 prefixes became 1, which cover 512 addresses beside the 512 of the lists\n',
    });
  });

  it('prints JSON and CSV', () => {
    const json = JSON.parse(prefixcast(['aggregate', '--output', 'json', mixed]).out) as unknown;
    expect(json).toEqual({ ipv4: ['10.0.0.0/24', '10.0.2.0/24'], ipv6: ['2001:db8::1/128'] });
    expect(JSON.parse(prefixcast(['aggregate', '--output', 'json', '-']).out)).toEqual({
      ipv4: [],
      ipv6: [],
    });
    const fitted = prefixcast(['aggregate', '--max-prefixes', '1', '--output', 'json', mixed]);
    expect(JSON.parse(fitted.out)).toEqual({
      ipv4: ['10.0.0.0/22'],
      ipv6: ['2001:db8::1/128'],
      fitted: {
        ipv4: {
          prefixes_before: 2,
          prefixes: 1,
          listed_addresses: '512',
          foreign_addresses: '512',
          fewest_possible: true,
        },
      },
    });
    expect(fitted.err).toMatch(/cover 512 addresses beside the 512 of the lists/);
    expect(prefixcast(['aggregate', '--output', 'csv', mixed]).out).toBe(
      'prefix,first,last\n' +
        '10.0.0.0/24,10.0.0.0,10.0.0.255\n10.0.2.0/24,10.0.2.0,10.0.2.255\n' +
        '2001:db8::1/128,2001:db8::1,2001:db8::1\n',
    );
  });

  it('uses the good lines and reports the refused ones by file and line', () => {
    const bad = lists.write('bad.txt', '10.0.0.0/8\n10.0.0.1/8\n' + 'x\n'.repeat(50));
    const { code, out, err } = prefixcast(['aggregate', bad, '-'], '11.0.0.0/8\n010.0.0.1\n');
    expect([code, out]).toEqual([65, '10.0.0.0/7\n']);
    const lines = err.trimEnd().split('\n');
    expect(lines).toHaveLength(22);
    expect(lines[0]).toContain(`${bad}:2: 10.0.0.1/8 has host bits set`);
    expect(lines[20]).toBe(`${bad}: 51 lines were refused, of which the first 20 are above`);
    expect(lines[21]).toMatch(/^\(standard input\):2: .*leading zero/);
  });

  it('reads lists larger than what it holds at once', () => {
    const text = Array.from(
      { length: 100_000 },
      (_, i) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}${i % 3 === 0 ? ' # odd' : ''}`,
    ).join('\n');
    const { code, out } = prefixcast(['aggregate', '-'], text);
    expect([code, out]).toEqual([
      0,
      '10.0.0.0/16\n10.1.0.0/17\n10.1.128.0/22\n10.1.132.0/23\n10.1.134.0/25\n10.1.134.128/27\n',
    ]);
  });

  it('writes its result, and says that lines were refused, when nobody reads which', () => {
    const bad = lists.write('unheard.txt', '10.0.0.0/8\nbad\n');
    expect(prefixcastUnheard(['aggregate', bad], lists)).toEqual({ code: 65, out: '10.0.0.0/8\n' });
  });

  it('ends quietly when its reader goes', async () => {
    const scattered = Array.from(
      { length: 200_000 },
      (_, i) => `10.${i >> 15}.${(i >> 7) & 255}.${(i * 2) & 255}`,
    );
    const path = lists.write('scattered.txt', scattered.join('\n'));
    const { code, out, err } = await prefixcastCutShort(['aggregate', path]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^10\.0\.0\.0\/32\n10\.0\.0\.2\/32\n/);
  });

  it.each([
    [['aggregate'], 2, /No list is named/],
    [['aggregate', '-', '-'], 2, /once/],
    [['aggregate', '--exclude', '-', '-'], 2, /once/],
    [['aggregate', '--nonsense', mixed], 2, /--nonsense/],
    [['aggregate', '--max-prefixes', '0', mixed], 2, /1 or more/],
    [['aggregate', '--output', 'xml', mixed], 2, /text, json, csv/],
    [
      ['aggregate', '/nowhere/list.txt'],
      66,
      /\/nowhere\/list.txt can't be read: ENOENT: no such file or directory$/m,
    ],
    [['aggregate', lists.directory], 66, /can't be read: EISDIR/],
    [['aggregate', '--exclude', '/nowhere/list.txt', mixed], 66, /can't be read/],
  ])('refuses %j', (args, expected, reason) => {
    const { code, out, err } = prefixcast(args);
    expect([code, out]).toEqual([expected, '']);
    expect(err).toMatch(reason);
    expect(err).not.toContain('    at ');
  });

  it('reports how it is used, with its exit codes', () => {
    const { code, out } = prefixcast(['aggregate', '--help']);
    expect(code).toBe(0);
    for (const part of ['--exclude', '--max-prefixes', '65', '66', '74']) expect(out).toContain(part);
  });
});
