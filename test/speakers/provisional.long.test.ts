import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BuiltinEngine } from '../../src/speakers/builtin/engine.ts';
import { ProvisionalDriver } from '../../src/speakers/provisional.ts';
import { asFinal, type RoutesModel, type SpeakerDriver } from '../../src/speakers/speaker.ts';
import { startBird, type Bird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import {
  SPEAKER_ASN,
  never,
  peerModel,
  routesModel,
  speakerModel,
  startEngine,
  tableOf,
} from './builtin/models.ts';
import { startWorld, type World } from './bird/world.ts';

/** A speaker with a peer that holds two routes for good. */
interface Announcing {
  readonly driver: SpeakerDriver;
  readonly peer: Bird;
  stop(): Promise<void>;
}

const two = { '11.0.0.0/8': ['65000:1'], '12.0.0.0/8': ['65000:2'] };
const three = { ...two, '13.0.0.0/8': ['65000:1'] };
const four = { ...three, '14.0.0.0/8': ['65000:1'] };
const trial = (prefixes: Record<string, string[]>, confirmSeconds = 60): RoutesModel =>
  routesModel(tableOf(prefixes), { confirmSeconds });

/** A look every so often may miss what a peer has for two seconds. */
const takenBack = (peer: Bird, since: number, prefix: string): Promise<true> =>
  waitFor(() => peer.withdrawnSince(since).includes(prefix), { what: `${prefix} to be taken back` });

async function announcingBuiltin(): Promise<Announcing> {
  const engine: BuiltinEngine = await startEngine();
  const address = loopbackAddress();
  const neighbors = [{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true }];
  const peer = await startBird({
    ...{ listen: { address, port: await freePort(address) }, routerId: address, localAsn: 65_001, neighbors },
  });
  const driver = engine.driver('speaker');
  await driver.configure(speakerModel([peerModel({ address, port: peer.port })]));
  await driver.apply(routesModel(tableOf(two)), never);
  await peer.waitRoutes(2);
  return {
    ...{ driver, peer },
    async stop() {
      await engine.close(false);
      await peer.stop();
    },
  };
}

async function announcingBird(): Promise<Announcing> {
  const world: World = await startWorld();
  const driver = world.driver();
  const peer = await world.peer();
  await driver.configure(world.modelOf([world.peerOf(peer)]));
  await driver.apply(routesModel(tableOf(two)), never);
  await peer.waitRoutes(2);
  return { driver, peer, stop: () => world.stop() };
}

describe.skipIf(requireDaemon('bird') === null).each([
  ['builtin', announcingBuiltin],
  ['bird', announcingBird],
] as const)('an apply of %s with a time to confirm', (_daemon, announcing) => {
  let speaker: Announcing;
  beforeEach(async () => {
    speaker = await announcing();
  });
  afterEach(() => speaker?.stop());

  it('stays when it is confirmed', async () => {
    const { driver, peer } = speaker;
    await driver.apply(trial(three), never);
    await peer.waitRoutes(3);
    await driver.confirm();
    await driver.undo();
    const received = peer.updates().length;
    await driver.apply(trial(four, 2), never);
    await takenBack(peer, received, '14.0.0.0/8');
    // To what was confirmed, not to what was there first.
    await peer.waitRoutes(3);
    await expect(driver.confirm()).rejects.toMatchObject({ code: 'confirm_timeout' });
  });

  it('is taken back by undo at once, and another may follow', async () => {
    const { driver, peer } = speaker;
    await driver.apply(trial(three), never);
    await peer.waitRoutes(3);
    await driver.undo();
    await peer.waitRoutes(2);
    await driver.confirm(); // of nothing
    expect(await driver.apply(trial(four), never)).toEqual({ announced: 2, withdrawn: 0, changed: 0 });
    await driver.confirm();
    await peer.waitRoutes(4);
    expect((await driver.status()).error).toBeNull();
  });

  it('goes back by itself when nobody confirms it, and says so to who comes too late', async () => {
    const { driver, peer } = speaker;
    const received = peer.updates().length;
    await driver.apply(trial(three, 2), never);
    await takenBack(peer, received, '13.0.0.0/8');
    await peer.waitRoutes(2);
    await expect(driver.confirm()).rejects.toMatchObject({
      code: 'confirm_timeout',
      message: expect.stringContaining('deploy_confirm_timeout_seconds') as string,
    });
    // And once only.
    await driver.confirm();
    await driver.apply(trial(four), never);
    await driver.confirm();
    await peer.waitRoutes(4);
  });

  it('gives way to another before it is confirmed, whose end decides', async () => {
    const { driver, peer } = speaker;
    await driver.apply(trial(three), never);
    await driver.apply(trial(four), never);
    await peer.waitRoutes(4);
    await driver.undo();
    await peer.waitRoutes(2);
  });

  it('is nothing to confirm when it changed nothing', async () => {
    const { driver } = speaker;
    expect(await driver.apply(trial(two), never)).toEqual({ announced: 0, withdrawn: 0, changed: 0 });
    await driver.confirm();
  });

  it('does not outlive a graceful end', async () => {
    const { driver, peer } = speaker;
    await driver.apply(trial(three), never);
    await peer.waitRoutes(3);
    await driver.close(true);
    await waitFor(async () => (await peer.routes()).every(({ prefix }) => prefix !== '13.0.0.0/8'), {
      what: 'the route of the trial to be gone',
    });
  });
});

it('a speaker that is taken out while a trial of it is taken back stays out', async () => {
  const engine = await startEngine();
  const plain = engine.driver('speaker');
  const steps: string[] = [];
  const begun = Promise.withResolvers<void>();
  const driver = new ProvisionalDriver({
    check: (model) => plain.check(model),
    render: (model, routes) => plain.render(model, routes),
    configure: (model) => plain.configure(model),
    status: () => plain.status(),
    async apply(routes, signal) {
      if (routes.revisionId !== 'confirmed' || !steps.includes('trial'))
        return plain.apply(asFinal(routes), signal);
      steps.push('return');
      begun.resolve();
      await once(signal, 'abort');
      steps.push('end of the return');
      return plain.apply(asFinal(routes), signal);
    },
    async close(graceful) {
      steps.push('close');
      await plain.close(graceful);
    },
  });
  try {
    await driver.configure(speakerModel([]));
    await driver.apply(routesModel(tableOf(two), { revisionId: 'confirmed' }), never);
    await driver.apply(trial(three, 1), never);
    steps.push('trial');
    await begun.promise;
    await driver.close(false);
    expect(steps).toEqual(['trial', 'return', 'end of the return', 'close']);
  } finally {
    await engine.close(false);
  }
});

it('a return that could not come about yet is reported by undo, not passed over', async () => {
  const engine = await startEngine();
  const driver = engine.driver('speaker');
  try {
    await driver.configure(speakerModel([]));
    await driver.apply(routesModel(tableOf(two)), never);
    await engine.close(true);
    const away = { code: 'speaker_unreachable' };
    await expect(driver.apply(trial(three), never)).rejects.toMatchObject(away);
    await expect(driver.undo()).rejects.toMatchObject(away);
  } finally {
    await driver.close(false).catch(() => undefined);
  }
});
