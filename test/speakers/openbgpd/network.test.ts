// OpenBGPD as it runs on a router: neighbours on a cable, both families, a password. Takes namespaces, and so root.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProvisionalDriver } from '../../../src/speakers/provisional.ts';
import { startBird, type Bird } from '../../daemons/bird/bird.ts';
import { connectNetns, createNetns, requireNetns, type Netns } from '../../daemons/machine/netns.ts';
import { requireOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { never, peerModel, routesModel, speakerModel, tableOf, waitSession } from '../builtin/models.ts';
import { startWorld, type World } from './world.ts';

const missing = requireDaemon('bird') === null || requireOpenbgpd() === null || requireNetns() === null;

describe.skipIf(missing)('a speaker in the OpenBGPD of a router', () => {
  let spaces: Netns[];
  let world: World;
  let remote: Bird;
  let driver: ProvisionalDriver;

  beforeAll(async () => {
    spaces = [createNetns(), createNetns()];
    const [here, there] = spaces as [Netns, Netns];
    connectNetns([here, ['10.9.0.1/30', '2001:db8:9::1/64']], [there, ['10.9.0.2/30', '2001:db8:9::2/64']]);
    world = await startWorld('listen on 2001:db8:9::1', {
      listen: { address: '10.9.0.1', port: 179 },
      netns: here.name,
    });
    const session = (name: string, from: string, to: string, more: string): string =>
      `protocol bgp ${name} { local ${from} as 65001; neighbor ${to} as 64512; ${more}
        connect delay time 0; connect retry time 1; error wait time 1, 2;
        ipv4 { import all; export none; }; ipv6 { import all; export none; }; }`;
    remote = await startBird({
      listen: { address: '10.9.0.2', port: 179 },
      routerId: '10.9.0.2',
      localAsn: 65_001,
      neighbors: [],
      netns: there.name,
      extraConfig: [
        session('n1', '10.9.0.2', '10.9.0.1', 'direct; password "shared secret";'),
        session('n2', '2001:db8:9::2', '2001:db8:9::1', 'direct;'),
      ].join('\n'),
    });
    driver = world.driver();
  });
  afterAll(async () => {
    await remote?.stop();
    await world?.stop();
    for (const space of spaces ?? []) space.remove();
  });

  it('has sessions of both families over the cable, one of them with a password', async () => {
    const both = { families: ['ipv4', 'ipv6'], remoteAsn: 65_001, localAddress: null } as const;
    await driver.configure(
      speakerModel([
        peerModel({ ...both, id: 'v4', address: '10.9.0.2', password: 'another' }),
        peerModel({ ...both, id: 'v6', address: '2001:db8:9::2' }),
      ]),
    );
    const table = tableOf({ '11.0.0.0/8': ['65000:1'], '2600::/32': ['65000:1'] });
    await driver.apply(routesModel(table), never);
    const isUp = ({ routesExported }: { routesExported: number }): boolean => routesExported > 0;
    await waitSession(driver, 'the session over IPv6', isUp, 'v6');
    // With the right password the other comes up as well.
    await driver.configure(
      speakerModel([
        peerModel({ ...both, id: 'v4', address: '10.9.0.2', password: 'shared secret' }),
        peerModel({ ...both, id: 'v6', address: '2001:db8:9::2' }),
      ]),
    );
    await waitSession(driver, 'the session with a password', isUp, 'v4');
    await waitFor(async () => (await remote.command('show route all')).length > 0, { what: 'routes' });
    const shown = (await remote.command('show route all')).map(({ text }) => text).join('\n');
    expect(shown).toMatch(/11\.0\.0\.0\/8.*\[n1/);
    expect(shown).toContain('BGP.next_hop: 10.9.0.1');
    expect(shown).toMatch(/BGP\.next_hop: 2001:db8:9::1/);
  });
});
