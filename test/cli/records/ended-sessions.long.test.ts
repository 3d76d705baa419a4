/** A change of settings ends sessions: it is said before, asked about at a terminal, and waited for. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../daemons/machine/ports.ts';
import { waitFor } from '../../daemons/wait.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { PEER_ASN, SPEAKER_ASN } from '../../e2e/casting.ts';
import { useDesk } from '../desk/desk.ts';

describe.skipIf(requireDaemon('bird') === null)('a router whose session would end', () => {
  const desk = useDesk();
  const { type, mustType, typeAtTerminal } = desk;
  let bird: Bird;

  beforeAll(async () => {
    bird = await desk.casting.addBird();
    await mustType('community create 64500:666 --title Drop');
    await mustType('module create hosts --type IP_RANGES --community Drop');
    await mustType('entry add hosts 6.0.0.1/32 6.0.0.3/32 6.0.0.5/32 --wait');
    await bird.waitRoutes(3);
  });

  test.each([
    ['peer edit bird1 --address 127.9.9.9', 'replaced'],
    ['peer edit bird1 --asn 64497', 'replaced'],
    ['speaker edit builtin --asn 64999', 'replaced'],
    ['peer edit bird1 --hold-time 30', 'restarted'],
    ['settings set bgp_source_ipv4 127.0.0.1', 'replaced'],
    ['settings set bgp_restart_time 60', 'restarted'],
  ])('a dry run of %s says that it is %s', async (line, change) => {
    const what =
      change === 'replaced'
        ? ', but its session ends, and its routes leave it until another is up'
        : ', and its session begins again';
    expect(await mustType(`${line} --dry-run`)).toBe(
      `Routes: 0 announced, 0 withdrawn, 0 changed\nbird1 at builtin: 3 routes now, 3 then${what}\nNothing has changed: dry run\n`,
    );
  });

  test('a slip of one setting of a speaker is not done before a yes', async () => {
    const { code, text } = await typeAtTerminal('n', 'speaker edit builtin --asn 64999');
    expect(text).toContain(
      'This ends the session with 1 peer, and its routes leave until another is up: bird1',
    );
    expect(code).toBe(1);
    await mustType('peer edit bird1 --description Upstairs');
    await bird.waitRoutes(3);
  });

  test('nor is a setting of all speakers', async () => {
    const { code, text } = await typeAtTerminal('n', 'settings set bgp_source_ipv4 127.0.0.1');
    expect(text).toContain(
      'This ends the session with 1 peer, and its routes leave until another is up: bird1',
    );
    expect(text).toContain('Change bgp_source_ipv4?');
    expect(code).toBe(1);
    expect(await mustType('settings get bgp_source_ipv4 -o csv')).toMatch(/^bgp_source_ipv4,null,null,/m);

    const ended = await type('settings set bgp_source_ipv4 127.0.0.1 --wait');
    expect(ended, ended.err).toMatchObject({ code: 0 });
    expect(ended.err).toContain('This ends the session with 1 peer');
    expect(ended.err).toContain('Waiting for 1 session');
    expect(await bird.routeCount()).toBe(3);
    const restarted = await type('settings set bgp_restart_time 60 --wait');
    expect(restarted, restarted.err).toMatchObject({ code: 0 });
    expect(restarted.err).not.toContain('This ends');
    expect(await bird.routeCount()).toBe(3);
    await mustType('settings unset bgp_source_ipv4 --wait');
    await mustType('settings unset bgp_restart_time --wait');
    expect(await bird.routeCount()).toBe(3);
  });

  test('--wait waits until the router has its routes again, and says where it has not', async () => {
    const again = await type('peer edit bird1 --hold-time 30 --wait');
    expect(again).toMatchObject({ code: 0 });
    expect(again.err).not.toContain('This ends');
    expect(await bird.routeCount()).toBe(3);

    const { address } = JSON.parse(await mustType('peer get bird1 -o json')) as { address: string };
    const elsewhere = loopbackAddress();
    const moved = await type(`peer edit bird1 --address ${elsewhere} --wait --timeout 20`);
    expect(moved.code, moved.err).toBe(9);
    expect(moved.err).toContain('This ends the session with 1 peer');
    expect(moved.err).toMatch(
      /^bird1 at builtin has no session since then, and no routes from us: cannot connect to .* connection refused/m,
    );
    expect(moved.err).not.toContain('receives it when it is back');
    await bird.waitRoutes(0);

    expect(await type(`peer edit bird1 --address ${address} --wait`)).toMatchObject({ code: 0 });
    await mustType('peer edit bird1 --enabled no --wait');
    expect(await bird.routeCount()).toBe(0);
    expect(await type('peer edit bird1 --enabled yes --wait')).toMatchObject({ code: 0 });
    expect(await bird.routeCount()).toBe(3);
  });

  test('a router that closes each connection is no success, be there routes for it or not', async () => {
    const address = loopbackAddress();
    const port = await freePort(address);
    const refusing = createServer((socket) => socket.destroy()).listen(port, address);
    await once(refusing, 'listening');
    const lacks = 'refusing at builtin has no session yet, and no routes from us: the peer ';
    const create = `peer create refusing --address ${address} --port ${port} --asn ${PEER_ASN} --multihop 5`;
    const made = await type(`${create} --families ipv6 --wait --timeout 12`);
    expect(made).toMatchObject({ code: 9, out: 'peer refusing created\n' });
    expect(made.err).toContain(lacks);
    const edited = await type('peer edit refusing --hold-time 30 --wait --timeout 12');
    expect(edited).toMatchObject({ code: 9, out: 'peer refusing changed\n' });
    expect(edited.err).toContain(lacks);
    expect(edited.err).not.toContain('receives it when it is back');
    // Its session would not begin again by this, and a router that refuses next hops is down until it gets others.
    const sentElsewhere = await type('peer edit refusing --next-hop-ipv6 fd00::1 --wait --timeout 12');
    expect(sentElsewhere, sentElsewhere.err).toMatchObject({ code: 9, out: 'peer refusing changed\n' });
    expect(sentElsewhere.err).toContain(lacks);
    expect(sentElsewhere.err).not.toContain('receives it when it is back');
    expect(await type('peer edit refusing --rename refuser --wait')).toMatchObject({ code: 0 });
    expect(await type('peer edit refuser --rename refusing --wait')).toMatchObject({ code: 0 });
    // What is of others does not fail by it.
    expect(await type('peer edit bird1 --hold-time 30 --wait')).toMatchObject({ code: 0 });
    await mustType('peer delete refusing --yes');
    refusing.close();
  });

  test('a speaker that is corrected is waited for, although its sessions were down', async () => {
    const slip = await type('speaker edit builtin --asn 64999 --wait --timeout 12');
    expect(slip.code, slip.err).toBe(9);
    await bird.waitRoutes(0);
    const mended = await type(`speaker edit builtin --asn ${SPEAKER_ASN} --wait`);
    // BIRD may wait after an error of ours for longer than a command does: it is never 0 without routes.
    expect(mended.err).toContain('Waiting for 1 session');
    expect({ code: mended.code, routes: await bird.routeCount() }).toEqual(
      mended.code === 0 ? { code: 0, routes: 3 } : { code: 9, routes: 0 },
    );
    if (mended.code === 9) expect(mended.err).toContain('bird1 at builtin has no session yet');
    await bird.waitRoutes(3);
  });

  test('a freeze stops no session from ending, and no command says so', async () => {
    await mustType('freeze');
    const off = await type('peer edit bird1 --enabled no --wait');
    expect(off.code, off.err).toBe(0);
    expect(off.err).toContain('This withdraws 3 routes at 1 peer: bird1');
    expect(off.err).not.toContain('nothing is applied');
    await bird.waitRoutes(0);
    const on = await type('peer edit bird1 --enabled yes --wait');
    expect(on.code, on.err).toBe(0);
    expect(await bird.routeCount()).toBe(3);
    await mustType('unfreeze --wait');
  });

  test('in a freeze, an edit of what a peer may have says that no session has changed', async () => {
    await mustType('peer edit bird1 --max-prefixes 100 --wait');
    await mustType('freeze');
    const lowered = await type('peer edit bird1 --max-prefixes 2 --wait');
    expect(lowered.err).toMatch(/^The freeze stops applies, and no session has changed by this\. /m);
    expect(lowered.err).not.toContain('sessions have changed');
    expect(lowered.code, lowered.err).toBe(0);
    await mustType('peer edit bird1 --max-prefixes 100 --wait');
    await mustType('unfreeze --wait');
    await bird.waitRoutes(3);
  });

  test('a move to another speaker ends the session with the one before, which is said, and waited for', async () => {
    await mustType(`speaker create second --daemon builtin --asn ${SPEAKER_ASN} --yes`);
    await mustType('peer edit bird1 --speaker builtin --wait');
    await mustType('revision apply latest --wait');
    const ends = 'This ends the session with 1 peer, and its routes leave until another is up: bird1\n';
    const dry = await type('peer edit bird1 --speaker second --dry-run');
    expect(dry.out).toContain('bird1 at builtin: 3 routes now, 0 then');
    expect(dry.out).toContain('bird1 at second: 0 routes now, 3 then');
    const moved = await type('peer edit bird1 --speaker second --wait');
    expect(moved.code, moved.err).toBe(0);
    expect(moved.err).toContain(ends);
    expect(moved.err).toContain('Waiting for 1 session\n');
    expect(await bird.routeCount()).toBe(3);
    const asked = await typeAtTerminal('n', 'peer edit bird1 --speaker builtin');
    expect(asked.text).toContain('This ends the session with 1 peer');
    expect(asked.code).toBe(1);
    await mustType('peer edit bird1 --speaker builtin --wait');
    await mustType('speaker delete second --yes');
    await mustType('peer edit bird1 --speaker all --wait');
    expect(await bird.routeCount()).toBe(3);
  });

  test('a router that another speaker takes over is waited for, and one that loses nothing is not called without routes', async () => {
    await mustType(`speaker create second --daemon builtin --asn ${SPEAKER_ASN} --yes`);
    await mustType('revision apply latest --wait');
    const of = async (speaker: string): Promise<string> =>
      (await mustType('session list -o csv')).split('\n').find((row) => row.includes(`,${speaker},`)) ?? '';
    await waitFor(async () => (await of('second')).includes('has the session with it'), {
      what: 'the second to wait for the first',
    });
    const narrowed = await type('peer edit bird1 --speaker builtin --wait');
    expect(narrowed.code, narrowed.err).toBe(0);
    expect(narrowed.err).not.toContain('This withdraws');
    expect(await bird.routeCount()).toBe(3);
    await mustType('peer edit bird1 --speaker all');
    await waitFor(async () => (await of('second')).includes('has the session with it'), {
      what: 'the second to wait again',
    });
    const off = await type('speaker edit builtin --enabled no --wait');
    expect(off.code, off.err).toBe(0);
    expect(await bird.routeCount()).toBe(3);
    expect(await of('second')).toContain('established');
    await mustType('speaker edit builtin --enabled yes');
    await mustType('speaker edit second --enabled no --wait');
    expect(await bird.routeCount()).toBe(3);

    // The router refuses the one that is to take it over.
    await mustType('speaker edit second --enabled yes --asn 64999');
    await waitFor(async () => (await of('second')).includes('has the session with it'), {
      what: 'the second to wait once more',
    });
    const lost = await type('speaker edit builtin --enabled no --wait --timeout 12');
    expect(lost.code, lost.err).toBe(9);
    expect(lost.err).toContain('bird1 has no routes from us now: second has no session with it yet.');
    await mustType('speaker delete second --yes');
    await mustType('speaker edit builtin --enabled yes');
    await bird.waitRoutes(3);
  });

  test('peer create --wait ends when the router has its routes, or says that it has none', async () => {
    const { bird: second, address } = await desk.casting.startBird();
    const create = `peer create bird2 --address ${address} --port ${second.port} --asn ${PEER_ASN}`;
    const made = await type(`${create} --wait`);
    expect(made.code, made.err).toBe(0);
    expect(await second.routeCount()).toBe(3);

    const nowhere = loopbackAddress();
    const port = await freePort(nowhere);
    const absent = await type(
      `peer create bird3 --address ${nowhere} --port ${port} --asn 64496 --wait --timeout 10`,
    );
    expect(absent).toMatchObject({ code: 9, out: 'peer bird3 created\n' });
    expect(absent.err).toContain('bird3 at builtin has no session yet, and no routes from us: ');
  });

  test('a router without a session has none that ends, and no routes that it would lose', async () => {
    const dry = await mustType('peer edit bird3 --asn 64497 --dry-run');
    expect(dry).toMatch(/^bird3 at builtin: no session now \(\w+\), 3 then$/m);
    const { code, err } = await type('peer edit bird3 --asn 64497');
    expect(code, err).toBe(0);
    expect(err).not.toContain('This ends the session');
    const asked = await typeAtTerminal('n', 'peer delete bird3');
    expect(asked.text).toContain(
      'No router loses routes now; 1 peer that has no session would get 3 routes fewer: bird3',
    );
    expect(asked.code).toBe(1);
  });

  test('a speaker that is deleted takes all routes along: a script reads it, and status says who has none', async () => {
    const { code, err } = await type('speaker delete builtin');
    expect(code, err).toBe(0);
    expect(err).toContain('This withdraws 3 routes at 3 peers: ');
    await bird.waitRoutes(0);
    const status = await type('status');
    expect(status.code, status.out).toBe(1);
    expect(status.out).toMatch(
      /^ {2}no speaker +bird1, bird2, bird3 have no routes.*there is no speaker\n +→ prefixcast speaker create NAME --asn ASN$/m,
    );
  });
});
