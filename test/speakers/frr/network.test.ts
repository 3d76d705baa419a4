// FRR as it runs on a router: with zebra and the kernel behind it, the BGP port, a neighbour on a cable. Takes namespaces, and so root.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FrrOptions } from '../../../src/speakers/frr/daemon.ts';
import { startBird, type Bird } from '../../daemons/bird.ts';
import { startFrr, type Frr } from '../../daemons/frr.ts';
import { connectNetns, createNetns, requireNetns, type Netns } from '../../daemons/netns.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath, requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startZebra, type Zebra } from '../../daemons/zebra.ts';
import { peerModel, speakerModel } from '../builtin/models.ts';

const missing =
  requireDaemon('frr-bgpd') === null ||
  requireDaemon('zebra') === null ||
  requireDaemon('libnss_wrapper.so') === null ||
  requireNetns() === null;

describe.skipIf(missing)('a speaker in the FRR of a router', () => {
  let spaces: Netns[];
  let zebra: Zebra;
  let local: Frr;
  let remote: Bird;
  let service: ChildProcess;

  beforeAll(async () => {
    spaces = [createNetns(), createNetns()];
    const [here, there] = spaces as [Netns, Netns];
    connectNetns([here, ['10.9.0.1/30', '2001:db8:9::1/64']], [there, ['10.9.0.2/30', '2001:db8:9::2/64']]);
    zebra = await startZebra(daemonDirectory('zebra'), here.name);
    local = await startFrr({
      ...{ listen: { address: '10.9.0.1', port: 179 }, routerId: '10.9.0.1', localAsn: 64_512 },
      ...{ neighbors: [], netns: here.name, zebra: zebra.socketPath },
    });
    const session = (name: string, from: string, to: string, more: string): string =>
      `protocol bgp ${name} { local ${from} as 65001; neighbor ${to} as 64512; direct; ${more}
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
        session('n1', '10.9.0.2', '10.9.0.1', 'password "shared-secret";'),
        session('n2', '2001:db8:9::2', '2001:db8:9::1', ''),
      ].join('\n'),
    });
    const peer = { families: ['ipv4', 'ipv6'] as const };
    const model = speakerModel(
      [
        peerModel({ ...peer, address: '10.9.0.2', localAddress: '10.9.0.1', password: 'shared-secret' }),
        peerModel({ ...peer, address: '2001:db8:9::2', localAddress: '2001:db8:9::1' }),
      ],
      { localIpv4: '10.9.0.1', localIpv6: '2001:db8:9::1' },
    );
    const feed = { address: '127.0.0.1', port: 1790 };
    const options: FrrOptions = { directory: local.directory, program: programPath('vtysh'), feed };
    const prefixes = { '11.0.0.0/8': ['65000:1', 'blackhole'], '2001:db8:1::/48': ['65000:2'] };
    const program = fileURLToPath(new URL('./fed-child.ts', import.meta.url));
    const work = JSON.stringify({ options, model, prefixes });
    const line = ['netns', 'exec', here.name, process.execPath, program, work];
    service = spawn(programPath('ip'), line, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(service.stdout!, 'data');
  }, 120_000);
  afterAll(async () => {
    service?.kill('SIGKILL');
    await remote?.stop();
    await local?.stop();
    await zebra?.stop();
    for (const space of spaces ?? []) space.remove();
  });

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
});
