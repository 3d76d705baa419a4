/** A router whose limit a cover fits: no address of a list goes by that, nor when finer routes take its place. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a router with a limit', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let bird: Bird;
  beforeAll(async () => {
    bird = await desk.casting.addBird();
    for (const line of [
      'community create 64500:666 --title Drop',
      'community create 64500:7 --title Seen',
      'module create hosts --type IP_RANGES --community Drop',
      'entry add hosts 6.0.0.3/32 6.0.0.5/32 6.0.0.7/32 --wait',
      'settings set fit_max_added_percent 100',
    ])
      await mustType(line);
    await bird.waitRoutes(3);
  });

  test('loses nothing by a cover, nor by what takes its place', async () => {
    const lowered = await type('peer edit bird1 --max-prefixes 2 --when-too-many fit --wait');
    expect(lowered.code, lowered.err).toBe(0);
    const replaced = 'covering the same addresses of lists';
    expect(lowered.err).toContain(
      `bird1 at builtin: 3 routes become 2, ${replaced}, with 2 foreign IPv4 addresses\n`,
    );
    await bird.waitRoutes(2);
    const raised = await type('peer edit bird1 --max-prefixes none --when-too-many keep --wait');
    expect(raised.code, raised.err).toBe(0);
    expect(raised.err).toContain(
      `bird1 at builtin: 2 routes become 3, ${replaced}, without the 2 foreign IPv4 addresses of before\n`,
    );
    expect(lowered.err + raised.err).not.toContain('withdraws');
    await bird.waitRoutes(3);
  });

  test('loses what it is sent no more at the same time', async () => {
    await mustType('peer edit bird1 --max-prefixes 2 --when-too-many fit --wait');
    const fewer = await mustType('peer edit bird1 --max-prefixes none --community Seen --dry-run -o json');
    expect(JSON.parse(fewer)).toMatchObject({
      speakers: [{ peers: [{ before: { ipv4: 2 }, after: { ipv4: 0 }, withdrawn: 2, lost: 2 }] }],
    });
  });
});
