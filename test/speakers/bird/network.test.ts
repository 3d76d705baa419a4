// BIRD as it runs on a router: the BGP port, neighbours on a cable, both families, BFD. Takes namespaces, and so root.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BirdDaemon } from '../../../src/speakers/bird/daemon.ts';
import { StaticDriver } from '../../../src/speakers/bird/static-driver.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { connectNetns, createNetns, requireNetns, type Netns } from '../../daemons/machine/netns.ts';
import { daemonDirectory } from '../../daemons/process.ts';
import { programPath, requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, peerModel, routesModel, speakerModel, tableOf, waitSession } from '../builtin/models.ts';

const BFD =
  'protocol bfd { interface "*" { min rx interval 100 ms; min tx interval 100 ms; multiplier 10; }; }';
const missing = requireDaemon('bird') === null || requireNetns() === null;

describe.skipIf(missing)('a speaker in the BIRD of a router', () => {
  let spaces: Netns[];
  let local: Bird;
  let remote: Bird;
  let driver: StaticDriver;
  const directory = daemonDirectory('config');

  beforeAll(async () => {
    spaces = [createNetns(), createNetns()];
    const [here, there] = spaces as [Netns, Netns];
    connectNetns([here, ['10.9.0.1/30', '2001:db8:9::1/64']], [there, ['10.9.0.2/30', '2001:db8:9::2/64']]);
    local = await startBird({
      ...{
        listen: { address: '10.9.0.1', port: 179 },
        routerId: '10.9.0.1',
        localAsn: 64_512,
        neighbors: [],
      },
      ...{ netns: here.name, extraConfig: `include "${directory}/*.conf";\n${BFD}` },
    });
    const session = (name: string, from: string, to: string, more: string): string =>
      `protocol bgp ${name} { local ${from} as 65001; neighbor ${to} as 64512; ${more}
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
        session('n1', '10.9.0.2', '10.9.0.1', 'direct; bfd; password "shared secret";'),
        session('n2', '2001:db8:9::2', '2001:db8:9::1', 'direct;'),
      ].join('\n'),
    });
    const mainConfig = join(dirname(local.socketPath), 'bird.conf');
    const options = { socket: local.socketPath, directory, program: programPath('bird'), mainConfig };
    driver = new StaticDriver(new BirdDaemon(options), 'speaker');
  });
  afterAll(async () => {
    await local?.stop();
    await remote?.stop();
    for (const space of spaces ?? []) space.remove();
    rmSync(directory, { recursive: true, force: true });
  });

  it('has sessions of both families over the cable, one of them with BFD and a password', async () => {
    const both = { families: ['ipv4', 'ipv6'], remoteAsn: 65_001, localAddress: null } as const;
    const peers = [
      peerModel({ ...both, id: 'v4', address: '10.9.0.2', bfd: true, password: 'shared secret' }),
      peerModel({ ...both, id: 'v6', address: '2001:db8:9::2' }),
    ];
    await driver.configure(speakerModel(peers, { localIpv4: '10.9.0.1', localIpv6: '2001:db8:9::1' }));
    await driver.apply(
      routesModel(tableOf({ '11.0.0.0/8': ['65000:1'], '2001:db8:b::/48': ['65000:2'] }), { noExport: true }),
      never,
    );
    for (const id of ['v4', 'v6'])
      await waitSession(driver, `session ${id}`, ({ routesExported }) => routesExported === 2, id);
    const held = async (table: string): Promise<string[]> =>
      (await remote.command(`show route all table ${table}`)).flatMap(({ text }) => {
        const [, from, nextHop] = /\[(n\d) |(?:BGP\.|bgp_)next_hop: (\S+)/.exec(text) ?? [];
        return from ?? nextHop ?? [];
      });
    await waitFor(async () => (await held('master6')).length === 4, { what: 'both routes of IPv6' });
    expect((await held('master4')).sort()).toEqual(['10.9.0.1', '10.9.0.1', 'n1', 'n2']);
    expect((await held('master6')).sort()).toEqual(['2001:db8:9::1', '2001:db8:9::1', 'n1', 'n2']);
    await waitFor(
      async () =>
        (await local.command('show bfd sessions')).some(({ text }) => /10\.9\.0\.2 .*Up/.test(text)),
      { what: 'BFD' },
    );
  });

  it('loses the session with BFD at once when the cable is cut, and has it back with it', async () => {
    const [here] = spaces as [Netns];
    const cable = /(v\d+a)@/.exec(here.ip('link', 'show'))![1]!;
    const { state } = await waitSession(driver, 'the session', (one) => one.state === 'established', 'v4');
    expect(state).toBe('established');
    // The other end answers no more; the link stays up, so that only BFD can tell before the hold time.
    const [, there] = spaces as [Netns, Netns];
    const far = /(v\d+b)@/.exec(there.ip('link', 'show'))![1]!;
    there.ip('address', 'del', '10.9.0.2/30', 'dev', far);
    const down = await waitSession(driver, 'BFD to tell', (one) => one.state !== 'established', 'v4');
    expect(down).toMatchObject({ routesExported: 0, lastError: expect.stringContaining('BFD') as string });
    there.ip('address', 'add', '10.9.0.2/30', 'dev', far);
    await waitSession(driver, 'the session again', (one) => one.routesExported === 2, 'v4');
    expect(here.ip('link', 'show', cable)).toContain('UP');
  });
});
