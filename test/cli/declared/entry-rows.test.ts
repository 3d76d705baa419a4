/** Files of entries beside exports, compared as text. */
import { expect, test } from 'vitest';
import {
  changesNothing,
  changingImports,
  compareEntries,
  lastingRows,
  withAllColumns,
} from '../../../src/cli/declared/entry-rows.ts';
import { writeCell, type CellValue } from '../../../src/control/entries/entry-csv.ts';
import { KINDS } from '../../../src/control/entries/kinds.ts';

const LIVE = 'cidr,enabled,note,community,expires_at\r\n10.0.0.0/8,true,ours,,\r\n192.0.2.7/32,false,,,\r\n';

test.each([
  ['the export itself', LIVE],
  ['other ends of lines', LIVE.replaceAll('\r\n', '\n')],
  ['fewer columns, in another order', 'note,cidr\nours,10.0.0.0/8\n,192.0.2.7/32\n'],
  ['an address without its length, and rows in another order', 'cidr\n192.0.2.7\n10.0.0.0/8\n'],
])('%s changes nothing', (_, file) => {
  expect(changesNothing(compareEntries(LIVE, file))).toBe(true);
});

test.each([
  ['an entry less', 'cidr\n10.0.0.0/8\n'],
  ['an entry more', 'cidr\n10.0.0.0/8\n192.0.2.7\n192.0.2.8\n'],
  ['another note', 'cidr,note\n10.0.0.0/8,theirs\n192.0.2.7,\n'],
  ['an entry twice, which the service refuses', 'cidr\n10.0.0.0/8\n192.0.2.7\n192.0.2.7/32\n'],
  ['a column that there is not', 'cidr,colour\n10.0.0.0/8,\n192.0.2.7,\n'],
  ['no column of keys', 'note\nours\n'],
  ['what is no CSV', 'cidr\n"10.0.0.0/8\n'],
])('%s is for the service to tell', (_, file) => {
  expect(changesNothing(compareEntries(LIVE, file))).toBe(false);
});

test.each([
  ['nothing else', LIVE, LIVE.replaceAll('\r\n', '\n')],
  [
    'their defaults',
    'note,cidr\n"two\nlines",10.0.0.0/8\n,192.0.2.7\n',
    'note,cidr,enabled,community,expires_at\n"two\nlines",10.0.0.0/8,true,,\n,192.0.2.7,true,,\n',
  ],
  ['nothing where a row does not fit the header', 'cidr,note\n10.0.0.0/8\n', 'cidr,note\n10.0.0.0/8\n'],
])('a file with all columns of an export has in those that it lacked %s', (_, file, whole) => {
  expect(withAllColumns(file, LIVE)).toBe(whole);
});

test('columns that every file needs are not added', () => {
  const live = 'name,url,format,enabled\r\nus,http://a/,auto,true\r\n';
  expect(withAllColumns('name\nus\n', live)).toBe('name,format,enabled\nus,auto,true\n');
});

test.each(Object.entries(KINDS))(
  'a file of %s may lack what the service takes for optional, which is then what that takes it for',
  (_, { csv: { columns, required } }) => {
    const live = `${columns.map(({ name }) => name).join(',')}\r\n`;
    const optional = columns.filter(({ name }) => !required.includes(name));
    const header = [...required, ...optional.map(({ name }) => name)];
    const row = [
      ...required.map(() => 'x'),
      ...optional.map(({ whenEmpty }) => writeCell(whenEmpty as CellValue)),
    ];
    const file = `${required.join(',')}\n${required.map(() => 'x').join(',')}\n`;
    expect(withAllColumns(file, live)).toBe(`${header.join(',')}\n${row.join(',')}\n`);
    // What it may not lack, nobody adds.
    const [key] = required;
    const short = withAllColumns(`${key}\nx\n`, live).split('\n', 1)[0]!.split(',');
    expect(short).toEqual([key, ...optional.map(({ name }) => name)]);
  },
);

test('what an entry was given by hand differs from a file that says nothing of it', () => {
  const whole = withAllColumns('cidr,note\n10.0.0.0/8,ours\n192.0.2.7,\n', LIVE);
  expect(compareEntries(LIVE, whole).differences).toEqual(
    new Map([['192.0.2.7/32', [{ name: 'enabled', before: 'false', after: 'true' }]]]),
  );
});

test('a file that nobody can read says nothing of an empty list either', () => {
  expect(changesNothing(compareEntries('cidr,enabled\r\n', 'nonsense\n'))).toBe(false);
});

test('a difference names entries as exports do', () => {
  expect(compareEntries(LIVE, 'cidr,note\n10.0.0.0/8,theirs\n2001:DB8::1,\n')).toMatchObject({
    added: ['2001:db8::1/128'],
    removed: ['192.0.2.7/32'],
    changed: ['10.0.0.0/8'],
  });
});

test('only what differs is imported, in the lines of the file', () => {
  const file = 'cidr,note\n192.0.2.7,"two\nlines"\n10.0.0.0/8,ours\n198.51.100.0/24,\n';
  const live = `${LIVE}203.0.113.0/24,true,,,\r\n`;
  const compared = compareEntries(live, file);
  expect(compared).toMatchObject({ isCertain: true, unchanged: 1 });
  expect(changingImports(file, compared)).toEqual({
    remove: 'cidr\n203.0.113.0/24\n',
    append: 'cidr,note\n192.0.2.7,"two\nlines"\n\n198.51.100.0/24,\n',
  });
  expect(changingImports(LIVE, compareEntries(LIVE, LIVE))).toEqual({ remove: null, append: null });
});

test.each([
  ['an address that is written otherwise', LIVE, 'cidr\n192.0.2.7\n010.0.0.0/8\n'],
  ['an IPv6 prefix in another form', 'cidr,note\n2001:db8::/32,\n', 'cidr\n2001:0db8::/32\n'],
  ['a number of an AS with its letters', 'asn,note\n3333,\n', 'asn\nAS3333\n'],
  ['a domain in letters of its own', 'domain,note\nxn--bcher-kva.example,\n', 'domain\nbücher.example\n'],
  ['an entry twice', LIVE, 'cidr\n10.0.0.0/8\n10.0.0.0/8\n'],
  ['a note with a carriage return', LIVE, 'cidr,note\n192.0.2.7,"a\rb"\n10.0.0.0/8,\n9.9.9.0/24,\n'],
])('%s may be an entry that is there: the whole file is imported', (_, live, file) => {
  expect(compareEntries(live, file)).toMatchObject({ isCertain: false });
});

test('entries that end by themselves are not what somebody changed by hand', () => {
  const ending = `${LIVE}203.0.113.0/24,true,,,2030-01-01T00:00:00.000Z\r\n`;
  expect(lastingRows(ending)).toBe(lastingRows(LIVE));
  expect(lastingRows(LIVE.replace('ours', 'theirs'))).not.toBe(lastingRows(LIVE));
});
