/** Another next hop of a community, or NO_EXPORT, is at routers when `--wait` ends, and a dry run says which routers get it. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
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
    // It stopped nothing else.
    expect(await mustType('unfreeze --wait')).toBe(`applies go on\n${REAPPLIED}\n`);
    expect(await hops()).toEqual(['192.0.2.66', '192.0.2.66']);
  });

  test('is named by the end of a freeze that does not wait for it, and followed by what that prints', async () => {
    await mustType('freeze');
    await mustType('community edit Drop --next-hop-ipv4 192.0.2.67');
    const out = await mustType('unfreeze');
    const [, watch] =
      new RegExp(`^applies go on\n${REAPPLIED}: prefixcast (job watch \\S+)\n$`).exec(out) ?? [];
    await mustType(watch ?? out);
    expect(await hops()).toEqual(['192.0.2.67', '192.0.2.67']);
    // Nothing has changed since.
    await mustType('freeze');
    const nothing = JSON.parse(await mustType('unfreeze -o json')) as unknown;
    expect(nothing).toEqual({ deploy_freeze: false, stopped_applies: [], reapply_job_ids: [] });
  });

  const REAPPLIED = 'what has changed beside revisions, such as next hops, is being applied';

  const carried = async (): Promise<readonly boolean[]> =>
    (await bird.routes()).map(({ communities }) => communities.includes('65535:65281'));
  const CHANGED =
    'At builtin: 0 announced, 0 withdrawn, 2 changed\nbird1 at builtin: 2 routes now, 2 then, 2 of them new or changed';

  test('gets NO_EXPORT, or loses it, as the dry run says, and in a freeze neither', async () => {
    expect(await carried()).toEqual([true, true]);
    expect(await mustType('settings set guard_no_export false --dry-run')).toContain(CHANGED);
    expect(await mustType('settings set guard_no_export true --dry-run')).not.toContain('At builtin');
    await mustType('settings set guard_no_export false --wait');
    expect(await carried()).toEqual([false, false]);
    await mustType('freeze');
    const { err } = await type('settings set guard_no_export true');
    expect(err).toBe('Applies are frozen: no router follows this until prefixcast unfreeze\n');
    expect((await type('settings set deploy_wave_size 2')).err).toBe('');
    expect(await mustType('unfreeze --dry-run')).toContain(CHANGED);
    expect(await carried()).toEqual([false, false]);
    await mustType('unfreeze --wait');
    expect(await carried()).toEqual([true, true]);
  });

  test('keeps both through a restart in a freeze, also at a router over its limit', async () => {
    const small = await desk.casting.addBird();
    await mustType('peer edit bird2 --max-prefixes 2 --wait');
    await small.waitRoutes(2);
    await type('entry add hosts 6.0.0.5/32 --wait');
    await bird.waitRoutes(3);
    const [before, held] = [await shown(bird), await shown(small)];
    expect(held).toHaveLength(2);
    await mustType('freeze');
    await mustType('settings set guard_no_export false');
    await mustType('community edit Drop --next-hop-ipv4 192.0.2.111');
    const { casting } = desk;
    const routers = [bird, small];
    const heard = routers.map((router) => router.updates().length);
    await casting.service.stop();
    await casting.restart();
    for (const [at, router] of routers.entries())
      await waitFor(() => router.updates().length > heard[at]!, { what: 'routes after the restart' });
    for (const router of routers)
      await waitFor(async () => (await router.routes()).every(({ stale }) => stale !== true), {
        what: 'fresh routes',
      });
    expect([await shown(bird), await shown(small)]).toEqual([before, held]);
    await type('unfreeze --wait');
    const sent = '192.0.2.111 without NO_EXPORT';
    expect(await shown(bird)).toEqual([sent, sent, sent]);
  });

  test('gets what came while its speaker was disabled, once that is enabled', async () => {
    await mustType('speaker edit builtin --enabled no --yes');
    await mustType('settings set guard_no_export true');
    await mustType('community edit Drop --next-hop-ipv4 192.0.2.112 --wait');
    await mustType('speaker edit builtin --enabled yes');
    const sent = '192.0.2.112 with NO_EXPORT';
    await expect.poll(async () => shown(bird)).toEqual([sent, sent, sent]);
  });

  async function shown(router: Bird): Promise<readonly string[]> {
    return (await router.routes()).map(
      ({ nextHop, communities }) =>
        `${nextHop} ${communities.includes('65535:65281') ? 'with' : 'without'} NO_EXPORT`,
    );
  }
});
