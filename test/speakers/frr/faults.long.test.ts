import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FrrDriver } from '../../../src/speakers/frr/driver.ts';
import { speakerTag } from '../../../src/speakers/frr/names.ts';
import { VtySocket } from '../../../src/speakers/frr/vty-socket.ts';
import { ProvisionalDriver } from '../../../src/speakers/provisional.ts';
import type { SpeakerModel } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  receivedBy,
  never,
  routesModel,
  sessionOf,
  speakerModel,
  tableOf,
} from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

const before = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:2'] };
const after = { ...before, '13.0.0.0/8': ['65000:1'] };
const tag = speakerTag('speaker');

describe.skipIf(requireDaemon('frr-bgpd') === null)('when something is wrong, a speaker in FRR', () => {
  let world: World;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await world?.stop();
  });

  /** A speaker whose peer holds two routes. */
  const announcing = async (): Promise<{ driver: FrrDriver; peer: Bird; model: SpeakerModel }> => {
    const driver = world.driver();
    const peer = await world.peer();
    const model = speakerModel([world.peerOf(peer)]);
    await driver.configure(model);
    await driver.apply(routesModel(tableOf(before)), never);
    await peer.waitRoutes(2);
    return { driver, peer, model };
  };

  /** The same in a process that can be killed. */
  const announcingChild = async (peers: readonly Bird[], restartTime?: number): Promise<ChildProcess> => {
    const program = fileURLToPath(new URL('./fed-child.ts', import.meta.url));
    const model = speakerModel(peers.map((peer) => world.peerOf(peer)));
    const work = JSON.stringify({ options: world.options, model, prefixes: before, restartTime });
    const child = spawn(process.execPath, [program, work], { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  };

  const kill = async (child: ChildProcess): Promise<void> => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  const running = (): Promise<string> => world.frr.command('show running-config');

  it('that is down says so, and its peers lose nothing while it restarts', async () => {
    const { driver, peer } = await announcing();
    world.frr.kill('SIGKILL');
    await waitFor(async () => !(await driver.status()).reachable, { what: 'FRR to be away' });
    await expect(driver.apply(routesModel(tableOf(after)), never)).rejects.toMatchObject({
      code: 'speaker_unreachable',
      message: expect.stringMatching(/bgpd\.vty (is not running|has no socket)/) as string,
    });
    expect(await driver.status()).toMatchObject({ reachable: false, sessions: [] });
    expect(await peer.routeCount()).toBe(2);
    await world.frr.restart();
    const status = await waitFor(
      async () => {
        const seen = await driver.status();
        return seen.error?.includes('being brought back') && seen;
      },
      { what: 'FRR to be missed' },
    );
    expect(status).toMatchObject({ reachable: true });
    // Nobody has to ask for it: looking is enough.
    await waitFor(async () => (await sessionOf(driver)).routesExported === 2, { what: 'all to be back' });
    expect((await driver.status()).error).toBeNull();
    expect(await receivedBy(peer)).toEqual(before);
    // The sessions opened on the routes: nothing was withdrawn in between.
    expect(peer.updates().flatMap(({ withdrawn }) => withdrawn)).toEqual([]);
  });

  it('that hangs is reported within the deadline, and goes on as before', async () => {
    const { driver, peer } = await announcing();
    world.frr.pause();
    await expect(driver.apply(routesModel(tableOf(after)), never)).rejects.toThrow(
      /did not answer .* within 5 s/,
    );
    const status = await driver.status();
    expect(status.reachable).toBe(false);
    expect(status.error).toMatch(/did not answer .* within 5 s/);
    world.frr.resume();
    await waitFor(async () => (await driver.status()).reachable, { what: 'FRR to answer' });
    expect(await peer.routeCount()).toBe(2);
    await driver.apply(routesModel(tableOf(after)), never);
    await peer.waitRoutes(3);
  });

  it('whose vtysh refuses the commands, or is not there, passes that on and changes nothing', async () => {
    const { peer, model } = await announcing();
    const vtysh = join(world.options.directory, 'vtysh');
    writeFileSync(vtysh, '#!/bin/sh\necho "line 1: % Unknown command: password secret"\nexit 2\n');
    chmodSync(vtysh, 0o755);
    const config = await running();
    for (const [program, reason] of [
      ['/nowhere/vtysh', /APP_ROUTER_BIN/],
      [vtysh, /vtysh refuses the configuration: line 1: % Unknown command: password \*\*\*$/],
    ] as const) {
      const daemon = world.daemon({ program });
      const driver = new FrrDriver(daemon, 'speaker', (id) => world.engine.driver(id));
      await driver.configure({ ...model, peers: [] });
      await expect(driver.apply(routesModel(tableOf(after)), never)).rejects.toThrow(reason);
    }
    expect(await running()).toBe(config);
    expect(await peer.routeCount()).toBe(2);
  });

  it('that others changed heals it, and keeps the sessions that were left alone', async () => {
    const { driver, peer } = await announcing();
    const other = await world.peer();
    const { id } = world.peerOf(peer);
    await driver.configure(speakerModel([world.peerOf(peer), world.peerOf(other)]));
    await other.waitRoutes(2);
    const { since } = await sessionOf(driver, id);
    const view = (await running()).split('\n').find((line) => line.endsWith(` view ${tag}`))!;
    const operator = new VtySocket(join(world.options.directory, 'bgpd.vty'));
    await operator.run(['configure terminal', view, `no neighbor ${other.address}`, 'end']);
    await other.waitRoutes(0);
    const isBack = async (): Promise<boolean> =>
      (await driver.status()).error === null && (await other.routeCount()) === 2;
    await waitFor(isBack, { what: 'the peer to be back' });
    expect(await sessionOf(driver, id)).toMatchObject({ state: 'established', since });
  });

  it('whose filter others took out has it again when it is reloaded', async () => {
    const { driver, peer, model } = await announcing();
    const { since } = await sessionOf(driver, model.peers[0]!.id);
    const intended = await running();
    const operator = new VtySocket(join(world.options.directory, 'bgpd.vty'));
    await operator.run(['configure terminal', `no route-map ${tag}_feed permit 10`, 'end']);
    expect(await running()).not.toBe(intended);
    await driver.reload();
    expect(await running()).toBe(intended);
    expect(await peer.routeCount()).toBe(2);
    expect(await sessionOf(driver, model.peers[0]!.id)).toMatchObject({ state: 'established', since });
  });

  it('whose feed is down says so, and announces on', async () => {
    const { driver, peer } = await announcing();
    await world.engine.close(true);
    const error = await waitFor(async () => (await driver.status()).error ?? false, {
      what: 'it to be reported',
    });
    expect(error).toContain(
      `does not fetch the routes: its session to this service at ${world.options.feed.address}`,
    );
    expect(await peer.routeCount()).toBe(2);
    expect(await sessionOf(driver)).toMatchObject({ state: 'established', routesExported: 2 });
  });

  it('goes back to what was confirmed when nobody confirms', async () => {
    const { driver: plain, peer, model } = await announcing();
    const driver = new ProvisionalDriver(plain);
    await driver.configure(model);
    await driver.apply(routesModel(tableOf(before)), never);
    await driver.apply(routesModel(tableOf(after), { confirmSeconds: 1 }), never);
    await sleep(1_100); // longer than it may be confirmed; the peer may have two routes still, or again
    await peer.waitRoutes(2);
    await expect(driver.confirm()).rejects.toMatchObject({ code: 'confirm_timeout' });
    await driver.apply(routesModel(tableOf(after), { confirmSeconds: 300 }), never);
    await driver.confirm();
    await peer.waitRoutes(3);
  });

  it('whose service is killed keeps its routes, and the next one takes up from there', async () => {
    const peer = await world.peer();
    const child = await announcingChild([peer]);
    await peer.waitRoutes(2);
    await kill(child);
    const isStale = async (): Promise<boolean> =>
      (await world.frr.command(`show bgp view ${tag} ipv4 unicast 11.0.0.0/8 json`)).includes('"stale":true');
    await waitFor(isStale, { what: 'FRR to notice' });
    const sentBefore = peer.updates().length;
    const driver = world.driver();
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(routesModel(tableOf(before)), never);
    expect(await isStale()).toBe(false);
    await driver.apply(routesModel(tableOf(after)), never);
    await peer.waitRoutes(3);
    const since = peer.updates().slice(sentBefore);
    // What it kept FRR tells once more or not, as it comes to it.
    const announced = since.flatMap((update) => update.announced);
    expect(announced).toContain('13.0.0.0/8');
    expect(Object.keys(after)).toEqual(expect.arrayContaining([...new Set(announced)]));
    expect(since.flatMap(({ withdrawn }) => withdrawn)).toEqual([]);
  });

  it('whose service stays away longer keeps them as stale, for peers that know of such routes and others', async () => {
    const knows = await world.peer();
    const address = loopbackAddress();
    const port = await freePort(address);
    const other = await world.peer(
      {},
      {
        ...{ listen: { address, port }, neighbors: [] },
        extraConfig: `protocol bgp n1 {
          local ${address} port ${port} as 65001; neighbor ${world.address} port ${world.port} as ${SPEAKER_ASN};
          strict bind; multihop; passive; long lived graceful restart off; ipv4 { import all; export none; };
        }`,
      },
    );
    const received = async (bird: Bird): Promise<string> =>
      (await bird.command('show route all')).map(({ text }) => text).join('\n');
    const child = await announcingChild([knows, other], 1);
    for (const bird of [knows, other])
      await waitFor(async () => /11\.0\.0\.0\/8[^]*12\.0\.0\.0\/8|12\.[^]*11\./.test(await received(bird)), {
        what: 'two routes',
      });
    await kill(child);
    for (const bird of [knows, other])
      await waitFor(async () => (await received(bird)).match(/\(65535,6\)/g)?.length === 2, {
        what: 'two stale routes, after the restart time',
      });
  });
});
