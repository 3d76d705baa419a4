/** A limit that is set below what is announced holds the next edit of any list, and nobody would know before that. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;
const directory = mkdtempSync(join(tmpdir(), 'prefixcast-lowered-'));

const BREAKS =
  'What is announced stays, and whatever changes it next is held, be it an edit or a refresh:\n' +
  '  max_prefixes_exceeded: The revision has 3 prefixes, and guard_max_prefixes allows 2.';
const RELEASE =
  'Announce that then all the same: prefixcast revision apply latest --override max_prefixes_exceeded --reason TEXT';

beforeAll(async () => {
  for (const line of [
    'settings set auto_revision true',
    'community create 64500:666 --title Drop',
    'module create attacked --type IP_RANGES --community Drop',
    'entry add attacked 8.8.4.0/24 9.9.9.9/32 7.7.7.7/32 --wait',
  ])
    await mustType(line);
});
afterAll(() => rmSync(directory, { recursive: true }));

test('a trial of it says what is held from then on', async () => {
  const out = await mustType('settings set guard_max_prefixes 2 --dry-run');
  expect(out).toContain(BREAKS);
  expect(out).toContain(RELEASE);
  const effect = JSON.parse(await mustType('settings set guard_max_prefixes 2 --dry-run -o json')) as object;
  expect(effect).toMatchObject({
    revision: null,
    latest_findings: [{ code: 'max_prefixes_exceeded', measured: 3, limit: 2 }],
  });
  const enough = await mustType('settings set guard_max_prefixes 3 --dry-run -o json');
  expect(enough).not.toContain('latest_findings');
});

test('a plan of files says so, and their apply', async () => {
  writeFileSync(join(directory, 'settings.yaml'), 'kind: settings\nguard_max_prefixes: 2\n');
  const plan = await type('plan', '-f', directory);
  expect(plan).toMatchObject({ code: 3 });
  expect(plan.out).toContain(BREAKS);
  const applied = await type('apply', '-f', directory, '--yes', '--wait');
  expect(applied.code, applied.err).toBe(0);
  expect(applied.out).toContain(BREAKS);
  await mustType('settings unset guard_max_prefixes');
});

test('the command says so once it is done, with the way on and the way back', async () => {
  const set = await type('settings set guard_max_prefixes 2 --wait');
  expect(set).toMatchObject({ code: 0, out: 'guard_max_prefixes is 2\n' });
  expect(set.err).toContain(BREAKS);
  expect(set.err).toContain(RELEASE);
  expect(set.err).toContain('Or put the setting back: prefixcast settings unset guard_max_prefixes\n');
  const further = await type('settings set guard_max_prefixes 1');
  expect(further.err).toContain('Or put the setting back: prefixcast settings set guard_max_prefixes 2\n');
  // Nothing of that is of another setting, which puts nothing right.
  const other = await type('settings set guard_max_withdraw_percent 40');
  expect(other.err).toContain(RELEASE);
  expect(other.err).not.toContain('put the setting back');
  expect(await type('entry add attacked 6.6.6.6/32 --wait')).toMatchObject({ code: 5 });
});

test('whoever sits at a terminal is asked', async () => {
  await mustType('settings unset guard_max_prefixes --wait');
  const { code, text } = await desk.typeAtTerminal('n', 'settings set guard_max_prefixes 2');
  expect(code, text).toBe(1);
  expect(text).toContain('whatever changes it next is held');
  expect(text).toContain('Change guard_max_prefixes?');
});
