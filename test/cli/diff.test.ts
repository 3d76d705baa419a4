import { afterAll, describe, expect, it } from 'vitest';
import { Lists, prefixcast, prefixcastCutShort, prefixcastUnheard } from './prefix-commands.ts';

const lists = new Lists();
afterAll(() => lists.remove());
const before = lists.write('before.txt', '10.0.0.0/24\n10.0.1.0/24\n2001:db8::/32\n');
const after = lists.write('after.txt', '10.0.0.0/23\n10.0.2.0/24\n2001:db8::/33\n');

describe('prefixcast diff', () => {
  it('prints the addresses that one list alone holds', () => {
    expect(prefixcast(['diff', before, after])).toEqual({
      code: 1,
      out: '+ 10.0.2.0/24\n- 2001:db8:8000::/33\n',
      err: `ipv4: 0 addresses removed, 256 added\nipv6: ${2n ** 95n} addresses removed, 0 added\n`,
    });
  });

  it('sees no difference in how the same addresses are written', () => {
    expect(prefixcast(['diff', before, '-'], '10.0.0.0/23\n2001:db8::/33\n2001:db8:8000::/33')).toEqual({
      code: 0,
      out: '',
      err: '',
    });
  });

  it('compares one family, in other formats', () => {
    expect(prefixcast(['diff', '--ipv4', '--output', 'csv', before, after]).out).toBe(
      'change,prefix\nadded,10.0.2.0/24\n',
    );
    expect(prefixcast(['diff', '--ipv6', '--output', 'json', before, after]).out).toBe(
      '{"change":"removed","prefix":"2001:db8:8000::/33"}\n',
    );
  });

  it('reports refused lines, and that the answer rests on the others', () => {
    const { code, out, err } = prefixcast(['diff', before, '-'], '10.0.0.0/23\nbad\n2001:db8::/32');
    expect([code, out]).toEqual([65, '']);
    expect(err).toContain('(standard input):2: ');
  });

  it('says that lists differ to whoever reads no further than the first of it', async () => {
    const scattered = Array.from(
      { length: 100_000 },
      (_, i) => `10.${i >> 15}.${(i >> 7) & 255}.${(i * 2) & 255}`,
    );
    const { code, out } = await prefixcastCutShort([
      'diff',
      '/dev/null',
      lists.write('all.txt', scattered.join('\n')),
    ]);
    expect(out).toMatch(/^\+ 10\.0\.0\.0\/32\n/);
    expect(code).toBe(1);
  });

  it('never says that lists differ when it only could not say why it fails', () => {
    expect(prefixcastUnheard(['diff', before, '/nowhere/list.txt'], lists)).toEqual({ code: 66, out: '' });
  });

  it('never says that lists differ when it has too little memory to compare them', () => {
    const large = '1::\n'.repeat(1_000_000);
    const { code, out, err } = prefixcast(['diff', '/dev/null', '-'], large, ['--wasm-max-mem-pages=300']);
    expect([code, out]).toEqual([70, '']);
    expect(err).toMatch(/^prefixcast: .*more memory/);
  });

  it.each([
    [['diff', before], 2],
    [['diff', before, after, after], 2],
    [['diff', '-', '-'], 2],
    [['diff', before, '/nowhere/list.txt'], 66],
  ])('refuses %j', (args, expected) => {
    expect(prefixcast(args).code).toBe(expected);
  });
});
