import { afterAll, describe, expect, it } from 'vitest';
import { Lists, prefixcast } from './prefix-commands.ts';

const lists = new Lists();
afterAll(() => lists.remove());
const list = lists.write('list.txt', '10.0.0.0/8\n10.1.0.0/16\n11.0.0.0/9\n11.128.0.0/9\n2001:db8::/32\n');

describe('prefixcast contains', () => {
  it('reports all prefixes around an address, innermost first', () => {
    expect(prefixcast(['contains', list, '10.1.2.3', '2001:db8::1'])).toEqual({
      code: 0,
      out: '10.1.2.3 is in 10.1.0.0/16, 10.0.0.0/8\n2001:db8::1 is in 2001:db8::/32\n',
      err: '',
    });
  });

  it('ends with 1 when one of them is not in the list', () => {
    const { code, out } = prefixcast(['contains', list, '10.1.2.3', '12.0.0.1']);
    expect([code, out]).toEqual([1, '10.1.2.3 is in 10.1.0.0/16, 10.0.0.0/8\n12.0.0.1 is not in the list\n']);
  });

  it('takes prefixes, which may be held in pieces', () => {
    const { code, out } = prefixcast([
      'contains',
      list,
      '10.1.0.0/15',
      '11.0.0.0/8',
      '10.0.0.0/7',
      '8.0.0.0/6',
    ]);
    expect([code, out]).toEqual([2, '']);
    expect(
      prefixcast(['contains', list, '10.0.0.0/15', '11.0.0.0/8', '10.0.0.0/7', '8.0.0.0/6']),
    ).toMatchObject({
      code: 1,
      out:
        '10.0.0.0/15 is in 10.0.0.0/8\n11.0.0.0/8 is in several prefixes together\n' +
        '10.0.0.0/7 is in several prefixes together\n8.0.0.0/6 is not in the list\n',
    });
  });

  it('reads standard input, and prints JSON and CSV', () => {
    expect(prefixcast(['contains', '--output', 'json', '-', '::1'], '::/64\n::/8').out).toBe(
      '{"query":"::1","contained":true,"prefixes":["::/64","::/8"]}\n',
    );
    expect(prefixcast(['contains', '--output', 'csv', '-', '::1', '1.2.3.4'], '::/64\n::/8').out).toBe(
      'query,contained,prefixes\n::1,true,::/64 ::/8\n1.2.3.4,false,\n',
    );
  });

  it.each([
    [['contains', list], 2, /at least one address/],
    [['contains', list, '010.0.0.1'], 2, /leading zero/],
    [['contains', '/nowhere/list.txt', '::1'], 66, /can't be read/],
  ])('refuses %j', (args, expected, reason) => {
    const { code, err } = prefixcast(args);
    expect(code).toBe(expected);
    expect(err).toMatch(reason);
  });
});
