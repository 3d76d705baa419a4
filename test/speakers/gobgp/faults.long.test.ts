import { createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { LONG_DEADLINE } from '../../../src/speakers/gobgp/api.ts';
import { GobgpDaemon } from '../../../src/speakers/gobgp/daemon.ts';
import { GobgpDriver } from '../../../src/speakers/gobgp/driver.ts';
import { familyMessage } from '../../../src/speakers/gobgp/path-encoder.ts';
import type { SpeakerDriver } from '../../../src/speakers/speaker.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { daemonDirectory, spawnDaemon } from '../../daemons/process.ts';
import { programPath, requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  bigTable,
  receivedBy,
  never,
  peerModel,
  routesModel,
  speakerModel,
  tableOf,
  waitSession,
} from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

let world: World | undefined;
const stops: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  await world?.stop();
  world = undefined;
});

const before = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:2'] };
const after = { ...before, '13.0.0.0/8': ['65000:1'] };
const PASSWORD = 'correct horse battery staple';

/** A speaker whose peer holds two routes. */
async function announcing(): Promise<{ world: World; driver: SpeakerDriver; peer: Bird }> {
  world = await startWorld();
  const driver = world.driver();
  const peer = await world.peer();
  await driver.configure(world.modelOf([world.peerOf(peer)]));
  await driver.apply(routesModel(tableOf(before)), never);
  await peer.waitRoutes(2);
  return { world, driver, peer };
}

