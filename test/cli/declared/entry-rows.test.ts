/** Files of entries beside exports, compared as text. */
import { expect, test } from 'vitest';
import { changesNothing, differenceOf } from '../../../src/cli/declared/entry-rows.ts';

const LIVE = 'cidr,enabled,note,community,expires_at\r\n10.0.0.0/8,true,ours,,\r\n192.0.2.7/32,false,,,\r\n';

test.each([
  ['the export itself', LIVE],
  ['other ends of lines', LIVE.replaceAll('\r\n', '\n')],
  ['fewer columns, in another order', 'note,cidr\nours,10.0.0.0/8\n,192.0.2.7/32\n'],
  ['an address without its length, and rows in another order', 'cidr\n192.0.2.7\n10.0.0.0/8\n'],
])('%s changes nothing', (_, file) => {
  expect(changesNothing(LIVE, file)).toBe(true);
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
  expect(changesNothing(LIVE, file)).toBe(false);
});

test('a file that nobody can read says nothing of an empty list either', () => {
  expect(changesNothing('cidr,enabled\r\n', 'nonsense\n')).toBe(false);
});

test('a difference names entries as exports do', () => {
  expect(differenceOf(LIVE, 'cidr,note\n10.0.0.0/8,theirs\n2001:DB8::1,\n')).toEqual({
    added: ['2001:db8::1/128'],
    removed: ['192.0.2.7/32'],
    changed: ['10.0.0.0/8'],
  });
});
