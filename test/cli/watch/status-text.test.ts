/** What `status` says of a tenant in which nothing needs anybody. */
import { expect, test } from 'vitest';
import { textOf, type Status } from '../../../src/cli/status/status-text.ts';

const STATUS: Status = {
  tenant: 'acme',
  revision: { number: 7, created_at: '2027-01-31T12:00:00Z' },
  routes: 1,
  speakers: { enabled: 2, announcing: 1 },
  sessions: { up: 1, unknown: 0, total: 2 },
  modules: 1,
  has_router: true,
  items: [],
};

const lastLine = (changes: Partial<Status>): string | undefined =>
  textOf({ ...STATUS, ...changes })
    .trimEnd()
    .split('\n')
    .at(-1);

test('the figures come first', () => {
  expect(textOf(STATUS).split('\n')[0]).toBe(
    'acme: revision 7 (2027-01-31T12:00:00Z), 1 route, 1 module; speakers 1 of 2 announcing, sessions 1 of 2 up',
  );
});

test('sessions that nobody reports are counted apart', () => {
  const sessions = { up: 1, unknown: 1, total: 3 };
  expect(textOf({ ...STATUS, sessions }).split('\n')[0]).toMatch(/, sessions 1 of 3 up, 1 unknown$/);
});

test('what was read and has nothing needs nobody, and is named', () => {
  const empty = {
    ...{ state: 'empty', what: 'nope.test has no addresses, in the module names', since: null, by: null },
    ...{ detail: 'NXDOMAIN', command: 'prefixcast why nope.test', needs_somebody: false },
  };
  expect(textOf({ ...STATUS, items: [empty] })).toMatch(
    /\nNothing needs you\.\n\nRead, and without anything to announce:\n {2}empty {2}nope\.test has no addresses, in the module names: NXDOMAIN\n +→ prefixcast why nope\.test\n$/,
  );
});

test('nothing needs anybody where a speaker announces, and not where none does', () => {
  expect(lastLine({})).toBe('Nothing needs you.');
  expect(lastLine({ speakers: { enabled: 2, announcing: 0 } })).toBe('No speaker announces anything.');
});

test('lists that no router is there for are not all that there is to do', () => {
  expect(lastLine({ has_router: false })).toBe(
    'Nothing is wrong, and no router has these lists: there is no peer. Add one: prefixcast peer create NAME --address ADDRESS --asn ASN',
  );
});

test('without a list or a revision it says where to begin', () => {
  expect(lastLine({ revision: null })).toMatch(/^There is no revision yet\. Build one: /);
  expect(lastLine({ revision: null, modules: 0 })).toMatch(/^There is no list yet\. Begin with one: /);
});
