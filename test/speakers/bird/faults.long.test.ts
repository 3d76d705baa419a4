import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, readFileSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { BirdDaemon, type BirdOptions } from '../../../src/speakers/bird/daemon.ts';
import type { BirdDriver } from '../../../src/speakers/bird/driver.ts';
import { speakerTag } from '../../../src/speakers/bird/config/names.ts';
import type { Configuration } from '../../../src/speakers/bird/config/render.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { bigTable, never, routesModel, tableOf, waitSession } from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

let world: World;
const unmounts: (() => void)[] = [];
afterEach(async () => {
  for (const unmount of unmounts.splice(0)) unmount();
  await world?.stop();
});

const before = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:2'] };
const after = { ...before, '13.0.0.0/8': ['65000:1'] };
const tag = speakerTag('speaker');

/** A speaker whose peer holds two routes. */
async function announcing(changes: Partial<BirdOptions> = {}): Promise<{ driver: BirdDriver; peer: Bird }> {
  world = await startWorld(changes);
  const driver = world.driver();
  const peer = await world.peer();
  await driver.configure(world.modelOf([world.peerOf(peer)]));
  await driver.apply(routesModel(tableOf(before)), never);
  await peer.waitRoutes(2);
  return { driver, peer };
}

/** The hash that BIRD says it runs. */
const running = async (): Promise<string> =>
  (await world.bird.command(`show protocols all "${tag}"`))
    .map(({ text }) => text)
    .find((text) => text.includes('Description:'))!
    .trim();

const read = (name: string): string => readFileSync(join(world.directory, name), 'utf8');

/** As if BIRD were to have more routes than it does. */
function withMore(configuration: Configuration): Configuration {
  const imports = configuration.imports.map((one) => ({ ...one, routes: one.routes + 1 }));
  return { ...configuration, imports };
}

/** No trace of an apply that did not come to its end. */
function expectConsistent(): void {
  expect(readdirSync(world.directory).sort()).toEqual([
    ...[`${tag}.conf`, `${tag}.good`, 'prefixcast.lock', 'routes'],
  ]);
  expect(read(`${tag}.conf`)).toBe(read(`${tag}.good`));
}

describe.skipIf(requireDaemon('bird') === null)('when something is wrong with BIRD, a speaker in it', () => {
  it('that is down says so and leaves the files alone', async () => {
    const { driver, peer } = await announcing();
    const files = readdirSync(join(world.directory, 'routes'));
    await world.bird.stop();
    await expect(driver.apply(routesModel(tableOf(after)), never)).rejects.toMatchObject({
      code: 'speaker_unreachable',
      message: expect.stringContaining('APP_ROUTER_SOCKET') as string,
    });
    expect(await driver.status()).toMatchObject({ reachable: false, sessions: [] });
    expectConsistent();
    expect(readdirSync(join(world.directory, 'routes'))).toEqual(files);
    await peer.waitRoutes(0);
  });

  it('that hangs is reported within the deadline, and goes on as before', async () => {
    const { driver, peer } = await announcing();
    world.bird.pause();
    await expect(driver.apply(routesModel(tableOf(after)), never)).rejects.toThrow(
      /did not answer .* within 5 s/,
    );
    const status = await driver.status();
    expect(status.reachable).toBe(false);
    expect(status.error).toMatch(/did not answer .* within 5 s/);
    world.bird.resume();
    await waitFor(async () => (await driver.status()).reachable, { what: 'BIRD to answer' });
    expect(await peer.routeCount()).toBe(2);
    expectConsistent();
    await driver.apply(routesModel(tableOf(after)), never);
    await peer.waitRoutes(3);
  });

  it('whose main configuration is broken passes on the words of BIRD and changes nothing', async () => {
    const { driver, peer } = await announcing();
    const main = world.options.mainConfig;
    const whole = readFileSync(main, 'utf8');
    appendFileSync(main, 'protocol nonsense { }\n');
    const [mark, conf] = [await running(), read(`${tag}.conf`)];
    await expect(driver.apply(routesModel(tableOf(after)), never)).rejects.toMatchObject({
      code: 'config_refused',
      message: expect.stringMatching(/bird\.conf:\d+:\d+ syntax error/) as string,
    });
    expect([await running(), read(`${tag}.conf`)]).toEqual([mark, conf]);
    expectConsistent();
    expect(await peer.routeCount()).toBe(2);
    writeFileSync(main, whole);
    await driver.apply(routesModel(tableOf(after)), never);
    await peer.waitRoutes(3);
    expectConsistent();
  });

  it('whose main configuration does not include the directory says what to add', async () => {
    world = await startWorld();
    const main = world.options.mainConfig;
    writeFileSync(main, readFileSync(main, 'utf8').replace(/^include .*$/m, ''));
    const driver = world.driver();
    await driver.configure(world.modelOf([]));
    await expect(driver.apply(routesModel(tableOf(before)), never)).rejects.toMatchObject({
      code: 'config_not_included',
      message: expect.stringContaining(`include "${world.directory}/*.conf";`) as string,
    });
    expect(readdirSync(world.directory).sort()).toEqual(['prefixcast.lock', 'routes']);
  });

  it('that reads another main configuration than was checked goes back and says which', async () => {
    const { driver, peer } = await announcing();
    const other = join(world.directory, '..', `pc-${process.pid}-other.conf`);
    writeFileSync(other, readFileSync(world.options.mainConfig));
    const misled = new BirdDaemon({ ...world.options, mainConfig: other });
    const configuration = misled.render(world.modelOf([world.peerOf(peer)]), routesModel(tableOf(after)));
    await expect(misled.deploy(configuration, never)).rejects.toThrow(/APP_ROUTER_CONFIG.*BIRD went back/);
    expect((await driver.status()).error).toBeNull();
    expectConsistent();
    execFileSync('rm', [other]);
  });

  it('that has no program to check with is not touched', async () => {
    const { driver, peer } = await announcing();
    const blind = new BirdDaemon({ ...world.options, program: '/nowhere/bird' });
    const configuration = blind.render(world.modelOf([world.peerOf(peer)]), routesModel(tableOf(after)));
    await expect(blind.deploy(configuration, never)).rejects.toThrow(/\/nowhere\/bird .*APP_ROUTER_BIN/);
    expect((await driver.status()).error).toBeNull();
    expectConsistent();
  });
});

