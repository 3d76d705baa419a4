import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BirdDriver } from '../../../src/speakers/bird/driver.ts';
import { FeedDriver } from '../../../src/speakers/bird/feed-driver.ts';
import { FeedSession, feedSpeakerId } from '../../../src/speakers/feed-session.ts';
import type { PlainDriver, RoutesModel } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { bigTable, mixedRoutes, never, routesModel } from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

const BOTH = { families: ['ipv4', 'ipv6'] } as const;
const FED = { birdRoutes: 'feed' } as const;
const routes = routesModel(mixedRoutes);

describe.skipIf(requireDaemon('bird') === null)('a speaker in BIRD that is to be fed from now on', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  /** A speaker whose routes came by files. */
  const announcing = async (driver = world.driver()) => {
    const peer = await world.peer(BOTH, { logRoutes: true });
    const model = world.modelOf([world.peerOf(peer, BOTH)]);
    await driver.configure(model);
    await driver.apply(routes, never);
    await peer.waitRoutes(5);
    return { driver, peer, model };
  };
  const removed = (peer: Bird): string[] =>
    peer.routeChanges().flatMap(({ change, prefix }) => (change === 'removed' ? [prefix] : []));

  it('keeps its routes when its process was killed between files and feed', async () => {
    const { peer, model } = await announcing();
    // BIRD has the session of the feed in its configuration, which nobody has called yet.
    await world.daemon.deploy({ ...world.daemon.render(model, routes, 'both'), imports: [] }, never);
    const next = world.driver();
    await next.configure({ ...model, ...FED });
    await next.apply(routes, never);
    expect((await next.status()).error).toBeNull();
    expect(removed(peer)).toEqual([]);
    expect(await peer.routeCount()).toBe(5);
  });

  it('has files until BIRD has taken every route of the feed', async () => {
    const sent = { since: '', routesReceived: 0, updatesSent: 5, lastError: null };
    // What is sent may lie for a while before BIRD comes to it: of a million routes, a third.
    const sentAndNotRead = (id: string): PlainDriver => {
      const real = world.engine.driver(id);
      return {
        ...{ check: (model) => real.check(model), render: (model, all) => real.render(model, all) },
        ...{ configure: (model) => real.configure(model), close: (graceful) => real.close(graceful) },
        apply: (all, signal) => {
          setTimeout(() => void real.apply(all, signal), 2_000);
          return Promise.resolve({ announced: 5, withdrawn: 0, changed: 0 });
        },
        status: async () => ({
          ...(await real.status()),
          sessions: [{ ...sent, peerId: 'daemon', state: 'established', routesExported: 5 }],
        }),
      };
    };
    const { driver, peer, model } = await announcing(new BirdDriver(world.daemon, 'speaker', sentAndNotRead));
    await driver.configure({ ...model, ...FED });
    expect(removed(peer)).toEqual([]);
    expect(await peer.routeCount()).toBe(5);
  });

  it('keeps files as long as the feed does not come up, and can go back', async () => {
    const { address, port } = world.options.feed!;
    const stranger = createServer((socket) => socket.destroy()).listen(port, address);
    await once(stranger, 'listening');
    onTestFinished(() => void stranger.close());
    const { driver, peer, model } = await announcing();
    const failure: unknown = await driver.configure({ ...model, ...FED }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'feed_down' });
    // The holder tries every second; what has just failed is not done again so soon.
    await expect(driver.configure({ ...model, ...FED })).rejects.toBe(failure);
    expect(await peer.routeCount()).toBe(5);
    await driver.configure(model);
    expect((await driver.status()).error).toBeNull();
    stranger.close();
    await once(stranger, 'close');
    await driver.configure({ ...model, ...FED });
    expect((await driver.status()).error).toBeNull();
    expect(removed(peer)).toEqual([]);
  });

  it('stays out of BIRD when it is closed while it is brought there', async () => {
    const peer = await world.peer(BOTH);
    const id = feedSpeakerId('speaker');
    const session = { speakerId: 'speaker', daemon: world.daemon.feed, isBird: true };
    const feed = new FeedSession({ ...session, driver: world.engine.driver(id) });
    const driver = new FeedDriver(world.daemon, feed, 'speaker');
    await driver.configure(world.modelOf([world.peerOf(peer, BOTH)], FED));
    const end = driver.apply(routes, never).catch((error: unknown) => error);
    const ours = async (): Promise<string[]> =>
      (await world.bird.command('show protocols')).flatMap(({ text }) => /^pc_\w+/.exec(text) ?? []);
    await waitFor(async () => (await ours()).length > 0, { what: 'BIRD to be configured' });
    await driver.close(false);
    expect(await end).toMatchObject({ name: 'AbortError' });
    expect(await ours()).toEqual([]);
    // Such as a return to what was confirmed that was still owed.
    await expect(driver.apply(routes, never)).rejects.toMatchObject({ name: 'AbortError' });
    expect(await ours()).toEqual([]);
    await peer.waitRoutes(0);
  });

  it('keeps the next hops of old routes until BIRD has read the new ones, which may be as many', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    const count = 400_000;
    const own = (label: string, nextHopIpv4: string): RoutesModel => {
      const model = routesModel(bigTable(count, [label]));
      const labels = { [label]: { community: label, nextHopIpv4, nextHopIpv6: null } };
      return { ...model, labels };
    };
    await driver.configure(world.modelOf([world.peerOf(peer)], FED));
    await driver.apply(own('65000:9', '203.0.113.9'), never);
    await peer.waitRoutes(count);
    await driver.apply(own('65000:8', '203.0.113.8'), never);
    const isNew = async (): Promise<boolean> =>
      (await peer.command('show route count where bgp_next_hop = 203.0.113.8')).some(({ text }) =>
        text.startsWith(`${count} of`),
      );
    await waitFor(isNew, { what: 'the new routes' });
    // Every route has a next hop of its own: as an attribute (RFC 4271, section 4.3) the speaker's was never sent.
    const wrong = Buffer.from([0x40, 3, 4, ...world.address.split('.').map(Number)]);
    expect(readFileSync(join(dirname(peer.socketPath), 'updates.mrt')).includes(wrong)).toBe(false);
  });
});
