import { afterEach, describe, expect, it } from 'vitest';
import type { SessionStatus, SpeakerModel } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, routesModel, sessionOf, tableOf } from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

const before = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:1'] };
const after = { ...before, '13.0.0.0/8': ['65000:1'] };

describe.skipIf(requireDaemon('bird') === null)('a BIRD of which one peer does not bear new routes', () => {
  let world: World;
  afterEach(() => world?.stop());

  const removed = (peer: Bird): string[] =>
    peer.routeChanges().flatMap(({ change, prefix }) => (change === 'removed' ? [prefix] : []));

  it.each<NonNullable<SpeakerModel['birdRoutes']>>(['static', 'feed'])(
    'keeps them for the others, and says what the peer said (%s)',
    async (birdRoutes) => {
      world = await startWorld();
      const driver = world.driver();
      const [well, sick] = [
        await world.peer({}, { logRoutes: true }),
        // It answers calls with a closed connection afterwards.
        await world.peer({ importLimit: 2, importLimitAction: 'disable' }),
      ];
      const peers = [world.peerOf(well, { id: 'well' }), world.peerOf(sick, { id: 'sick' })];
      await driver.configure(world.modelOf(peers, { birdRoutes }));
      await driver.apply(routesModel(tableOf(before)), never);
      await Promise.all([well.waitRoutes(2), sick.waitRoutes(2)]);
      const { since } = await sessionOf(driver, 'well');

      await driver.apply(routesModel(tableOf(after), { confirmSeconds: 60 }), never);
      const isReported = async (): Promise<SessionStatus | false> => {
        const session = await sessionOf(driver, 'sick');
        return session.lastError !== null && session;
      };
      const first = await waitFor(isReported, { what: 'the end of the session' });
      const cause = 'Received: Maximum number of prefixes reached';
      const notification = {
        ...{ direction: 'received', code: 6, subcode: 1, text: null },
        name: 'Cease, Maximum Number of Prefixes Reached',
      };
      expect(first).toMatchObject({ lastError: cause, notification });
      await driver.confirm();

      // BIRD calls the peer again and forgets why the session ended.
      const later = await waitFor(
        async () => {
          const session = await sessionOf(driver, 'sick');
          return session.lastError !== cause && session;
        },
        { what: 'another call to fail' },
      );
      expect(later.lastError).toMatch(new RegExp(`^${cause}; since then: Socket: `));
      expect(later.notification).toEqual(notification);
      expect((await driver.status()).error).toBeNull();
      expect(await sessionOf(driver, 'well')).toMatchObject({ since, routesExported: 3, lastError: null });
      expect(await well.routeCount()).toBe(3);
      expect(removed(well)).toEqual([]);
    },
  );

  it('reports the words with which a peer was shut down', async () => {
    world = await startWorld();
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer)]));
    await driver.apply(routesModel(tableOf(before)), never);
    await peer.waitRoutes(2);
    expect(await sessionOf(driver)).toMatchObject({ state: 'established', lastError: null });
    await peer.command('disable n1 "Line card is changed"');
    const session = await waitFor(
      async () => {
        const now = await sessionOf(driver);
        return now.lastError !== null && now;
      },
      { what: 'the end of the session' },
    );
    expect(session).toMatchObject({
      lastError: 'Received: Administrative shutdown: "Line card is changed"',
      notification: { direction: 'received', code: 6, subcode: 2, text: 'Line card is changed' },
    });
    // It stays of interest while the next session is up.
    await peer.command('enable n1');
    await peer.waitRoutes(2);
    await waitFor(async () => (await sessionOf(driver)).routesExported === 2, { what: 'the session' });
    expect((await sessionOf(driver)).notification?.text).toBe('Line card is changed');
  });
});
