/** Another next hop of a community is at routers when `--wait` ends, and a dry run says which routers get it. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a community that routes carry', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let bird: Bird;

  beforeAll(async () => {
    bird = await desk.casting.addBird();
    await mustType('community create 64500:666 --title Drop --next-hop-ipv4 192.0.2.1');
    await mustType('module create hosts --type IP_RANGES --community Drop');
    await mustType('entry add hosts 6.0.0.1/32 6.0.0.3/32 --wait');
    await bird.waitRoutes(2);
  });

  const hops = async (): Promise<readonly unknown[]> => (await bird.routes()).map(({ nextHop }) => nextHop);

  test('gets another next hop, which the dry run counts and the router has at once', async () => {
    expect(await mustType('community edit Drop --next-hop-ipv4 192.0.2.9 --dry-run')).toContain(
      'At builtin: 0 announced, 0 withdrawn, 2 changed\nbird1 at builtin: 2 routes now, 2 then, 2 of them new or changed',
    );
    expect(await hops()).toEqual(['192.0.2.1', '192.0.2.1']);
    await mustType('community edit Drop --next-hop-ipv4 192.0.2.9 --wait');
    expect(await hops()).toEqual(['192.0.2.9', '192.0.2.9']);
  });

  test('keeps its next hop at routers during a freeze, which the command says', async () => {
    await mustType('freeze');
    const { code, err } = await type('community edit Drop --next-hop-ipv4 192.0.2.66 --wait');
    expect(err).toContain('freeze');
    expect(code).toBe(5);
    expect(await hops()).toEqual(['192.0.2.9', '192.0.2.9']);
    await mustType('unfreeze');
    await expect.poll(hops, { timeout: 30_000 }).toEqual(['192.0.2.66', '192.0.2.66']);
  });
});
