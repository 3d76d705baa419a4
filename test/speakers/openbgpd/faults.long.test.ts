import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Control } from '../../../src/speakers/openbgpd/control.ts';
import { requireOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  bigTable,
  receivedBy,
  never,
  routesModel,
  sessionOf,
  speakerModel,
  tableOf,
} from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

const missing = requireOpenbgpd() === null || requireDaemon('bird') === null;
const one = routesModel(tableOf({ '10.0.0.0/8': ['65000:1'] }));

describe.skipIf(missing)('an OpenBGPD that', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world?.stop());
  const file = (): string => readFileSync(join(world.directory, 'prefixcast.conf'), 'utf8');

  it('was restarted is sent its networks again', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(one, never);
    await peer.waitRoutes(1);
    await world.restart();
    await waitFor(
      async () => {
        expect(await driver.status()).toMatchObject({ reachable: true });
        return (await world.openbgpd.command('show', 'rib', '10.0.0.0/8')).includes('10.0.0.0/8');
      },
      { what: 'the network to come back' },
    );
    await waitFor(async () => (await peer.routeCount()) === 1, { what: 'the route at the peer' });
  });

  it('hangs is distinguished from one that works, and goes on afterwards', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(one, never);
    await peer.waitRoutes(1);
    world.openbgpd.pause();
    try {
      expect(await driver.status()).toMatchObject({
        reachable: false,
        error: expect.stringMatching(/does not answer .*longer than 5 s/) as string,
      });
      await expect(driver.apply(routesModel(bigTable(2, ['65000:1'])), never)).rejects.toMatchObject({
        code: 'speaker_unreachable',
      });
      expect(await peer.routeCount()).toBe(1);
    } finally {
      world.openbgpd.resume();
    }
    await driver.apply(routesModel(bigTable(2, ['65000:1'])), never);
    await waitFor(async () => Object.keys(await receivedBy(peer)).join() === '16.0.0.0/24,16.0.1.0/24', {
      what: 'the new routes',
    });
  });

  it('is not there is reported, with what to look at', async () => {
    const driver = world.driver();
    await world.openbgpd.stop();
    await expect(driver.configure(speakerModel([]))).rejects.toThrow(/bgpctl.*APP_ROUTER_SOCKET/s);
    expect(await driver.status()).toMatchObject({ reachable: false });
  });

  it('refuses the configuration keeps the one before, and its words are shown', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    const model = speakerModel([world.peerOf(peer)]);
    await driver.configure(model);
    await driver.apply(one, never);
    await peer.waitRoutes(1);
    const before = file();
    // Somebody breaks the operator's own part.
    const main = readFileSync(world.openbgpd.mainConfig, 'utf8');
    writeFileSync(world.openbgpd.mainConfig, `${main}\nnonsense\n`, { mode: 0o600 });
    await expect(
      driver.configure(speakerModel([world.peerOf(peer, { nextHopIpv4: '203.0.113.1' })])),
    ).rejects.toMatchObject({
      code: 'config_refused',
      message: expect.stringContaining('syntax error') as string,
    });
    expect(file()).toBe(before);
    expect(await peer.routeCount()).toBe(1);
    writeFileSync(world.openbgpd.mainConfig, main, { mode: 0o600 });
    await driver.configure(speakerModel([world.peerOf(peer, { nextHopIpv4: '203.0.113.1' })]));
    expect(file()).not.toBe(before);
  });

  it('reads its configuration again does so with what others wrote, and only if it is good', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(speakerModel([world.peerOf(peer)]));
    await driver.apply(one, never);
    await peer.waitRoutes(1);
    const main = readFileSync(world.openbgpd.mainConfig, 'utf8');
    const write = (text: string): void => writeFileSync(world.openbgpd.mainConfig, text, { mode: 0o600 });
    write(`${main}\nnonsense\n`);
    await expect(driver.reload()).rejects.toMatchObject({
      code: 'config_refused',
      message: expect.stringContaining('syntax error') as string,
    });
    write(`network 198.51.100.0/24\n${main}`);
    await driver.reload();
    await waitFor(
      async () => (await world.openbgpd.command('network', 'show')).includes('198.51.100.0/24') || undefined,
      { what: 'the network of others' },
    );
    expect(await world.openbgpd.command('network', 'show')).toContain('10.0.0.0/8');
    expect(await sessionOf(driver)).toMatchObject({ state: 'established', routesExported: 1 });
    expect(await receivedBy(peer)).toEqual({ '10.0.0.0/8': ['65000:1'] });
  });

  it('has another speaker takes no second one', async () => {
    const driver = world.driver();
    await driver.configure(speakerModel([]));
    await driver.apply(one, never);
    const second = world.driver('second');
    await second.configure(speakerModel([], { speakerId: 'second' }));
    await expect(second.apply(one, never)).rejects.toMatchObject({ code: 'daemon_taken' });
    // It takes nothing with it when it goes.
    await second.close(false);
    expect(await world.openbgpd.command('network', 'show')).toContain('10.0.0.0/8');
  });

  it('says why a session does not come up', async () => {
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(speakerModel([world.peerOf(peer, { remoteAsn: 65_999 })]));
    await driver.apply(one, never);
    const session = await waitFor(
      async () => {
        const seen = await sessionOf(driver);
        return seen.lastError !== null && seen;
      },
      { what: 'an error of the session' },
    );
    expect(session).toMatchObject({ routesExported: 0, lastError: expect.stringMatching(/AS/i) as string });
    expect(session.state).not.toBe('established');
  });

  it('has no program to check with is reported with the variable that names it', async () => {
    const control = new Control({
      socket: '/nowhere',
      program: '/nowhere/bgpd',
      controlProgram: '/nowhere/bgpctl',
    });
    await expect(control.check('/etc/bgpd.conf')).rejects.toThrow(/\/nowhere\/bgpd .*APP_ROUTER_BIN/);
    await expect(control.reload()).rejects.toThrow(/\/nowhere\/bgpctl .*APP_ROUTER_CTL/);
  });
});
