/** What trials say of routers, held against what these have: next hops that wait, routes over a limit, and what has ended since. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a trial', () => {
  const desk = useDesk();
  const { type, mustType, typeAtTerminal } = desk;
  let bird: Bird;
  beforeAll(async () => {
    bird = await desk.casting.addBird();
    for (const line of [
      'settings set auto_revision true',
      'community create 64500:666 --title Drop',
      'module create hosts --type IP_RANGES --community Drop',
      'entry add hosts 6.0.0.1/32 6.0.0.3/32 --wait',
    ])
      await mustType(line);
    await bird.waitRoutes(2);
  });

  const newest = async (): Promise<string> => (await mustType('revision list --limit 1 -o name')).trim();
  const hops = async (): Promise<string[]> => [
    ...new Set((await bird.routes()).map(({ nextHop }) => String(nextHop))),
  ];

  test('of the end of a freeze counts next hops of communities that wait, and a restart sends none of them', async () => {
    const [before] = await hops();
    await mustType('freeze');
    await mustType('community edit Drop --next-hop-ipv4 192.0.2.66');
    const waiting = /^At builtin: 0 announced, 0 withdrawn, 2 changed$/m;
    await waitFor(async () => waiting.test(await mustType('unfreeze --dry-run')), {
      what: 'the next hop that waits',
    });
    await desk.casting.service.stop();
    await desk.casting.restart();
    await bird.waitEstablished();
    await waitFor(async () => (await bird.routes()).every((route) => route.stale !== true), {
      what: 'fresh routes',
    });
    await bird.waitRoutes(2);
    expect(await hops()).toEqual([before]);
    expect(await mustType('unfreeze --dry-run')).toMatch(waiting);
    const entry = await mustType('entry add hosts 6.0.0.5/32 --dry-run');
    // Against the latest revision it is the entry alone; the router gets with it what waits.
    expect(entry).toMatch(
      /^Routes: 1 announced, 0 withdrawn, 0 changed, compared with the latest revision$/m,
    );
    expect(entry).toMatch(
      /^At builtin: 1 announced, 0 withdrawn, 2 changed, compared with what is announced there now$/m,
    );
    expect(entry).toMatch(/^bird1 at builtin: 2 routes now, 3 then$/m);
    await mustType('unfreeze');
    await waitFor(async () => (await hops()).join() === '192.0.2.66', { what: 'the new next hop' });
    await mustType('freeze');
    await waitFor(
      async () => /^Routes: 0 announced, 0 withdrawn, 0 changed$/m.test(await mustType('unfreeze --dry-run')),
      { what: 'nothing that waits' },
    );
    await mustType('unfreeze');
  });

  test('counts of a router over its limit what it has, and what it keeps', async () => {
    await mustType('peer edit bird1 --max-prefixes 2 --wait');
    expect(await type('entry add hosts 6.0.0.5/32 6.0.0.7/32 --wait')).toMatchObject({ code: 9 });
    expect(await bird.routes()).toHaveLength(2);
    const more = await mustType('entry add hosts 6.0.0.9/32 --dry-run');
    expect(more).toContain(
      'bird1 at builtin: 2 routes now, 2 then, but it keeps what it has: 5 routes are more than its limit, 2',
    );
    const less = await mustType('entry remove hosts 6.0.0.1/32 --dry-run');
    expect(less).toContain('bird1 at builtin: 2 routes now, 1 then, but it keeps what it has');
    await mustType('entry remove hosts 6.0.0.1/32 --wait');
    expect(await bird.routes()).toHaveLength(1);
    const raised = await mustType('peer edit bird1 --max-prefixes none --dry-run');
    expect(raised).toContain('bird1 at builtin: 1 route now, 3 then');
    await mustType('peer edit bird1 --max-prefixes none --wait');
    await bird.waitRoutes(3);
  });

  test('of an older revision says what has ended since, and asks; a script reads it', async () => {
    const { length: size } = await bird.routes();
    await mustType('entry add hosts 7.7.7.7/32 --for 15s --wait');
    const older = await newest();
    await waitFor(async () => (await newest()) !== older, { what: 'the revision without it' });
    await bird.waitRoutes(size);
    const line = 'This announces again what was to end by itself, and has ended since: 7.7.7.7/32';
    expect(await mustType('revision', 'apply', older, '--dry-run')).toContain(line);
    const asked = await typeAtTerminal('n', 'revision', 'apply', older);
    expect(asked.text).toContain(line);
    expect(asked.code).toBe(1);
    expect(await bird.routes()).toHaveLength(size);
    expect(await mustType('revision apply latest --dry-run')).not.toContain('has ended since');
    const script = await type('revision', 'apply', older, '--yes', '--wait');
    expect(script, script.err).toMatchObject({ code: 0 });
    expect(script.err).toContain(line);
    await bird.waitRoutes(size + 1);
    await mustType('revision apply latest --wait');
  });

  test('a rollback names the communities that have another value by now', async () => {
    const before = await newest();
    await mustType('community edit Drop --rename 64500:667 --wait');
    const line =
      '  64500:666 is 64500:667 now; to keep the old value: prefixcast community edit 64500:667 --rename 64500:666';
    expect((await type('revision', 'rollback', before, '--dry-run')).err).toContain(line);
    const rolledBack = await type('revision', 'rollback', before, '--wait');
    expect(rolledBack.code, rolledBack.err).toBe(0);
    expect(rolledBack.err).toContain(
      `These communities have another value now, and the next edit gives it to the routes again:\n${line}\n`,
    );
  });
});
