/** A change that a guardrail holds is not announced: the commands that wait for it say so, with exit code 5. */
import { beforeAll, expect, test } from 'vitest';
import { exitCodeOfJob } from '../../../src/cli/session/wait.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

async function expectHeld(line: string, ...words: string[]): Promise<void> {
  const { code, out, err } = await type(line);
  expect(code, `${line}\n${out}${err}`).toBe(5);
  for (const word of words) expect(err).toContain(word);
  expect(err).not.toContain('undefined');
}

beforeAll(async () => {
  for (const line of [
    'community create 64500:666 --title Drop',
    'module create scanners --type IP_RANGES --community Drop',
    'module create hosts --type IP_RANGES --community Drop',
    'entry add scanners 8.8.4.0/24 --wait',
    'entry add scanners 9.9.9.0/24 --wait',
  ])
    await mustType(line);
});

test('a rollback to what breaks a guardrail of today', async () => {
  const minimum = (length: number) =>
    desk.casting.service.call('PATCH', '/v1/settings', { guard_min_prefix_length_ipv4: length });
  await minimum(25);
  await expectHeld('revision rollback 1 --wait', 'Revision 3 is held', '8.8.4.0/24');
  await minimum(8);
});

test('entries whose module is held, and none of another module', async () => {
  await expectHeld('entry add scanners 18.0.0.0/7 --wait', 'The module scanners is held', '18.0.0.0/7');
  await expectHeld('revision build --wait', 'The module scanners is held', 'module release scanners');
  await expectHeld('entry remove scanners 8.8.4.0/24 --wait', 'The module scanners is held');
  await mustType('entry add hosts 6.6.6.6/32 --wait');
});

test('a build that is held as a whole reports the reasons', async () => {
  await desk.casting.service.call('PATCH', '/v1/settings', { guard_scope: 'revision' });
  await expectHeld('revision build --wait', 'is held, and not announced', '18.0.0.0/7');
});

test.each([
  ['succeeded', null, 0],
  ['running', null, 0],
  ['cancelled', null, 1],
  ['failed', 'apply_failed', 1],
  ['failed', 'deploy_frozen', 5],
  ['failed', 'large_withdrawal', 5],
] as const)('a job that is %s (%s) ends its commands with %i', (state, code, exit) => {
  const error = code === null ? null : { code, title: 'It', detail: 'as it is' };
  expect(exitCodeOfJob({ state, error })).toBe(exit);
});
