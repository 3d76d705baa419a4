/** The daemons of the network that network.ts lays: four routers, and those that are on the hosts before an agent is. */
import { mkdir } from 'node:fs/promises';
import { type Bird, startBird } from '../../daemons/bird/bird.ts';
import type { Daemon, DaemonOptions } from '../../daemons/daemon.ts';
import { type Frr, startFrr } from '../../daemons/frr/frr.ts';
import { startGobgp } from '../../daemons/gobgp/gobgp.ts';
import { startOpenbgpd } from '../../daemons/openbgpd/openbgpd.ts';

export const SPEAKER_ASN = 64_512;
const OPERATOR_ASN = 65_530;
/** Above 1023, since some daemons run as an ordinary user. */
export const BGP_PORT = 1790;

export type Host = 'builtin' | 'bird' | 'frr';
export const HOSTS: Readonly<Record<Host, string>> = {
  builtin: '10.77.0.11',
  bird: '10.77.0.12',
  frr: '10.77.0.13',
};
export const HOST_NAMES = Object.keys(HOSTS) as readonly Host[];

/** Lays a cable to a new namespace, and answers its name. */
export type Attach = (name: string, address: string) => string;

export async function startRouters(attach: Attach): Promise<Record<string, Daemon>> {
  const options = (index: number, name: string): DaemonOptions => {
    const address = `10.77.0.${21 + index}`;
    return {
      ...{ listen: { address, port: BGP_PORT }, routerId: address, localAsn: 64_601 + index },
      netns: attach(name, address),
      neighbors: Object.values(HOSTS).map((host) => ({
        ...{ address: host, port: BGP_PORT, asn: SPEAKER_ASN },
        ...{ passive: true, holdTime: 9, gracefulRestart: true },
      })),
    };
  };
  return {
    'peer-bird': await startBird(options(0, 'peer-bird')),
    'peer-frr': await startFrr(options(1, 'peer-frr')),
    'peer-gobgp': await startGobgp(options(2, 'peer-gobgp')),
    'peer-openbgpd': await startOpenbgpd(options(3, 'peer-openbgpd')),
  };
}

export async function startLocalBird(
  netns: string,
  configDir: string,
  env: NodeJS.ProcessEnv,
): Promise<Bird> {
  await mkdir(configDir, { mode: 0o755 });
  return startBird({
    ...{ listen: { address: HOSTS.bird, port: BGP_PORT }, routerId: HOSTS.bird, localAsn: SPEAKER_ASN },
    ...{ neighbors: [], netns, env, recordUpdates: false },
    extraConfig: `include "${configDir}/*.conf";`,
  });
}

/** With an instance of its operator's, without which it would not be safe. */
export function startLocalFrr(netns: string): Promise<Frr> {
  return startFrr({
    ...{ listen: { address: HOSTS.frr, port: BGP_PORT }, routerId: HOSTS.frr, localAsn: OPERATOR_ASN },
    ...{ neighbors: [], netns },
  });
}
