import { afterEach, expect, test } from 'vitest';
import { BgpError, CeaseSubcode, ErrorCode, encodeNotification } from '../../../src/bgp/notification.ts';
import { RoutesVersion } from '../../../src/speakers/routes-version.ts';
import type { RoutesModel } from '../../../src/speakers/speaker.ts';
import { tryOut } from '../../../src/speakers/verification/try-out.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, peerModel, routesModel, speakerModel, startEngine, tableOf, waitSession } from './models.ts';
import { RawPeer } from './raw-peer.ts';

const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const routes = (count: number): RoutesModel =>
  routesModel(
    tableOf(
      Object.fromEntries(
        ['11', '12', '13'].slice(0, count).map((octet) => [`${octet}.0.0.0/8`, ['65000:1']]),
      ),
    ),
  );

/** A peer has no more than one route. It was sent two, and says so a moment before the apply of three begins. */
test('a peer that refuses the routes of a hurried apply between it and the next goes back, and counts for neither', async () => {
  const engine = await startEngine();
  stops.push(() => engine.close(false));
  const driver = engine.driver('s');
  const address = loopbackAddress();
  const model = speakerModel([peerModel({ id: 'sick', address, passive: true })]);
  await driver.configure(model);
  await driver.apply(routes(1), never);
  const peer = await RawPeer.call(engine.address!.port, address);
  stops.push(() => void peer.socket.destroy());
  await peer.establish();
  await driver.apply(routes(2), never);
  await waitFor(() => peer.routes.size === 2, { what: 'the routes of the hurried apply' });
  const { since } = await waitSession(
    driver,
    'all routes to be sent',
    ({ routesExported: sent }) => sent === 2,
    'sick',
  );
  peer.socket.end(encodeNotification(new BgpError(ErrorCode.cease, CeaseSubcode.maximumPrefixes)));
  await waitSession(driver, 'the session to be down', ({ state }) => state !== 'established', 'sick');

  const end = await tryOut({
    ...{ driver, model, before: new RoutesVersion(routes(2)), routes: new RoutesVersion(routes(3)) },
    ...{ status: () => driver.status(), maxFailedPercent: 50, calm: 500, signal: never },
    unproven: new Map([['sick', since]]),
    fallbacks: () => Promise.resolve(new Map([['sick', routes(1)]])),
    onRevert: () => Promise.resolve(),
    isAwaited: () => Promise.resolve(false),
  });
  expect(end.reverted).toMatchObject([{ peer_id: 'sick', notification: { code: 6, subcode: 1 } }]);
  const again = await RawPeer.call(engine.address!.port, address);
  stops.push(() => void again.socket.destroy());
  await again.establish();
  await waitFor(() => again.routes.size === 1, { what: 'the routes that it bears' });
});