describe.skipIf(requireDaemon('bird') === null)('an apply that does not come true', () => {
  it('is taken back, with the reason, and the routes are as before', async () => {
    const { driver, peer } = await announcing();
    const mark = await running();
    const daemon = new BirdDaemon(world.options);
    const configuration = daemon.render(world.modelOf([world.peerOf(peer)]), routesModel(tableOf(after)));
    await expect(daemon.deploy(withMore(configuration), never, 4)).rejects.toMatchObject({
      code: 'verification_failed',
      message: expect.stringMatching(
        /BIRD has 2 of the 3 routes of pc_\w+.*BIRD went back to what it ran before/,
      ) as string,
    });
    expect(await running()).toBe(mark);
    expectConsistent();
    await peer.waitRoutes(2);
    expect((await driver.status()).error).toBeNull();
  });

  it('because it is stopped in the middle is taken back', async () => {
    const { peer } = await announcing();
    const mark = await running();
    const daemon = new BirdDaemon(world.options);
    const configuration = daemon.render(world.modelOf([world.peerOf(peer)]), routesModel(tableOf(after)));
    const stop = new AbortController();
    const end = daemon.deploy(withMore(configuration), stop.signal).catch((error: unknown) => error);
    await waitFor(async () => (await running()) !== mark, { what: 'BIRD to try it' });
    stop.abort();
    expect(await end).toMatchObject({ name: 'AbortError' });
    expect(await running()).toBe(mark);
    expectConsistent();
  });

  it('because its process is killed: BIRD goes back by itself, and the next start puts the files right', async () => {
    const { peer } = await announcing({ confirmSeconds: 5 });
    const mark = await running();
    const model = world.modelOf([world.peerOf(peer)]);
    await world.daemon.release();
    const child = spawn(
      process.execPath,
      [
        fileURLToPath(new URL('killed-child.ts', import.meta.url)),
        JSON.stringify({ options: world.options, model, prefixes: after }),
      ],
      { stdio: 'inherit' },
    );
    await waitFor(async () => (await running()) !== mark, { what: 'the child to try it' });
    child.kill('SIGKILL');
    expect(read(`${tag}.conf`)).not.toBe(read(`${tag}.good`));
    await waitFor(async () => (await running()) === mark, { what: 'BIRD to go back' });
    await peer.waitRoutes(2);
    const next = world.driver();
    await next.configure(model);
    await next.apply(routesModel(tableOf(before)), never);
    expectConsistent();
    await next.apply(routesModel(tableOf(after)), never);
    await peer.waitRoutes(3);
    expectConsistent();
  });

  it('because nobody confirms is taken back, also where an operator has had BIRD read its files meanwhile', async () => {
    const { driver, peer } = await announcing();
    const mark = await running();
    const received = peer.updates().length;
    await driver.apply(routesModel(tableOf(after), { confirmSeconds: 2 }), never);
    // A look every so often may miss what the peer has for two seconds.
    const isSent = (): boolean =>
      peer
        .updates()
        .slice(received)
        .some(({ announced }) => announced.includes('13.0.0.0/8'));
    await waitFor(isSent, { what: 'the route at the peer' });
    // BIRD takes that for a confirmation, and goes back by itself no more.
    await world.bird.command('configure');
    await waitFor(async () => (await running()) === mark, {
      what: 'BIRD to run what it ran',
      timeoutMs: 15_000,
    });
    await expect(driver.confirm()).rejects.toMatchObject({ code: 'confirm_timeout' });
    expect((await driver.status()).error).toBeNull();
    await peer.waitRoutes(2);
    expectConsistent();
  });

  it('stays when it is confirmed after an operator has had BIRD read its files', async () => {
    const { driver, peer } = await announcing();
    await driver.apply(routesModel(tableOf(after), { confirmSeconds: 300 }), never);
    await peer.waitRoutes(3);
    const mark = await running();
    await world.bird.command('configure');
    await driver.confirm();
    expect(await running()).toBe(mark);
    expect(await peer.routeCount()).toBe(3);
    expect((await driver.status()).error).toBeNull();
    expectConsistent();
  });

  it('is not tried again and again by itself, but at once when somebody asks', async () => {
    const { driver, peer } = await announcing();
    const main = world.options.mainConfig;
    const whole = readFileSync(main, 'utf8');
    appendFileSync(main, 'nonsense\n');
    const changed = world.modelOf([world.peerOf(peer, { holdTime: 30 })]);
    await expect(driver.configure(changed)).rejects.toThrow(/syntax error/);
    writeFileSync(main, whole);
    // The holder tries every second.
    await expect(driver.configure(changed)).rejects.toThrow(/syntax error/);
    await driver.apply(routesModel(tableOf(before)), never);
    await driver.configure(changed);
    await waitSession(driver, 'the session', ({ routesExported }) => routesExported === 2);
  });
});

