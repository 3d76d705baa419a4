// What becomes of `mixedRoutes` at the peers of a speaker, whichever daemon it lives in.
import { expect } from 'vitest';
import type { PeerModel, PlainDriver, SessionStatus, SpeakerModel } from '../../src/speakers/speaker.ts';
import type { Bird } from '../daemons/bird/bird.ts';
import { receivedBy, mixedRoutes, never, routesModel, tableOf, waitSession } from './builtin/models.ts';

type Driver = Pick<PlainDriver, 'configure' | 'apply' | 'status'>;

/**
 * Has the one peer of the model hear all, with NO_EXPORT.
 * @param nextHop of the speaker on that session
 * @returns the session, once it shows all routes
 */
export async function announcesAll(
  driver: Driver,
  model: SpeakerModel,
  peer: Bird,
  nextHop: string,
): Promise<SessionStatus> {
  await driver.configure(model);
  const outcome = await driver.apply(routesModel(mixedRoutes, { noExport: true }), never);
  expect(outcome).toEqual({ announced: 5, withdrawn: 0, changed: 0 });
  await peer.waitRoutes(5);
  expect(await receivedBy(peer)).toEqual({
    '10.0.0.0/8': ['65000:1', '65535:65281'],
    '172.16.0.0/12': ['65000:1', '65000:2', '65535:65281'],
    '192.168.0.0/16': ['65000:2', '65535:65281', '65000:1:2'],
    '198.51.100.0/24': ['65535:65281'],
    '2001:db8::/32': ['65000:1', '65535:666', '65535:65281'],
  });
  const [first, , , , last] = await peer.routes();
  expect(first).toMatchObject({ nextHop, asPath: '64512' });
  expect(last).toMatchObject({ nextHop: '2001:db8:ffff::1', asPath: '64512' });
  return waitSession(driver, 'five routes', ({ routesExported }) => routesExported === 5);
}

/** What makes a peer hear two communities only. */
export const twoCommunities: Partial<PeerModel> = { labels: ['65000:2', '65000:1:2'] };
/** What gives a peer a next hop of its own. */
export const ownNextHop: Partial<PeerModel> = { nextHopIpv4: '203.0.113.5' };

/** Has the two peers, of which the model says that, hear what is theirs; one community has a next hop too. */
export async function sendsEachItsOwn(
  driver: Driver,
  model: SpeakerModel,
  { two, own }: Readonly<Record<'two' | 'own', Bird>>,
  nextHop: string,
): Promise<void> {
  await driver.configure(model);
  const routes = routesModel(mixedRoutes);
  const large = { community: '65000:1:2', nextHopIpv4: '203.0.113.7', nextHopIpv6: null };
  await driver.apply({ ...routes, labels: { ...routes.labels, '65000:1:2': large } }, never);
  await two.waitRoutes(2);
  await own.waitRoutes(4);
  expect(await receivedBy(two)).toEqual({
    '172.16.0.0/12': ['65000:2'],
    '192.168.0.0/16': ['65000:2', '65000:1:2'],
  });
  expect((await two.routes()).map((route) => route.nextHop)).toEqual([nextHop, '203.0.113.7']);
  expect((await own.routes()).map((route) => route.nextHop)).toEqual(Array(4).fill('203.0.113.5'));

  // What is to be dropped goes where its community says, at a peer with a next hop of its own too, and beside another community with one.
  const dropped = routesModel(
    tableOf({ '10.0.0.0/8': ['65000:1'], '172.16.0.0/12': ['65000:1:2', 'blackhole'] }),
  );
  const blackhole = { community: 'blackhole', nextHopIpv4: '192.0.2.66', nextHopIpv6: null };
  await driver.apply({ ...dropped, labels: { ...dropped.labels, '65000:1:2': large, blackhole } }, never);
  const hops = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await own.routes()).map((route) => [route.prefix, route.nextHop]));
  await expect.poll(hops).toEqual({ '10.0.0.0/8': '203.0.113.5', '172.16.0.0/12': '192.0.2.66' });
  await driver.apply({ ...routes, labels: { ...routes.labels, '65000:1:2': large } }, never);
  await own.waitRoutes(4);
}