describe.skipIf(requireDaemon('gobgpd') === null)(
  'when something is wrong with GoBGP, a speaker in it',
  () => {
    it('that is killed says so, and is brought back by itself when GoBGP runs again', async () => {
      const { world, driver, peer } = await announcing();
      world.gobgp.kill('SIGKILL');
      await waitFor(async () => !(await driver.status()).reachable, { what: 'GoBGP to be away' });
      await expect(driver.configure(world.modelOf([world.peerOf(peer)]))).rejects.toMatchObject({
        code: 'speaker_unreachable',
        message: expect.stringMatching(
          /^GoBGP at 127\.0\.0\.1:\d+ can't be reached: .*gobgpd runs/,
        ) as string,
      });
      await world.restart();
      // Nobody does anything but ask how it is. The peer keeps the routes meanwhile (RFC 4724), so it is no witness.
      let sawLoss = false;
      const session = await waitFor(
        async () => {
          const { error, sessions } = await driver.status();
          sawLoss ||= error?.includes('has lost') === true;
          return error === null && sessions[0]?.routesExported === 2 && sessions[0];
        },
        { what: 'the routes to come back', everyMs: 10 },
      );
      expect(session.state).toBe('established');
      expect(sawLoss).toBe(true);
      expect(await peer.routeCount()).toBe(2);
      await driver.apply(routesModel(tableOf(after)), never);
      await peer.waitRoutes(3);
    });

    it('that is killed costs a peer that can wait no route, whoever else is away or can not', async () => {
      world = await startWorld();
      const driver = world.driver();
      const [waits, cannot, away] = [
        await world.peer({}, { logRoutes: true }),
        await world.peer({ gracefulRestart: false }),
        await world.peer(),
      ];
      await driver.configure(world.modelOf([waits, cannot, away].map((peer) => world!.peerOf(peer))));
      await driver.apply(routesModel(tableOf(before)), never);
      for (const peer of [waits, cannot, away]) await peer.waitRoutes(2);
      await away.stop();
      const known = waits.routeChanges().length;
      world.gobgp.kill('SIGKILL'); // a GoBGP that ends in order takes leave of its peers
      await world.restart();
      await waitFor(
        async () => (await driver.status()).error === null && (await waits.session()).state === 'established',
        {
          what: 'the session',
        },
      );
      await cannot.waitRoutes(2);
      // A change that comes after all else.
      await driver.apply(routesModel(tableOf(after)), never);
      await waits.waitRoutes(3);
      const removed = waits
        .routeChanges()
        .slice(known)
        .filter(({ change }) => change === 'removed');
      expect(removed).toEqual([]);
    });

    it('that hangs is reported within the deadline, and goes on as before', async () => {
      const { world, driver, peer } = await announcing();
      world.gobgp.pause();
      await expect(driver.apply(routesModel(tableOf(after)), never)).rejects.toMatchObject({
        code: 'speaker_unreachable',
        message: expect.stringContaining('has not answered within 5 s') as string,
      });
      expect(await driver.status()).toMatchObject({
        ...{ reachable: false, sessions: [] },
        error: expect.stringContaining('has not answered within 5 s') as string,
      });
      world.gobgp.resume();
      await waitFor(async () => (await driver.status()).reachable, { what: 'GoBGP to answer' });
      expect(await peer.routeCount()).toBe(2);
      await driver.apply(routesModel(tableOf(after)), never);
      await peer.waitRoutes(3);
    });

    it('that goes through all routes for an answer is waited for by an apply', async () => {
      const { world, driver, peer } = await announcing();
      // What takes it a dozen seconds with a million routes, which it answers nobody in.
      world.gobgp.pause();
      const request = { tableType: 'ADJ_OUT', name: peer.address, family: familyMessage('ipv4') };
      const counting = world.daemon.api.call('GetTable', request, LONG_DEADLINE);
      const applying = driver.apply(routesModel(tableOf(after)), never);
      const outcome = expect(applying).resolves.toMatchObject({ announced: 1 });
      await sleep(6_000); // longer than one that hangs is given
      world.gobgp.resume();
      expect(await counting).toMatchObject({ numPath: 2 });
      await outcome;
      await peer.waitRoutes(3);
    });

    it('that forgot its policies by reading a configuration of others is given them again, and sessions stay', async () => {
      const { world, driver, peer } = await announcing();
      const { since } = await waitSession(driver, 'it', ({ state }) => state === 'established');
      const hasPolicies = async (): Promise<boolean> =>
        (await world.gobgp.command('global', 'policy')).includes('pcast');
      world.gobgp.configure((toml) => toml.replaceAll('"own"', '"renamed"'));
      await waitFor(async () => !(await hasPolicies()), { what: 'the policies to go', everyMs: 10 });
      await waitFor(async () => (await driver.status()).error === null && (await hasPolicies()), {
        what: 'the policies to come back',
      });
      expect(await waitSession(driver, 'it', ({ state }) => state === 'established')).toMatchObject({
        since,
      });
      await driver.configure(world.modelOf([world.peerOf(peer, { labels: ['65000:2'] })]));
      await peer.waitRoutes(1);
    });

    it('that forgot its policies as a session came up takes from that peer what it received without them', async () => {
      const { world, driver, peer } = await announcing();
      const others = await world.peer();
      await driver.configure(
        world.modelOf([world.peerOf(peer, { labels: ['65000:2'] }), world.peerOf(others)]),
      );
      await peer.waitRoutes(1);
      await others.waitRoutes(2);
      expect(await driver.status()).toMatchObject({ error: null });
      const { since } = await waitSession(driver, 'it', () => true, world.peerOf(others).id);
      world.gobgp.configure((toml) => toml.replaceAll('"own"', '"renamed"'));
      await waitFor(async () => !(await world.gobgp.command('global', 'policy')).includes('pcast'), {
        what: 'the policies to go',
      });
      await peer.command('restart n1');
      await peer.waitRoutes(2);
      await waitFor(async () => (await driver.status()).error === null, {
        what: 'the policies to come back',
      });
      await peer.waitRoutes(1);
      await waitFor(async () => (await receivedBy(peer))['12.0.0.0/8']?.join() === '65000:2', {
        what: 'the route as it is to be',
      });
      expect(await waitSession(driver, 'it', () => true, world.peerOf(others).id)).toMatchObject({ since });
    });

    it('that lost a route by the hand of another has it again when it is reloaded', async () => {
      const { world, driver, peer } = await announcing();
      await world.gobgp.command('global', 'rib', 'del', '11.0.0.0/8');
      await peer.waitRoutes(1);
      await driver.reload!();
      await peer.waitRoutes(2);
      expect(await receivedBy(peer)).toEqual(before);
    });

    it('that is taken out of it while it is read back stays out', async () => {
      world = await startWorld();
      const driver = new GobgpDriver(world.daemon, 'speaker');
      const peer = await world.peer();
      await driver.configure(world.modelOf([world.peerOf(peer)]));
      await driver.apply(routesModel(tableOf(before)), never);
      await peer.waitRoutes(2);
      const reloading = driver.reload();
      await driver.close(false);
      await reloading;
      expect(await world.gobgp.command('policy')).not.toContain('pcast');
      expect(await world.gobgp.command('global', 'rib')).toContain('Network not in table');
      await peer.waitRoutes(0);
    });

    it('that was interrupted is complete after the next apply, whatever had come through', async () => {
      const { world, driver, peer } = await announcing();
      const stopping = new AbortController();
      const table = bigTable(60_000, ['65000:1', '65000:2', '65000:3']);
      const applying = driver.apply(routesModel(table), stopping.signal);
      const rejection = expect(applying).rejects.toThrow('enough');
      await waitFor(
        async () => !(await world.gobgp.command('global', 'rib', 'summary')).includes('Destination: 2,'),
        {
          what: 'some routes',
          everyMs: 1,
        },
      );
      stopping.abort(new Error('enough'));
      await rejection;
      // The wrapper has gone back to what was confirmed.
      await peer.waitRoutes(2);
      await driver.apply(routesModel(table), never);
      await peer.waitRoutes(60_000, 180_000);
    });

    it('that was interrupted between new policies and the routes sent again, has the next process send them', async () => {
      const { world, peer } = await announcing();
      const second = new GobgpDaemon({ api: world.gobgp.api });
      stops.push(() => second.api.close());
      const dying = new GobgpDriver(second, 'speaker');
      await dying.configure(world.modelOf([world.peerOf(peer)]));
      await dying.apply(routesModel(tableOf(before)), never);
      const call = second.api.call.bind(second.api);
      second.api.call = (name, ...rest) =>
        name === 'ResetPeer' ? Promise.reject(new Error('dead')) : call(name, ...rest);
      const changed = world.modelOf([world.peerOf(peer, { nextHopIpv4: '203.0.113.1' })]);
      await expect(dying.configure(changed)).rejects.toThrow('dead');

      const next = world.newProcess();
      await next.configure(changed);
      await next.apply(routesModel(tableOf(before)), never);
      const nextHops = async (): Promise<string> =>
        (await peer.routes()).map(({ nextHop }) => nextHop).join();
      await waitFor(async () => (await nextHops()) === '203.0.113.1,203.0.113.1', {
        what: 'the next hop',
        details: () => String(peer.updates().length),
      });
    });

    it('takes an apply back that was not confirmed', async () => {
      const { driver, peer } = await announcing();
      await driver.apply(routesModel(tableOf(after), { confirmSeconds: 600 }), never);
      await peer.waitRoutes(3);
      await driver.undo();
      await peer.waitRoutes(2);
    });

    it('reports what answers in its place, and no password', async () => {
      const server: Http2Server = createServer((_, response) => {
        response.writeHead(404);
        response.end();
      });
      await new Promise<void>((resolve) => {
        server.listen(0, '127.0.0.1', resolve);
      });
      stops.push(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const daemon = new GobgpDaemon({ api: `127.0.0.1:${port}` });
      stops.push(() => daemon.api.close());
      const driver = new GobgpDriver(daemon, 'speaker');
      const model = speakerModel([peerModel({ address: '192.0.2.1', password: PASSWORD })]);
      const failure = await driver.configure(model).catch((error: unknown) => error as Error);
      expect(failure).toMatchObject({
        code: 'speaker_failed',
        message: expect.stringContaining('set APP_ROUTER_SOCKET') as string,
      });
      expect(`${failure!.message} ${failure!.stack} ${JSON.stringify(failure)}`).not.toContain(PASSWORD);
    });

    it('starts a GoBGP that has no configuration, over a Unix socket, and keeps passwords to itself', async () => {
      const directory = daemonDirectory('gobgp');
      const socket = join(directory, 'api.sock');
      const child = spawnDaemon(
        programPath('gobgpd'),
        ['--api-hosts', `unix://${socket}`, '--pprof-disable', '-p'],
        { directory },
      );
      stops.push(() => child.stop());
      const [address, own] = [loopbackAddress(), loopbackAddress()];
      const port = await freePort(address);
      const daemon = new GobgpDaemon({ api: `unix:${socket}`, listen: { port, addresses: [address] } });
      stops.push(() => daemon.api.close());
      const driver = new GobgpDriver(daemon, 'speaker');
      const ownPort = await freePort(own);
      const peer = await startBird({
        listen: { address: own, port: ownPort },
        ...{ routerId: own, localAsn: 65_001, neighbors: [] },
        extraConfig: `protocol bgp n1 {
        local ${own} port ${ownPort} as 65001; neighbor ${address} port ${port} as 64512;
        strict bind; multihop; password "${PASSWORD}"; ipv4 { import all; export none; };
      }`,
      });
      stops.push(() => peer.stop());
      await waitFor(async () => (await driver.status()).reachable, { what: 'GoBGP to answer' });
      expect(await driver.status()).toMatchObject({ routerId: null, error: null, sessions: [] });
      const model = peerModel({
        ...{ address: own, port: ownPort, localAddress: address, multihop: 2, password: PASSWORD },
      });
      await driver.configure(speakerModel([model]));
      await driver.apply(routesModel(tableOf(before)), never);
      const status = await waitFor(
        async () => {
          const now = await driver.status();
          return now.sessions[0]?.routesExported === 2 && now;
        },
        { what: 'two routes' },
      );
      expect(status).toMatchObject({ routerId: '10.255.0.1' });
      expect(JSON.stringify(status)).not.toContain(PASSWORD);
      expect(child.log()).not.toContain(PASSWORD);
    });
  },
);
