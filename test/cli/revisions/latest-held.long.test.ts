/** A command for an edit that is held is printed before its revision has a number: it announces that one, and not the latest that is ready. */
import { beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

const announced = async (prefix: string): Promise<boolean> =>
  (await mustType('revision', 'prefixes', 'applied', '-o', 'name')).includes(prefix);

/** The words after `prefixcast` of the line that says how to go on. */
function hintOf(text: string): string[] {
  const [, line] = /prefixcast (revision apply .*) --reason TEXT/.exec(text)!;
  return line!.split(' ');
}

beforeAll(async () => {
  for (const line of [
    'settings set auto_revision true',
    'community create 64500:666 --title Drop',
    'module create attacked --type IP_RANGES --community Drop',
    'entry add attacked 8.8.4.0/24 --wait',
    'settings set guard_max_prefixes 1',
  ])
    await mustType(line);
  const held = await type('entry add attacked 9.9.9.9/32 --wait');
  expect(held.code, held.err).toBe(5);
  // The latest that is ready breaks the same from now on.
  await mustType(...hintOf(held.err), '--reason', 'an attack on a customer', '--wait');
  expect(await announced('9.9.9.9/32')).toBe(true);
});

test('what is held is announced by the line that the edit has printed, typed at once', async () => {
  const { code, err } = await type('entry add attacked 7.7.7.7/32 --for 10m');
  expect(code, err).toBe(5);
  const hint = hintOf(err);
  expect(hint).toContain('latest');
  const { number } = JSON.parse(await mustType('revision show latest -o json')) as { number: number };
  const out = await type(...hint, '--reason', 'an attack on a customer', '--wait');
  expect(out.code, out.err).toBe(0);
  expect(out.err).toContain(`Revision ${number + 1} breaks`);
  expect(await announced('7.7.7.7/32')).toBe(true);
});

test('without an override the latest that is ready is applied, and the one that is held named', async () => {
  await mustType('settings set guard_max_prefixes 3');
  const { code, err } = await type('entry add attacked 6.6.6.6/32 --wait');
  expect(code, err).toBe(5);
  const { number } = JSON.parse(await mustType('revision show latest -o json')) as { number: number };
  const applied = await type('revision apply latest --wait');
  expect(applied.code, applied.err).toBe(0);
  const next = `revision apply ${number + 1} --override max_prefixes_exceeded --reason TEXT`;
  expect(applied.err).toContain(
    `Revision ${number + 1} is newer, and guardrails hold it. Announce it all the same: prefixcast ${next}`,
  );
  expect(await announced('6.6.6.6/32')).toBe(false);
});
