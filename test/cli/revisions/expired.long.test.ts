/** A rollback to a revision with a blackhole whose time has been over since: it comes back, and nobody is to believe that it has not. */
import { beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;
const ENDED = '45.80.0.110/32';
let before: string;

beforeAll(async () => {
  for (const line of [
    'settings set auto_revision true',
    'community create 64500:666 --title Drop',
    'community create 64500:1 --title Ours',
    'module create ours --type IP_RANGES --community Ours',
    'module create attacked --type IP_RANGES --community Drop',
    'entry add ours 45.80.0.0/22 --wait',
    'entry add attacked 45.80.0.30/32 --wait',
    'entry add attacked 45.80.0.60/32 --wait',
    'entry remove attacked 45.80.0.60/32 --wait',
    `entry add attacked ${ENDED} --for 8s --wait`,
  ])
    await mustType(line);
  before = (await mustType('revision list --limit 1 -o name')).trim();
  await waitFor(async () => !(await mustType('revision prefixes applied -o name')).includes(ENDED), {
    what: 'the blackhole to end',
  });
});

test('a script reads on standard error that it is announced again', async () => {
  const { code, err } = await type('revision', 'rollback', before, '--wait');
  expect(code, err).toBe(0);
  expect(err).toContain(
    `This announces again what was to end by itself, and has ended since: ${ENDED}\nModules that are held from now on:`,
  );
});

test('why says whose entry it was, that its time was over, and that its list is held', async () => {
  const { out } = await type('why 45.80.0.110');
  expect(out).toContain(`  ${ENDED} by builtin, with 64500:666 (Drop)\n`);
  expect(out).toMatch(/ {2}attacked: 45\.80\.0\.110\/32 \(its time was over at 20\d\d-\S+Z\)\n/);
  expect(out).toMatch(/Held since \S+:\nThe module attacked is held, .*\n {2}rolled_back: /);
});

test('an edit that frees the list names what goes of the rollback, and neither what merges nor what was taken out for good', async () => {
  const { out } = await type('entry add attacked 45.80.0.31/32 --dry-run');
  expect(out).toContain(
    `attacked is held no more, and what a rollback took back of it counts again: with this, 1 route that it had brought back is withdrawn (${ENDED}), and 1 announced\nNothing has changed: dry run\n`,
  );
});

test('module held prints a release that needs no override, and that works', async () => {
  const { out } = await type('module held attacked');
  expect(out).toMatch(/^The module attacked is held, its last accepted content stays:\n {2}rolled_back: /);
  const [, snapshot] =
    /^Release it: prefixcast module release attacked --snapshot (\w{64}) --reason TEXT$/m.exec(out) ?? [];
  expect(snapshot, out).toBeDefined();
  const reason = 'the attack is over';
  const released = await type(
    ...['module', 'release', 'attacked', '--snapshot', snapshot!, '--reason', reason, '--wait'],
  );
  expect(released.code, released.err).toBe(0);
  expect((await type('why 45.80.0.110')).out).not.toContain(`${ENDED} by builtin`);
});
