/** Entries with an end, by options that people can write in a hurry. */
import { beforeAll, expect, test } from 'vitest';
import { aheadBy, endMember, untilEnd } from '../../../src/cli/session/ends.ts';
import { READERS } from '../../../src/cli/table/value-types.ts';
import { daemonPath, unavailable } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serve } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';
import { typist } from '../desk/typing.ts';

const desk = useDesk();
const { type, mustType } = desk;

beforeAll(async () => {
  await mustType('module create attacked --type IP_RANGES');
});

test('an entry leaves by itself, and the list shows when', async () => {
  await mustType('entry add attacked 9.9.9.6/32');
  expect(await mustType('entry list attacked')).not.toContain('EXPIRES');
  await mustType('entry add attacked 9.9.9.7/32 --for 1h30m');
  await mustType('entry add attacked 9.9.9.8/32 --expires 2099-11-23T18:00:00+01:00');
  const table = await mustType('entry list attacked');
  expect(table).toMatch(/^CIDR .* EXPIRES *$/m);
  expect(table).toMatch(/^9\.9\.9\.6\/32 .* - *$/m);
  expect(table).toMatch(/^9\.9\.9\.7\/32 .* in (90|89) min *$/m);
  expect(table).toMatch(/^9\.9\.9\.8\/32 .* in \d{5} d *$/m);
  expect(await mustType('entry list attacked -o wide')).toMatch(
    /^9\.9\.9\.8\/32 .* 2099-11-23T17:00:00\.000Z *$/m,
  );

  await mustType('entry edit attacked 9.9.9.7/32 --expires none');
  expect(await mustType('entry list attacked')).toMatch(/^9\.9\.9\.7\/32 .* - *$/m);
  await mustType('entry edit attacked 9.9.9.7/32 --for 3d');
  expect(await mustType('entry list attacked')).toMatch(/^9\.9\.9\.7\/32 .* in 3 d *$/m);

  await mustType('entry add attacked 9.9.9.9/32 --for 6s');
  await waitFor(
    async () => ((await mustType('entry list attacked -o name')).includes('9.9.9.9') ? undefined : true),
    { what: 'the end of the entry' },
  );
});

test('who adds what is there with another end is told how to give it one', async () => {
  const again = await type('entry add attacked 9.9.9.8/32 --for 2h');
  expect(again).toMatchObject({ code: 8, out: '' });
  expect(again.err).toContain(
    'It is there already. To give it another end: prefixcast entry edit attacked 9.9.9.8/32 --for 7200s\n',
  );
  await mustType('entry edit attacked 9.9.9.8/32 --for 7200s');
  expect(await mustType('entry list attacked')).toMatch(/^9\.9\.9\.8\/32 .* in (?:2 h|1[12]\d min) *$/m);
  expect((await type('entry add attacked 9.9.9.8/32')).err).not.toContain('another end');
});

test('a source has an end too', async () => {
  desk.casting.sources.set('/list.txt', serve('5.1.0.0/24\n'));
  await mustType('module create clouds --type CDN_SOURCES');
  await mustType(`entry add clouds list --url ${desk.casting.sourceUrl}/list.txt --for 3d`);
  expect(await mustType('entry list clouds')).toContain('in 3 d');
});

test.each([
  ['--for 1x', '--for'],
  ['--for 0s', '--for'],
  ['--expires tomorrow', '--expires of entry 1 must be'],
  ['--expires tomorrow', ', or none'],
  ['--expires 20s', 'for an end 20s from now write --for 20s'],
  ['--for 1h --expires 2099-01-31T18:00:00Z', 'write one of them'],
])('%s is wrong usage', async (words, said) => {
  const { code, err } = await type(`entry add attacked 9.9.9.5/32 ${words}`);
  expect(code, err).toBe(2);
  expect(err).toContain(said);
});

test('durations and moments', () => {
  const read = (text: string): unknown => READERS.duration(text);
  expect(read('1h30m')).toEqual({ ok: true, value: 5_400 });
  expect(read('2w')).toEqual({ ok: true, value: 1_209_600 });
  expect(read('90')).toEqual({ ok: true, value: 90 });
  for (const text of ['0', '-1', '1.5', '90 s', '']) expect(read(text), text).toMatchObject({ ok: false });
  expect(endMember({ for: 60 }, 0)).toEqual({ expires_at: '1970-01-01T00:01:00.000Z' });
  expect(endMember({}, 0)).toEqual({});
  expect(
    ['1970-01-01T00:00:59Z', '1970-01-01T01:59:00Z', '1970-01-02T00:00:00Z'].map((end) => untilEnd(end, 0)),
  ).toEqual(['in 59 s', 'in 119 min', 'in 24 h']);
  expect(untilEnd('1970-01-01T00:00:00Z', 1_000)).toBe('now');
  expect(untilEnd(null, 0)).toBeNull();
  // A service says whole seconds, and may have said it at any time while it was asked.
  expect([aheadBy(5_000, 5_100, 5_900), aheadBy(5_000, 4_000, 5_500), aheadBy(5_000, 5_100, 6_500)]).toEqual([
    0, 0, 0,
  ]);
  expect([aheadBy(9_000, 5_100, 5_900), aheadBy(2_000, 5_100, 5_900), aheadBy(NaN, 1, 2)]).toEqual([
    3_100, -2_100, 0,
  ]);
});

test('an hour is one of the service, whatever the clock of the machine says', async () => {
  const library = daemonPath('libfaketimeMT.so.1');
  if (library === null) return void unavailable('libfaketime', 'run scripts/setup test');
  const { url, key } = desk.casting.service;
  const late = typist({
    ...{ PREFIXCAST_URL: url, PREFIXCAST_KEY: key },
    ...{ LD_PRELOAD: library, FAKETIME: '+5h', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  });
  const { code, err } = await late('entry', 'add', 'attacked', '9.9.8.1/32', '--for', '2h');
  expect(code, err).toBe(0);
  const shown = /^9\.9\.8\.1\/32 .* in (119 min|120 min|2 h) *$/m;
  expect((await late('entry', 'list', 'attacked')).out).toMatch(shown);
  expect(await mustType('entry list attacked')).toMatch(shown);
});
