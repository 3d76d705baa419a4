/** A rollback to what runs already changes nothing; one that brings back lists alone is none of those. */
import { beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

const newest = async (): Promise<string> => (await mustType('revision list --limit 1 -o name')).trim();
const heldModules = async (): Promise<string[]> =>
  (JSON.parse(await mustType('module list -o json')) as { items: { name: string; held: unknown }[] }).items
    .filter(({ held }) => held !== null)
    .map(({ name }) => name);

beforeAll(async () => {
  for (const line of [
    'community create 64500:666 --title Drop',
    'module create first --type IP_RANGES --community Drop',
    'module create second --type IP_RANGES --community Drop',
    'entry add first 9.9.9.0/24 46.10.0.0/24 --wait',
    'entry add first 46.12.0.0/24 --wait',
  ])
    await mustType(line);
});

test('to the latest one, by whatever name', async () => {
  const number = await newest();
  for (const name of ['latest', 'applied', number])
    expect(await mustType('revision', 'rollback', name, '--wait')).toBe(
      `revision ${number} is the latest already: nothing has changed. prefixcast revision list shows what ran before\n`,
    );
  expect(await newest()).toBe(number);
  expect(await heldModules()).toEqual([]);
});

test('to one of which the latest is a rollback', async () => {
  const before = String(Number(await newest()) - 1);
  const { out } = await type('revision', 'rollback', before, '--wait');
  const number = await newest();
  expect(out).toBe(`revision ${number} has the content of revision ${before}\n`);
  expect(await heldModules()).toEqual(['first']);
  expect(await mustType('revision', 'rollback', before, '--wait')).toBe(
    `revision ${number}, the latest, has the content of revision ${before} already: nothing has changed. prefixcast revision list shows what ran before\n`,
  );
  expect(await newest()).toBe(number);
  await mustType(
    ...[
      'module',
      'release',
      'first',
      '--override',
      'rolled_back',
      '--reason',
      'it was meant, after all',
      '--wait',
    ],
  );
});

test('to one with the same routes and other lists, of which feeds and rules are', async () => {
  await mustType('entry add second 9.9.9.0/24 --wait');
  const before = await newest();
  await mustType('entry remove first 9.9.9.0/24 --wait');
  expect(await newest()).not.toBe(before);
  await mustType('feed create first --module first --format text');
  expect(await mustType('feed preview first')).not.toContain('9.9.9.0/24');
  await mustType('revision', 'rollback', before, '--wait');
  expect(await mustType('feed preview first')).toContain('9.9.9.0/24');
});

test('a revision that brings routers nothing new is out by the one that they have', async () => {
  const applied = async (): Promise<(readonly string[])[]> =>
    (await mustType('revision list --limit 3 -o csv'))
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => /^(\d+),.*?,("[^"]*"|now|before|never),/.exec(line)!.slice(1));
  const had = await newest();
  await mustType('settings set auto_apply false');
  await mustType('entry add first 46.14.0.0/24');
  await type('revision build --wait');
  const tried = await newest();
  await mustType('entry remove first 46.14.0.0/24');
  await type('revision build --wait');
  const again = await newest();
  expect(await applied()).toEqual([
    [again, `"now, as ${had}"`],
    [tried, 'never'],
    [had, 'now'],
  ]);
  // What runs may be older than all that are listed.
  expect(await mustType('revision list --limit 1')).toMatch(
    new RegExp(`^${again} .* now, as ${had}(?: |$)`, 'm'),
  );
  await mustType(`revision apply ${tried} --wait`);
  expect(await applied()).toEqual([
    [again, `"before, as ${had}"`],
    [tried, 'now'],
    [had, 'before'],
  ]);
  await mustType('settings unset auto_apply');
});