describe.skipIf(requireDaemon('bird') === null)('the directory', () => {
  /** A small disk of its own for the directory; false where that is not allowed. */
  function mountDisk(): boolean {
    const { directory } = world;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', directory], { stdio: 'pipe' });
    } catch (error) {
      if (process.env.CI === 'true') throw error;
      console.warn('*** SKIPPED: a full disk takes the right to mount one ***');
      return false;
    }
    unmounts.push(() => execFileSync('umount', ['-l', directory], { stdio: 'pipe' }));
    return true;
  }

  it('that is full is reported, with everything as it was', async () => {
    world = await startWorld();
    if (!mountDisk()) return;
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer)]));
    await driver.apply(routesModel(tableOf(before)), never);
    await peer.waitRoutes(2);
    await expect(driver.apply(routesModel(bigTable(20_000, ['65000:1'])), never)).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining('free some') as string,
    });
    expectConsistent();
    expect(await peer.routeCount()).toBe(2);
    expect((await driver.status()).error).toBeNull();
    await driver.apply(routesModel(tableOf(after)), never);
    await peer.waitRoutes(3);
  });

  it('that takes no writes any more when an apply is confirmed keeps BIRD from what was not written down', async () => {
    world = await startWorld();
    if (!mountDisk()) return;
    const { directory } = world;
    const remount = (mode: 'ro' | 'rw'): Buffer =>
      execFileSync('mount', ['-o', `remount,${mode}`, directory], { stdio: 'pipe' });
    const driver = world.driver();
    const peer = await world.peer();
    await driver.configure(world.modelOf([world.peerOf(peer)]));
    await driver.apply(routesModel(tableOf(before)), never);
    await peer.waitRoutes(2);
    const mark = await running();
    await driver.apply(routesModel(tableOf(after), { confirmSeconds: 300 }), never);
    await peer.waitRoutes(3);
    remount('ro');
    await expect(driver.confirm()).rejects.toMatchObject({ code: 'config_unwritable' });
    expect(await running()).toBe(mark);
    await peer.waitRoutes(2);
    remount('rw');
    await driver.apply(routesModel(tableOf(after)), never);
    await peer.waitRoutes(3);
    expectConsistent();
  });

  it('whose files were cut gets them again, and its good head back', async () => {
    const { driver, peer } = await announcing();
    for (const name of readdirSync(join(world.directory, 'routes')))
      truncateSync(join(world.directory, 'routes', name), 7);
    truncateSync(join(world.directory, `${tag}.conf`), 100);
    await driver.apply(routesModel(tableOf(before)), never);
    for (const name of readdirSync(join(world.directory, 'routes')))
      expect(read(`routes/${name}`)).toMatch(/^route .*\n# end sha256=\w{64}\n$/);
    expectConsistent();
    await driver.apply(routesModel(tableOf(after)), never);
    await peer.waitRoutes(3);
  });

  it('keeps what no head of ours includes out of the way, and leaves alone what is not ours', async () => {
    const { driver } = await announcing();
    writeFileSync(join(world.directory, 'operator.conf'), '# mine\n');
    const old = readdirSync(join(world.directory, 'routes'));
    await driver.apply(routesModel(tableOf({ '14.0.0.0/8': ['65000:1'] })), never);
    const now = readdirSync(join(world.directory, 'routes'));
    expect(now).toHaveLength(1);
    expect(old).not.toContain(now[0]);
    expect(read('operator.conf')).toBe('# mine\n');
  });
});
