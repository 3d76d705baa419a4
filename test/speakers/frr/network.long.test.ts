// FRR as it runs on a router: with zebra, bfdd and the kernel behind it, the BGP port, a neighbour on a cable. Takes namespaces, and so root.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FrrOptions } from '../../../src/speakers/frr/daemon.ts';
import type { SessionStatus, SpeakerStatus } from '../../../src/speakers/speaker.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { startFrr, type Frr } from '../../daemons/frr/frr.ts';
import { connectNetns, createNetns, requireNetns, type Netns } from '../../daemons/machine/netns.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath, requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startBfdd, startZebra, type FrrCompanion, type Zebra } from '../../daemons/frr/zebra.ts';
import { peerModel, sessionOf, speakerModel, waitSession } from '../builtin/models.ts';

/** Slow enough for a busy machine, and far from the hold time of the sessions. */
const BFD = 'protocol bfd { interface "*" { min rx interval 1 s; min tx interval 1 s; multiplier 4; }; }';
const HOLD_TIME = 240;

const missing =
  requireDaemon('frr-bgpd') === null ||
  requireDaemon('zebra') === null ||
  requireDaemon('bfdd') === null ||
  requireDaemon('libnss_wrapper.so') === null ||
  requireNetns() === null;

describe.skipIf(missing)('a speaker in the FRR of a router', () => {
  let spaces: Netns[];
  let zebra: Zebra;
  let bfdd: FrrCompanion;
  let local: Frr;
  let remote: Bird;
  let service: ChildProcess;
  let lines: AsyncIterator<string>;

  beforeAll(async () => {
    spaces = [createNetns(), createNetns()];
    const [here, there] = spaces as [Netns, Netns];
    connectNetns([here, ['10.9.0.1/30', '2001:db8:9::1/64']], [there, ['10.9.0.2/30', '2001:db8:9::2/64']]);
    zebra = await startZebra(daemonDirectory('zebra'), here.name);
    local = await startFrr({
      ...{ listen: { address: '10.9.0.1', port: 179 }, routerId: '10.9.0.1', localAsn: 64_512 },
      ...{ neighbors: [], netns: here.name, zebra: zebra.socketPath },
    });
    bfdd = await startBfdd(local.directory, here.name, zebra);
    const session = (name: string, from: string, to: string, more: string): string =>
      `protocol bgp ${name} { local ${from} as 65001; neighbor ${to} as 64512; direct; hold time ${HOLD_TIME}; ${more}
        connect delay time 0; connect retry time 1; error wait time 1, 2;
        ipv4 { import all; export none; }; ipv6 { import all; export none; }; }`;
    remote = await startBird({
      ...{
        listen: { address: '10.9.0.2', port: 179 },
        routerId: '10.9.0.2',
        localAsn: 65_001,
        neighbors: [],
      },
      netns: there.name,
      extraConfig: [
        BFD,
        session('n1', '10.9.0.2', '10.9.0.1', 'password "shared-secret"; bfd;'),
        session('n2', '2001:db8:9::2', '2001:db8:9::1', ''),
      ].join('\n'),
    });
    const peer = { families: ['ipv4', 'ipv6'] as const, holdTime: HOLD_TIME };
    const v4 = { address: '10.9.0.2', localAddress: '10.9.0.1', password: 'shared-secret', bfd: true };
    const v6 = { address: '2001:db8:9::2', localAddress: '2001:db8:9::1' };
    const model = speakerModel(
      [peerModel({ ...peer, ...v4, id: 'v4' }), peerModel({ ...peer, ...v6, id: 'v6' })],
      { localIpv4: '10.9.0.1', localIpv6: '2001:db8:9::1' },
    );
    const feed = { address: '127.0.0.1', port: 1790 };
    const options: FrrOptions = { directory: local.directory, program: programPath('vtysh'), feed };
    const prefixes = { '11.0.0.0/8': ['65000:1', 'blackhole'], '2001:db8:1::/48': ['65000:2'] };
    const program = fileURLToPath(new URL('./fed-child.ts', import.meta.url));
    const work = JSON.stringify({ options, model, prefixes });
    const line = ['netns', 'exec', here.name, process.execPath, program, work];
    service = spawn(programPath('ip'), line, { stdio: ['pipe', 'pipe', 'inherit'] });
    lines = createInterface({ input: service.stdout! })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('applied');
  });
  afterAll(async () => {
    service?.kill('SIGKILL');
    await remote?.stop();
    await bfdd?.stop();
    await local?.stop();
    await zebra?.stop();
    for (const space of spaces ?? []) space.remove();
  });

  /** The driver of the speaker, which is in the namespace too. */
  const driver = {
    async status(): Promise<SpeakerStatus> {
      service.stdin!.write('\n');
      return JSON.parse((await lines.next()).value as string) as SpeakerStatus;
    },
  };

  it('announces over IPv4 with a password and over IPv6, from the BGP port of its own addresses', async () => {
    for (const [name, from] of [
      ['n1', '10.9.0.1'],
      ['n2', '2001:db8:9::1'],
    ] as const)
      await waitFor(
        async () => {
          const { state, channels } = await remote.session(name);
          return state === 'established' && channels.ipv4?.imported === 1 && channels.ipv6?.imported === 1;
        },
        { what: `both routes from ${from}` },
      );
    const lines = (await remote.command('show route all 11.0.0.0/8 protocol n1')).map(({ text }) =>
      text.trim(),
    );
    expect(lines).toEqual(expect.arrayContaining(['BGP.next_hop: 10.9.0.1', 'BGP.as_path: 64512']));
    expect(lines).toContain('BGP.community: (65000,1) (65535,666)');
  });

  it('keeps its routes from the kernel, and from FRR’s own table', async () => {
    const [here] = spaces as [Netns];
    expect(here.ip('route') + here.ip('-6', 'route')).not.toMatch(/11\.0\.0\.0|2001:db8:1:|proto bgp/);
    expect(await zebra.command('show ip route')).not.toContain('11.0.0.0');
    expect(await local.command('show bgp ipv4 unicast')).not.toContain('11.0.0.0');
  });

  it('loses the session with BFD long before its hold time when the peer is cut off, and has it back', async () => {
    const [, there] = spaces as [Netns, Netns];
    const isUp = async (): Promise<boolean> =>
      (await remote.command('show bfd sessions')).some(({ text }) => /10\.9\.0\.1 .*Up/.test(text));
    await waitFor(isUp, { what: 'BFD at both ends', details: () => remote.log() });
    await waitSession(driver, 'it to be reported', ({ lastError }) => lastError === null, 'v4');
    // The other end answers no more; the link stays up, so that only BFD can tell before the hold time.
    const far = /(v\d+b)@/.exec(there.ip('link', 'show'))![1]!;
    there.ip('address', 'del', '10.9.0.2/30', 'dev', far);
    const down = await waitSession(driver, 'BFD to end it', ({ state }) => state !== 'established', 'v4');
    expect(down.routesExported).toBe(0);
    expect(down.lastError).toMatch(/BFD down/i);
    expect(await sessionOf(driver, 'v6')).toMatchObject({ state: 'established', routesExported: 2 });
    there.ip('address', 'add', '10.9.0.2/30', 'dev', far);
    // Why the last session ended stays reported, unless BFD is not up again.
    const isBack = (one: SessionStatus): boolean =>
      one.routesExported === 2 && one.lastError === down.lastError;
    await waitSession(driver, 'the session to be back, and watched', isBack, 'v4');
  });

  it('says that nothing watches the session when FRR’s bfdd has ended', async () => {
    bfdd.kill('SIGKILL');
    const isUnwatched = ({ lastError }: SessionStatus): boolean =>
      lastError?.startsWith('nothing watches the session') === true;
    const reported = await waitSession(driver, 'it to be reported', isUnwatched, 'v4');
    expect(reported).toMatchObject({ state: 'established', routesExported: 2 });
  });
});
