import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BirdDaemon } from '../../../src/speakers/bird/daemon.ts';
import { BirdDriver } from '../../../src/speakers/bird/driver.ts';
import type { SpeakerModel } from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { mixedRoutes, never, routesModel } from '../builtin/models.ts';
import { startClaimant } from '../claimant.ts';
import { startWorld, type World } from './world.ts';

const SERVICE = '0190e5e0-0000-7000-8000-000000000001';
const SPEAKER = '0190e5e0-0000-7000-8000-000000000002';

describe.skipIf(requireDaemon('bird') === null)('a speaker that is to be taken out of BIRD', () => {
  let world: World;
  let daemon: BirdDaemon;
  beforeEach(async () => {
    world = await startWorld();
    daemon = new BirdDaemon({ ...world.options, serviceId: SERVICE });
  });
  afterEach(() => world?.stop());

  const announcing = async (): Promise<{ driver: BirdDriver; peer: Bird; model: SpeakerModel }> => {
    const driver = new BirdDriver(daemon, SPEAKER, (id) => world.engine.driver(id));
    const peer = await world.peer();
    const model = world.modelOf([world.peerOf(peer)], { speakerId: SPEAKER });
    await driver.configure(model);
    await driver.apply(routesModel(mixedRoutes), never);
    await peer.waitRoutes(4);
    return { driver, peer, model };
  };
  /** Until this is undone BIRD reads no configuration. */
  const breakConfiguration = (): (() => void) => {
    const main = world.options.mainConfig;
    const whole = readFileSync(main);
    appendFileSync(main, 'nonsense\n');
    return () => writeFileSync(main, whole);
  };
  const ours = (): string[] => readdirSync(world.directory).filter((name) => name.startsWith('pc_'));

  it('is found again while BIRD has not done that', async () => {
    const { driver, peer } = await announcing();
    const repair = breakConfiguration();
    await expect(driver.close(false)).rejects.toThrow(/syntax error/);
    expect(await daemon.speakerIds()).toEqual([SPEAKER]);
    // A BIRD that starts has it no more.
    expect(ours().filter((name) => name.endsWith('.conf'))).toEqual([]);
    repair();
    await daemon.removeSpeaker(SPEAKER);
    await peer.waitRoutes(0);
    expect(await daemon.speakerIds()).toEqual([]);
    expect(ours()).toEqual([]);
    expect(readdirSync(`${world.directory}/routes`)).toEqual([]);
  });

  it('comes back as it was when it is wanted again before BIRD has done that', async () => {
    const { driver, peer, model } = await announcing();
    const repair = breakConfiguration();
    await expect(driver.close(false)).rejects.toThrow(/syntax error/);
    repair();
    const next = new BirdDriver(daemon, SPEAKER, (id) => world.engine.driver(id));
    await next.configure(model);
    await next.apply(routesModel(mixedRoutes), never);
    expect((await next.status()).error).toBeNull();
    await world.bird.command('configure');
    expect(await peer.routeCount()).toBe(4);
    expect((await next.status()).sessions).toMatchObject([{ state: 'established', routesExported: 4 }]);
  });

  it('stays when another process drives BIRD by now', async () => {
    const { driver, peer } = await announcing();
    await daemon.release();
    expect((await startClaimant('DirectoryLock', world.directory)).answer).toBe('null');
    await expect(driver.close(false)).rejects.toMatchObject({ code: 'daemon_in_use' });
    expect(await daemon.speakerIds()).toEqual([SPEAKER]);
    expect(await peer.routeCount()).toBe(4);
  });
});
