/** A list that moved from one module into another, and a rollback: both are held, and routers keep the list if the releases come in the right order. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { useDesk } from '../desk/desk.ts';

const ROUTES = 6;
const LIST = Array.from({ length: ROUTES }, (_, at) => `11.${2 * at}.0.0/24`);
const reason = ['--reason', 'the list has moved, looked at it'];

describe.skipIf(requireDaemon('bird') === null)('a move that was rolled back', () => {
  const desk = useDesk();
  const { type, mustType, typeAtTerminal } = desk;
  let bird: Bird;

  const also = async (module: string): Promise<unknown> =>
    (JSON.parse(await mustType('module', 'held', module, '-o', 'json')) as { also_held: unknown }).also_held;

  beforeAll(async () => {
    bird = await desk.casting.addBird();
    for (const line of [
      'module create first --type IP_RANGES',
      'module create second --type IP_RANGES',
      'module create others --type IP_RANGES',
      'entry add others 6.0.0.1/32',
      'entry add second 7.0.0.0/24',
    ])
      await mustType(line);
    await mustType('entry', 'add', 'first', ...LIST, '--wait');
    await bird.waitRoutes(ROUTES + 2);
    const [latest] = (
      JSON.parse(await mustType('revision list --limit 1 -o json')) as { items: { number: number }[] }
    ).items;
    await mustType('entry', 'add', 'second', ...LIST, '--wait');
    await mustType('entry', 'remove', 'first', ...LIST, '--yes', '--wait');
    // A neighbour, with which a route of the list is merged: no release of it loses an address.
    await mustType('entry add others 11.0.1.0/24 --wait');
    await mustType('revision', 'rollback', String(latest!.number), '--wait');
    await bird.waitRoutes(ROUTES + 2);
  });

  test('the one that lost the list names the one that has it, which is to be released first', async () => {
    const shown = await mustType('module held first');
    expect(shown).toContain(`Its release: 0 announced, ${ROUTES} withdrawn, 0 changed\n`);
    const said = `The module second, which is held as well, has ${ROUTES} of the routes that this withdraws. Release that one first, and they stay: prefixcast module held second\n`;
    expect(shown).toContain(said);
    expect(await also('first')).toEqual([
      { module_id: expect.any(String) as string, name: 'second', brings_back: ROUTES, keeps: 0 },
    ]);
    const asked = await typeAtTerminal('', 'module', 'release', 'first', ...reason);
    expect(asked.text.replaceAll('\r', '')).toContain(said);
    expect(asked).toMatchObject({ code: 1 });
  });

  test('the one that has it says why its release announces nothing', async () => {
    const shown = await mustType('module held second');
    expect(shown).toContain('Its release: 0 announced, 0 withdrawn, 0 changed\n');
    expect(shown).toContain(
      `${ROUTES} of the routes that this brings are announced already, since the module first is held as well. Its release withdraws none of them after this one\n`,
    );
    expect(await also('second')).toEqual([
      { module_id: expect.any(String) as string, name: 'first', brings_back: 0, keeps: ROUTES },
    ]);
    expect(await also('others')).toEqual([]);
  });

  test('in that order routers lose nothing, and the second release has nothing to say', async () => {
    const { code, err } = await type(
      ...['module', 'release', 'second', '--override', 'rolled_back', ...reason, '--wait'],
    );
    expect(code, err).toBe(0);
    expect(err).toContain(`${ROUTES} of the routes that this brings are announced already`);
    const shown = await mustType('module held first');
    expect(shown).toContain('Its release: 0 announced, 0 withdrawn, 0 changed\n');
    expect(shown).not.toContain('held as well');
    await mustType('module', 'release', 'first', '--override', 'rolled_back', ...reason, '--wait');
    expect((await bird.routes()).map(({ prefix }) => prefix).sort()).toEqual(
      [...LIST, '6.0.0.1/32', '7.0.0.0/24'].sort(),
    );
  });
});
