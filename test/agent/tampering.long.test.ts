import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import {
  altered,
  cutOff,
  isBundle,
  isLatest,
  startProxy,
  withBitTurned,
  type Passing,
  type Proxy,
} from './proxy.ts';
import { startWorld, type AgentProcess, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null;
const DAY = 86_400_000;

const prefix = (third: number): string => `45.0.${third}.0/24`;

// Each step may take its time where many tests share the machine.

/** Between the node and its control plane sits somebody who alters what is said. Nothing of it reaches the router. */
describe.skipIf(lacks)('with somebody in between', () => {
  let world: NodeWorld;
  let proxy: Proxy;
  let agent: AgentProcess;
  /** What was announced last in good order. */
  let good: string[] = [prefix(0)];
  let next = 2;

  beforeAll(async () => {
    world = await startWorld();
    proxy = await startProxy(world.service.url);
    agent = await world.enrolled(proxy);
    await world.announce(good);
  });
  afterEach(() => {
    proxy.tamper = (_path, answer) => answer;
  });
  afterAll(async () => {
    await proxy?.close();
    await world?.close();
  });

  /** What is asked for next: one prefix that BIRD does not have yet. */
  const another = (): string[] => {
    const prefixes = [prefix(next)];
    next += 2;
    return prefixes;
  };

  /** Has answers altered, asks for another revision, and sees that it is refused with the code; then that it arrives unaltered. */
  async function refused(code: string, alter: Proxy['tamper']): Promise<void> {
    const wanted = another();
    proxy.tamper = alter;
    const { id } = await world.ask(wanted);
    await waitFor(async () => (await world.speaker()).last_apply?.error?.startsWith(`${code}: `) === true, {
      what: `the control plane to hear of ${code}`,
      details: agent.said,
    });
    expect(await world.bird.routes()).toMatchObject(good.map((one) => ({ prefix: one })));
    expect(await world.service.ended({ id })).toMatchObject({ state: 'failed' });
    proxy.tamper = (_path, answer) => answer;
    // The node tries again by itself.
    await world.received(wanted);
    await waitFor(async () => (await world.speaker()).last_apply?.status === 'ok', { what: 'the good end' });
    good = wanted;
  }

  const refusedBundle = (code: string, alter: (answer: Passing) => Passing): Promise<void> =>
    refused(code, (path, answer) => (isBundle(path) ? alter(answer) : answer));

  test('a bundle with one bit turned in its routes is damaged', () =>
    refusedBundle('bundle_corrupt', withBitTurned));

  test('a manifest that says something else has no good signature', () =>
    refusedBundle('signature_invalid', (answer) =>
      altered(answer, (body) => {
        const at = body.indexOf('"revision_number":') + '"revision_number":'.length;
        body[at] = body[at] === 0x39 ? 0x38 : 0x39;
        return body;
      }),
    ));

  test('a bundle that is cut off is damaged', () => refusedBundle('bundle_corrupt', cutOff));

  test('an older bundle that was good once is an old one', async () => {
    let old: Passing | null = null;
    proxy.tamper = (path, answer) => {
      if (isBundle(path)) old ??= answer;
      return answer;
    };
    good = another();
    await world.announce(good);
    const replayed = old!;
    good = another();
    await world.announce(good);
    await refusedBundle('bundle_replayed', () => replayed);
  });

  test('the bundle of another speaker is a foreign one', async () => {
    const otherProxy = await startProxy(world.service.url);
    try {
      let foreign: Passing | null = null;
      otherProxy.tamper = (path, answer) => {
        if (isBundle(path)) foreign ??= answer;
        return answer;
      };
      const id = await world.addSpeaker('other');
      const token = await world.token(id);
      const other = await world.start({ url: otherProxy.url, token });
      good = another();
      await world.announce(good);
      await waitFor(() => foreign !== null, { what: 'the bundle of the other speaker' });
      await other.stop();
      await world.service.call('DELETE', `/v1/speakers/${id}?abandon_node=true`);
      await refusedBundle('bundle_foreign', () => foreign!);
    } finally {
      await otherProxy.close();
    }
  });

  test('a bundle that has expired is refused, by the clock of the control plane', () =>
    // Months later, as far as the node can tell.
    refused('bundle_expired', (_path, answer) => ({
      ...answer,
      headers: { ...answer.headers, date: new Date(Date.now() + 100 * DAY).toUTCString() },
    })));

  test('news that are withheld leave what is announced, and come through when they can', async () => {
    const wanted = another();
    proxy.tamper = (path, answer) =>
      isLatest(path) ? { status: 304, headers: {}, body: Buffer.alloc(0) } : answer;
    const before = proxy.asked.filter(isLatest).length;
    await world.ask(wanted);
    await waitFor(() => proxy.asked.filter(isLatest).length >= before + 4, { what: 'further questions' });
    expect(await world.bird.routes()).toMatchObject(good.map((one) => ({ prefix: one })));
    proxy.tamper = (_path, answer) => answer;
    await world.received(wanted);
    good = wanted;
  });

  test('who is lied to about what is the latest finds the way back, also when nothing else changes', () =>
    refused('bundle_corrupt', (path, answer) => {
      if (!isLatest(path) || answer.status !== 200) return answer;
      const latest = JSON.parse(answer.body.toString()) as { sequence: number; bundle: { url: string } };
      const bundle = { ...latest.bundle, url: '/v1/version' };
      return { ...answer, body: Buffer.from(JSON.stringify({ ...latest, bundle })) };
    }));

  test('a line that breaks again and again is no failed apply', async () => {
    const wanted = another();
    let broken = 0;
    proxy.tamper = (path, answer) => {
      if (isBundle(path) && broken++ < 3) throw new Error('the line breaks');
      return answer;
    };
    await world.service.succeeded(await world.ask(wanted));
    await world.received(wanted);
    expect(broken).toBeGreaterThan(3);
    good = wanted;
  });

  test('a key that was announced while the node was away is believed, since the old one vouches for it', async () => {
    await agent.stop();
    await world.service.post('/v1/bundles/signing-key/rotate', { announce_seconds: 0 });
    const wanted = another();
    await world.ask(wanted);
    const before = proxy.asked.length;
    agent = await world.start({ url: proxy.url, dataDir: agent.dataDir });
    await world.received(wanted);
    expect(proxy.asked.slice(before).some((path) => path.includes('/signing-key'))).toBe(true);
    good = wanted;
  });
});
