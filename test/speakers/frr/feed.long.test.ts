import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FrrDriver } from '../../../src/speakers/frr/driver.ts';
import { speakerTag } from '../../../src/speakers/frr/names.ts';
import type { PlainDriver, RoutesModel } from '../../../src/speakers/speaker.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, routesModel, speakerModel, tableOf } from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

const tag = speakerTag('speaker');
const routes = routesModel(tableOf({ '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:2'] }));

describe.skipIf(requireDaemon('frr-bgpd') === null)('the feed of a speaker in FRR', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());

  it('is left alone when it has come up while FRR was to be asked to connect', async () => {
    const peer = await world.peer();
    const model = speakerModel([world.peerOf(peer)]);
    const first = world.driver();
    await first.configure(model);
    await first.apply(routes, never);
    await peer.waitRoutes(2);
    await first.close(true);
    const daemon = world.daemon();
    const feedState = async (): Promise<string | undefined> =>
      (await daemon.state(tag)).neighbors?.find(({ address }) => address === world.options.feed.address)
        ?.state;
    await waitFor(async () => (await feedState()) !== 'established', { what: 'the feed to be away' });
    const received = peer.updates().length;
    // As the engine does that begins anew, and FRR that calls in the same moment.
    const prompt = (id: string): PlainDriver => {
      const real = world.engine.driver(id);
      return {
        ...{ check: (one) => real.check(one), render: (one, all) => real.render(one, all) },
        ...{ apply: (all, signal) => real.apply(all, signal), status: () => real.status() },
        close: (graceful) => real.close(graceful),
        async configure(feed) {
          await real.configure(feed);
          await real.apply(routes, never);
          await daemon.callFeed(tag, world.options.feed.address);
          await waitFor(async () => (await feedState()) === 'established', { what: 'FRR to have called' });
        },
      };
    };
    const next = new FrrDriver(world.daemon(), 'speaker', prompt);
    await next.configure(model);
    await next.apply(routes, never);
    expect((await next.status()).error).toBeNull();
    expect(await peer.routeCount()).toBe(2);
    expect(peer.withdrawnSince(received)).toEqual([]);
  });

  it('has filters that know the next hops of the old routes until the new ones have taken their place', async () => {
    const peer = await world.peer({}, { logRoutes: true });
    let delay = 0;
    // Of many routes FRR learns seconds later than of the filters.
    const slow = (id: string): PlainDriver => {
      const real = world.engine.driver(id);
      return {
        ...{ check: (one) => real.check(one), render: (one, all) => real.render(one, all) },
        ...{ configure: (one) => real.configure(one), status: () => real.status() },
        close: (graceful) => real.close(graceful),
        apply: (all, signal) => sleep(delay).then(() => real.apply(all, signal)),
      };
    };
    const own = (prefix: string, label: string, nextHopIpv4: string): RoutesModel => {
      const model = routesModel(tableOf({ [prefix]: [label], '13.0.0.0/8': ['65000:1'] }));
      const labels = { ...model.labels, [label]: { community: label, nextHopIpv4, nextHopIpv6: null } };
      return { ...model, labels };
    };
    const driver = new FrrDriver(world.daemon(), 'speaker', slow);
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(own('11.0.0.0/8', '65000:9', '203.0.113.9'), never);
    await peer.waitRoutes(2);
    delay = 4_000;
    await driver.apply(own('12.0.0.0/8', '65000:8', '203.0.113.8'), never);
    const nextHops = async (): Promise<unknown> =>
      (await peer.routes()).map(({ prefix, nextHop }) => `${prefix} ${nextHop}`);
    const expected = ['12.0.0.0/8 203.0.113.8', `13.0.0.0/8 ${world.address}`];
    await waitFor(async () => isDeepStrictEqual(await nextHops(), expected), { what: 'the new routes' });
    // FRR may send a route twice, which BIRD notes as ignored.
    const changes = peer
      .routeChanges()
      .filter(({ prefix, change }) => prefix === '11.0.0.0/8' && change !== 'ignored');
    expect(changes.map(({ change }) => change)).toEqual(['added', 'removed']);
    expect(await world.frr.command('show running-config')).not.toContain('203.0.113.9');
  });
});
