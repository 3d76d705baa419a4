/** A router that shuts its session for too many routes, and stays away: commands say what it has at that moment, and of which change. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { PEER_ASN, SPEAKER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a router that takes two routes', () => {
  const desk = useDesk();
  const { type, mustType } = desk;
  let well: Bird;
  let edge: Bird;

  beforeAll(async () => {
    await desk.casting.service.call('PATCH', '/v1/settings', { deploy_max_failed_peers_percent: 70 });
    well = await desk.casting.addBird();
    const address = loopbackAddress();
    const session = { address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true };
    edge = await startBird({
      listen: { address, port: await freePort(address) },
      ...{ routerId: address, localAsn: PEER_ASN },
      neighbors: [{ ...session, importLimit: 2, importLimitAction: 'disable' }],
    });
    await mustType(`peer create edge3 --address ${address} --port ${edge.port} --asn ${PEER_ASN}`);
    await mustType('module create hosts --type IP_RANGES');
    await mustType('entry add hosts 6.8.0.1/32 6.9.0.1/32 --wait');
    await Promise.all([well.waitRoutes(2), edge.waitRoutes(2)]);
  });
  afterAll(() => edge?.stop());

  test('has none while its session is down, whatever it held before', async () => {
    const added = await type('entry add hosts 6.1.0.1/32 6.2.0.1/32 6.3.0.1/32 6.4.0.1/32 --wait');
    const down =
      'edge3 at builtin has no routes from us now, since its session is down: the session with edge3 went down';
    expect(added.code, added.err).toBe(9);
    expect(added.err).toContain(down);
    expect(added.err.match(/what it held before/g), added.err).toHaveLength(1);
    expect(added.err).not.toMatch(/holds what it held|was put back|was up and is/);
    expect((await type('apply status')).err).toContain(down);
    // Once, although it waits and then shows how the apply went.
    expect((await type('apply watch')).err.split(down)).toHaveLength(2);
    expect(await mustType('session list')).toMatch(
      /^edge3 +builtin +(?!established)\w+, reverted .*the session with edge3 went down/m,
    );
    expect(await edge.routes()).toEqual([]);
    const status = await type('status');
    expect(status.code, status.out).toBe(1);
    expect(status.out).toMatch(
      /^ {2}down +edge3 at builtin could not take the routes, and gets its old ones when it is back: since 20.*\n +→ prefixcast peer get edge3$/m,
    );
  });

  test('holds what it held before once it is back', async () => {
    await edge.command('enable all');
    await edge.waitRoutes(2);
    await waitFor(
      async () =>
        /^edge3 +builtin +established, reverted /m.test(await mustType('session list')) || undefined,
      { what: 'the session that is back' },
    );
    const status = await type('apply status');
    expect(status.code, status.err).toBe(9);
    expect(status.err).toContain('edge3 at builtin does not have it, and holds what it held before: ');
    expect((await type('status')).out).toMatch(
      /^ {2}reverted +edge3 at builtin kept its old routes: since 20.*\n +→ prefixcast apply retry$/m,
    );
  });

  test('has what is withdrawn later, and of what is announced only what it held', async () => {
    const removed = await type('entry remove hosts 6.9.0.1/32 --wait');
    expect(removed.code, removed.err).toBe(0);
    expect(removed.err).toContain('edge3 at builtin has this change, and lacks earlier ones: ');
    expect((await edge.routes()).map(({ prefix }) => prefix)).toEqual(['6.8.0.1/32']);
    for (const address of ['6.5.0.1/32', '6.9.0.1/32']) {
      const added = await type(`entry add hosts ${address} --wait`);
      expect(added.code, added.err).toBe(0);
      expect(added.err).toContain(
        'edge3 at builtin lacks earlier changes, and has of this one only what it held before it failed: ',
      );
      expect(added.err).not.toContain('lacks this');
    }
    expect((await edge.routes()).map(({ prefix }) => prefix)).not.toContain('6.5.0.1/32');
  });

  test('keeps NO_EXPORT through a restart in a freeze, as a router that is well does', async () => {
    const carried = async (router: Bird): Promise<readonly boolean[]> =>
      (await router.routes()).map(({ communities }) => communities.includes('65535:65281'));
    const before = [await carried(well), await carried(edge)];
    expect(before[1]!.length).toBeLessThan(before[0]!.length);
    await mustType('freeze');
    await mustType('settings set guard_no_export false');
    await desk.casting.service.stop();
    await desk.casting.restart();
    await waitFor(
      async () =>
        /^edge3 +builtin +established, reverted /m.test(await mustType('session list')) || undefined,
      { what: 'the session after the restart' },
    );
    await waitFor(async () => (await edge.routes()).every(({ stale }) => stale !== true), {
      what: 'fresh routes',
    });
    await Promise.all([well.waitRoutes(before[0]!.length), edge.waitRoutes(before[1]!.length)]);
    expect([await carried(well), await carried(edge)]).toEqual(before);
    expect(before.flat()).not.toContain(false);
    await mustType('settings set guard_no_export true');
    // Partly: edge3 keeps what it holds.
    await type('unfreeze --wait');
  });

  test('has everything after a retry that waits for its session, once it is corrected', async () => {
    await edge.command('disable all');
    await waitFor(
      async () =>
        /^edge3 +builtin +(?!established)\w+, reverted /m.test(await mustType('session list')) || undefined,
      { what: 'the session to be down' },
    );
    const newest = async (): Promise<{ readonly id: string; readonly state: string }> =>
      (
        await desk.casting.service.get<{ items: { id: string; state: string }[] }>(
          '/v1/jobs?type=apply&limit=1',
        )
      ).items[0]!;
    const { id: before } = await newest();
    const retried = type('apply retry --wait');
    // The router is down while the retry is carried out.
    await waitFor(
      async () => {
        const { id, state } = await newest();
        return (id !== before && (state === 'succeeded' || state === 'failed')) || undefined;
      },
      { what: 'the end of the retry' },
    );
    await edge.configure({ neighbors: [{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true }] });
    await edge.command('enable all');
    const { code, err } = await retried;
    expect(code, err).toBe(0);
    expect(err).toContain('Waiting for 1 router: edge3\nedge3 at builtin has it now\n');
    expect(await edge.routeCount()).toBe(await well.routeCount());
    expect(await mustType('session list')).toMatch(/^edge3 +builtin +established +\d+ /m);
  });
});
