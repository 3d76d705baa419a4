/** A speaker or a peer that is disabled while its node does not reach the service: the node knows nothing of it, and goes on announcing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startProxy, type Proxy } from '../../agent/proxy.ts';
import { startWorld, type NodeWorld } from '../../agent/world.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { typist, type Typed } from '../desk/typing.ts';

const ROUTES = ['45.0.0.0/24', '45.0.2.0/24'];
const TIME = String.raw`2\d\d\d-\S+Z`;
const AWAY = new RegExp(
  `^bird at edge: the node, last seen at ${TIME}, is out of reach\\. It goes on announcing what it ran, 2 routes, if it runs, and withdraws that when it is back$`,
  'm',
);

// Each step may take its time where many tests share the machine.

describe.skipIf(requireDaemon('bird') === null)('a node that does not hear that it is to withdraw', () => {
  let world: NodeWorld;
  let proxy: Proxy;

  beforeAll(async () => {
    world = await startWorld();
    proxy = await startProxy(world.service.url);
    await world.enrolled(proxy);
    await world.announce(ROUTES);
  });
  afterAll(async () => {
    await world?.close();
    await proxy?.close();
  });

  const type = (line: string): Promise<Typed> =>
    typist({ PREFIXCAST_URL: world.service.url, PREFIXCAST_KEY: world.service.key })(...line.split(' '));
  const mustType = async (line: string): Promise<string> => {
    const { code, out, err } = await type(line);
    expect(code, `${line}\n${out}${err}`).toBe(0);
    return out;
  };

  /** Nothing reaches the service, and what it answers by then reaches nobody. */
  const cut = (): void => {
    proxy.target = 'http://127.0.0.1:1';
    proxy.tamper = () => {
      throw new Error('the way is cut');
    };
  };
  const join = (): void => {
    proxy.target = world.service.url;
    proxy.tamper = (_path, answer) => answer;
  };

  test('in reach: --wait ends when the router has lost the routes', async () => {
    const off = await type('speaker edit edge --enabled no --wait');
    expect(off.code, off.err).toBe(0);
    expect(await world.bird.routeCount()).toBe(0);
    expect((await type('status')).out).toContain('bird has no routes: the speaker edge is disabled');
    await mustType('speaker edit edge --enabled yes');
    await world.received(ROUTES);
    const isShown = async (): Promise<boolean> => (await mustType('session list')).includes('established');
    await waitFor(isShown, { what: 'the session to be reported' });
    const moved = await type('peer edit bird --enabled no --wait');
    expect(moved.code, moved.err).toBe(0);
    expect(await world.bird.routeCount()).toBe(0);
    await mustType('peer edit bird --enabled yes --wait');
    await world.received(ROUTES);
    await waitFor(isShown, { what: 'the session to be reported' });
  });

  test('out of reach: --wait ends with 9, and everything that shows routers names it', async () => {
    cut();
    const off = await type('speaker edit edge --enabled no --wait');
    expect(off.code, off.err).toBe(9);
    expect(off.err).toMatch(AWAY);
    await world.received(ROUTES);

    const status = await type('status');
    expect(status.code).toBe(1);
    expect(status.out).toMatch(/^ +out of reach +speaker edge: since /m);
    expect(status.out).toMatch(
      /The speaker is disabled, and the agent on \S+, last seen at \S+, has not said that its sessions have ended\. It goes on announcing what it ran, if it runs \(routes: 2 to bird\), and withdraws that when it is back\./,
    );
    expect(status.out).not.toContain('has no routes');
    expect(await mustType('session list')).toMatch(/^bird +edge +unknown, was established +2 /m);

    const why = await type('why 45.0.2.1');
    expect(why.code).toBe(1);
    expect(why.out).toMatch(
      /\n\nPeers that have routes which are announced no more:\n {2}still held \(peers bird at edge\): The speaker edge is disabled, and its node, which reported last at \S+, has not said that the session with bird has ended\. It goes on announcing 45\.0\.2\.0\/24 of revision \d+, if it runs, and withdraws that when it is back\.\n/,
    );
    expect((await type('why 45.0.3.1')).out).not.toContain('still held');
  });

  test('one that is silent by then is not waited for, nor is a peer of it', async () => {
    await mustType('speaker edit edge --enabled yes');
    const silent = async (): Promise<boolean> =>
      (await type('status')).out.includes('has not reported since ');
    await waitFor(silent, { what: 'the node to be silent' });
    const again = await type('speaker edit edge --enabled no --wait');
    expect(again).toMatchObject({ code: 9 });
    expect(again.err).toMatch(AWAY);
    expect(again.err).not.toContain('to end');

    await mustType('speaker edit edge --enabled yes');
    const peer = await type('peer edit bird --enabled no --wait');
    expect(peer.code, peer.err).toBe(9);
    expect(peer.err).toMatch(AWAY);
    expect(await mustType('session list')).toMatch(/^bird +edge +unknown, was established +2 /m);
    await world.received(ROUTES);
  });

  test('nor is a peer that is deleted forgotten', async () => {
    await mustType('peer edit bird --enabled yes');
    const gone = await type('peer delete bird --yes --wait');
    expect(gone.code, gone.err).toBe(9);
    expect(gone.err).toMatch(AWAY);
    expect(await mustType('session list')).toMatch(/^bird +edge +unknown, was established +2 /m);
    await mustType('speaker edit edge --enabled no');
    expect((await type('status')).out).toContain('(routes: 2 to bird)');
    const why = await type('why 45.0.2.1');
    expect(why.out).toMatch(
      /\n\nPeers that have routes which are announced no more:\n {2}still held \(at edge\): The speaker edge is disabled, and its node, which reported last at \S+, has not said that the session with bird, a peer that is deleted, has ended\. It may go on announcing 45\.0\.2\.0\/24 of revision \d+, if it runs, and withdraws that when it is back\.\n/,
    );
    await world.received(ROUTES);
  });

  test('back: it withdraws, and nothing is said of it any more', async () => {
    join();
    await world.received([]);
    const isOver = async (): Promise<boolean> => !(await type('status')).out.includes('out of reach');
    await waitFor(isOver, { what: 'the node to say that its sessions have ended' });
    expect(await mustType('session list')).not.toContain('bird');
    expect((await type('why 45.0.2.1')).out).not.toContain('still held');
  });
});
