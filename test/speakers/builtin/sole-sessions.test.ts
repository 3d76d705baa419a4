import { afterEach, describe, expect, it } from 'vitest';
import type { SessionStatus, SpeakerDriver } from '../../../src/speakers/speaker.ts';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  SPEAKER_ASN,
  mixedRoutes,
  never,
  peerModel,
  routesModel,
  sessionOf,
  speakerModel,
} from './models.ts';
import { startEngine, waitSession } from './models.ts';

const ROUTES = 5;
const isUp = ({ state }: SessionStatus): boolean => state === 'established';
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

describe.skipIf(requireDaemon('bird') === null)('two speakers that a router takes for one', () => {
  /** Whoever comes second would be a restart of the first for it. */
  async function birdUp(): Promise<Bird> {
    const bird = await startBird({
      listen: { address: loopbackAddress(), port: await freePort() },
      routerId: '192.0.2.1',
      localAsn: 65_001,
      neighbors: ['127.0.0.1', '127.0.0.2'].map((address) => ({
        ...{ address, port: 1, asn: SPEAKER_ASN, passive: true, families: ['ipv4', 'ipv6'] as const },
      })),
    });
    stops.push(() => bird.stop());
    return bird;
  }

  async function begin(
    bird: Bird,
    ...names: readonly (readonly [name: string, localAddress: string | null, peer?: string])[]
  ): Promise<SpeakerDriver[]> {
    const engine = await startEngine();
    stops.push(() => engine.close(false));
    const drivers: SpeakerDriver[] = [];
    for (const [name, localAddress, id = 'bird'] of names) {
      const driver = engine.driver(name);
      const peer = peerModel({
        ...{ id, name: id, address: bird.address, port: bird.port, remoteAsn: bird.localAsn },
        ...{ families: ['ipv4', 'ipv6'], localAddress, gracefulRestart: true },
      });
      await driver.configure(speakerModel([peer], { speakerId: name, name }));
      await driver.apply(routesModel(mixedRoutes), never);
      drivers.push(driver);
      if (drivers.length === 1) await waitSession(driver, 'established', isUp);
    }
    return drivers;
  }

  it('do not end each other’s session: the second waits, says for whom, and calls when that one is gone', async () => {
    const bird = await birdUp();
    const [first, second] = await begin(bird, ['first', null], ['second', null]);
    await bird.waitRoutes(ROUTES);
    const { since, times } = await sessionOf(first!);
    const { state, lastError } = await sessionOf(second!);
    expect(state).toBe('connect');
    expect(lastError).toMatch(
      /^the speaker first has the session with it .*: prefixcast peer edit bird --speaker first, or .* another local_ipv4$/,
    );
    // An apply hurries whoever has no session.
    await second!.apply(routesModel(mixedRoutes), never);
    await first!.apply(routesModel(mixedRoutes), never);
    expect(await sessionOf(first!)).toMatchObject({ state: 'established', since, times });
    await first!.configure(speakerModel([], { speakerId: 'first', name: 'first' }));
    await waitSession(second!, 'established', isUp);
    await bird.waitRoutes(ROUTES);
    expect((await sessionOf(second!)).lastError).toBeNull();
  });

  it('may have two names for it: then the second is the one too many', async () => {
    const bird = await birdUp();
    const [, second] = await begin(bird, ['first', null], ['second', null, 'twin']);
    expect((await sessionOf(second!)).lastError).toMatch(
      /^the speaker first has the session with it as the peer bird, from the same address, .*: prefixcast peer delete twin, or .* another local_ipv4$/,
    );
  });

  it('have one each where they call from different addresses', async () => {
    const bird = await birdUp();
    const both = await begin(bird, ['first', '127.0.0.1'], ['second', '127.0.0.2']);
    for (const driver of both) await waitSession(driver, 'established', isUp);
  });

  it('are known by the address that the first came to have', async () => {
    const bird = await birdUp();
    const [first, second] = await begin(bird, ['first', null], ['second', '127.0.0.1']);
    expect((await sessionOf(second!)).lastError).toContain('the speaker first has the session with it');
    expect((await sessionOf(first!)).state).toBe('established');
  });

  it('change places when the session of the first is lost, and not before', async () => {
    const bird = await birdUp();
    const [first, second] = await begin(bird, ['first', null], ['second', null]);
    await bird.stop();
    stops.pop();
    await waitFor(async () => (await sessionOf(first!)).state !== 'established', {
      what: 'the session to be lost',
    });
    await waitFor(async () => (await sessionOf(second!)).lastError?.includes('cannot connect') === true, {
      what: 'the second to call',
    });
    expect((await sessionOf(second!)).lastError).toContain('cannot connect');
  });
});
