import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PeerModel, RoutesModel, SpeakerModel } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  bigTable,
  receivedBy,
  mixedRoutes,
  never,
  routesModel,
  tableOf,
  waitSession,
} from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

const BOTH = { families: ['ipv4', 'ipv6'] } as const;
const FED = { birdRoutes: 'feed' } as const;

describe.skipIf(requireDaemon('bird') === null)('a BIRD that is fed its routes over a session', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  /** A fed speaker with one peer that holds these routes. */
  const announcing = async (routes: RoutesModel, options = {}) => {
    const driver = world.driver();
    const peer = await world.peer({ families: ['ipv4', 'ipv6'] }, options);
    const model = world.modelOf([world.peerOf(peer, BOTH)], FED);
    await driver.configure(model);
    const outcome = await driver.apply(routes, never);
    await peer.waitRoutes(routes.table.ipv4.size + routes.table.ipv6.size);
    return { driver, peer, model, outcome };
  };
  /** A process of its own that feeds BIRD. */
  const feedApart = (input: Readonly<Record<string, unknown>>) => {
    const program = fileURLToPath(new URL('./fed-child.ts', import.meta.url));
    const whole = JSON.stringify({ options: world.options, ...input });
    return spawn(process.execPath, [program, whole], { stdio: ['ignore', 'pipe', 'inherit'] });
  };
  const lines = async (command: string): Promise<string[]> =>
    (await world.bird.command(command)).map(({ text }) => text.trim());

  it('sends peers what the files would have them sent, octet for octet', async () => {
    const model = routesModel(
      tableOf({
        '10.0.0.0/8': ['65000:1'],
        '172.16.0.0/12': ['65000:1', '65000:2'],
        '192.168.0.0/16': ['65000:2', '65000:1:2'],
        '198.51.100.0/24': [],
        '203.0.113.0/24': ['no-advertise'],
        '203.0.114.0/24': ['no-export', '65000:2'],
        '2001:db8::/32': ['65000:1', 'blackhole'],
      }),
      { noExport: true },
    );
    const nextHops = { nextHopIpv4: '203.0.113.7', nextHopIpv6: '2001:db8::7' };
    const labels = { ...model.labels, '65000:2': { community: '65000:2', ...nextHops } };
    const routes = { ...model, labels };
    const settings: readonly (readonly [number, Partial<PeerModel>])[] = [
      [65_001, {}],
      [65_002, { labels: ['65000:2', '65000:1:2', 'no-export'] }],
      [65_003, { nextHopIpv4: '203.0.113.9', localAsn: 64_999 }],
      [SPEAKER_ASN, {}],
    ];
    const peers: Bird[] = [];
    for (const [asn, { localAsn = SPEAKER_ASN }] of settings)
      peers.push(await world.peer({ families: ['ipv4', 'ipv6'], asn: localAsn }, { localAsn: asn }));
    const models = settings.map(([, changes], i) => world.peerOf(peers[i]!, { ...BOTH, ...changes }));
    const received = async (way: Partial<SpeakerModel>): Promise<unknown> => {
      const driver = world.driver();
      await driver.configure(world.modelOf(models, way));
      await driver.apply(routes, never);
      for (const [i, { labels: wanted }] of models.entries())
        await peers[i]!.waitRoutes(wanted === null ? 7 : 3);
      const reported = await Promise.all(peers.map((peer) => peer.routes()));
      await driver.close(false);
      for (const peer of peers) await peer.waitRoutes(0);
      return reported;
    };
    expect(await received(FED)).toEqual(await received({}));
  });

  it('takes changes of routes without being reconfigured, and sends peers only the difference', async () => {
    const { driver, peer } = await announcing(routesModel(bigTable(5_000, ['65000:1', '65000:2'])));
    const before = await lines('show status');
    // BIRD counts routes before it has written the messages that brought them.
    const isRecorded = (): boolean => peer.updates().flatMap(({ announced }) => announced).length >= 5_000;
    await waitFor(isRecorded, { what: 'the record of all that was announced first' });
    const updates = peer.updates().length;
    await driver.apply(routesModel(bigTable(5_001, ['65000:1', '65000:2'])), never);
    await peer.waitRoutes(5_001);
    await driver.apply(routesModel(bigTable(5_000, ['65000:1', '65000:2'], 1)), never);
    await peer.waitRoutes(5_000);
    const prefixes = peer
      .updates()
      .slice(updates)
      .flatMap(({ announced, withdrawn }) => [announced, withdrawn]);
    expect(prefixes.flat().length).toBe(2);
    const reconfigured = (status: string[]): string =>
      status.find((line) => line.startsWith('Last reconfiguration'))!;
    expect(reconfigured(await lines('show status'))).toBe(reconfigured(before));
    await waitSession(driver, 'all routes', ({ routesExported }) => routesExported === 5_000);
  });

  it('keeps the routes when its service is killed, beyond the restart time, and sends peers nothing', async () => {
    const peer = await world.peer({ families: ['ipv4', 'ipv6'] });
    const model = world.modelOf([world.peerOf(peer, BOTH)], FED);
    const prefixes = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': [], '2001:db8::/32': ['65000:2'] };
    const child = feedApart({ model, prefixes, restartTime: 2 });
    try {
      await once(child.stdout, 'data');
      await peer.waitRoutes(3);
    } finally {
      child.kill('SIGKILL');
    }
    const before = await receivedBy(peer);
    const isLongLived = async (): Promise<boolean> =>
      (await lines('show protocols all "pc_*_feed"')).some((line) =>
        /^Neighbor GR:\s+Long-lived$/.test(line),
      );
    await waitFor(isLongLived, { what: 'the restart time to be over' });
    const stale = async (): Promise<number> =>
      (await lines('show route all table all')).filter((line) => line.includes('(65535,6)')).length;
    await waitFor(async () => (await stale()) === 3, { what: 'BIRD to mark the routes as stale' });
    expect(await receivedBy(peer)).toEqual(before);
    // The next process takes the routes over as they are.
    const updates = peer.updates().length;
    const driver = world.driver();
    await driver.configure(model);
    await driver.apply(routesModel(tableOf(prefixes)), never);
    await waitFor(async () => (await stale()) === 0, { what: 'the routes to be fresh again' });
    expect(await receivedBy(peer)).toEqual(before);
    expect(peer.withdrawnSince(updates)).toEqual([]);
  });

  it('keeps the routes when its service hangs, and goes on with it', async () => {
    const peer = await world.peer();
    const model = world.modelOf([world.peerOf(peer)], FED);
    const child = feedApart({ model, prefixes: { '11.0.0.0/8': ['65000:1'] }, holdTime: 3 });
    const isUp = async (): Promise<boolean> =>
      (await lines('show protocols')).some((line) => /^pc_\w+_feed .*Established/.test(line));
    try {
      await once(child.stdout, 'data');
      await peer.waitRoutes(1);
      const updates = peer.updates().length;
      child.kill('SIGSTOP');
      await waitFor(async () => !(await isUp()), { what: 'the hold time to be over' });
      expect(await peer.routeCount()).toBe(1);
      child.kill('SIGCONT');
      await waitFor(isUp, { what: 'the session to be back' });
      expect(await peer.routeCount()).toBe(1);
      expect(peer.withdrawnSince(updates)).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it('is fed again after its session was cut', async () => {
    const { driver, peer } = await announcing(routesModel(mixedRoutes));
    const speaker = world.bird;
    await speaker.command('restart "pc_*_feed"');
    await peer.waitRoutes(5);
    await waitFor(async () => (await driver.status()).error === null, { what: 'the feed to be back' });
    expect(await peer.routeCount()).toBe(5);
  });

  it('takes files in place of the session and back, and peers notice nothing', async () => {
    const { driver, peer, model } = await announcing(routesModel(mixedRoutes), { logRoutes: true });
    const before = await peer.routes();
    // One for each family at the begin of a session.
    const begins = (): number => peer.updates().filter(({ endOfRib }) => endOfRib).length;
    await waitFor(() => begins() === 2, { what: 'the session to have begun' });
    const { birdRoutes: _, ...byFiles } = model;
    for (const next of [byFiles, model, byFiles]) {
      await driver.configure(next);
      expect((await driver.status()).error).toBeNull();
      const feeds = (await lines('show protocols')).filter((line) => /^pc_\w+_feed /.test(line));
      expect(feeds.length).toBe(next === model ? 1 : 0);
    }
    expect(peer.routeChanges().filter(({ change }) => change === 'removed')).toEqual([]);
    expect(begins()).toBe(2);
    await driver.apply(routesModel(bigTable(10, ['65000:1'])), never);
    await peer.waitRoutes(10);
    const removed = peer.routeChanges().filter(({ change }) => change === 'removed');
    expect(removed.length).toBe(before.length);
  });

  it('goes back to the routes that were confirmed', async () => {
    const { driver, peer } = await announcing(routesModel(mixedRoutes));
    await driver.apply({ ...routesModel(bigTable(10, ['65000:1'])), confirmSeconds: 60 }, never);
    await peer.waitRoutes(10);
    await driver.undo();
    await peer.waitRoutes(5);
    await driver.apply({ ...routesModel(bigTable(20, ['65000:1'])), confirmSeconds: 60 }, never);
    await driver.confirm();
    await driver.undo();
    await peer.waitRoutes(20);
  });

  it('changes its filters before routes with next hops of their own come', async () => {
    const { driver, peer } = await announcing(routesModel(mixedRoutes));
    const model = routesModel(tableOf({ '11.0.0.0/8': ['65000:9'], '12.0.0.0/8': ['65000:1'] }));
    const labels = {
      ...model.labels,
      '65000:9': { community: '65000:9', nextHopIpv4: '203.0.113.9', nextHopIpv6: null },
    };
    const updates = peer.updates().length;
    await driver.apply({ ...model, labels }, never);
    await peer.waitRoutes(2);
    expect((await peer.routes()).map(({ prefix, nextHop }) => [prefix, nextHop])).toEqual([
      ['11.0.0.0/8', '203.0.113.9'],
      ['12.0.0.0/8', world.address],
    ]);
    const reported = peer
      .updates()
      .slice(updates)
      .flatMap(({ announced }) => announced);
    expect(reported.filter((prefix) => prefix === '11.0.0.0/8').length).toBe(1);
  });

  it('is emptied when the speaker ends', async () => {
    const { driver, peer } = await announcing(routesModel(mixedRoutes));
    expect(await peer.routeCount()).toBe(5);
    await driver.close(false);
    await peer.waitRoutes(0);
    expect((await lines('show protocols')).filter((line) => line.startsWith('pc_'))).toEqual([]);
  });
});
