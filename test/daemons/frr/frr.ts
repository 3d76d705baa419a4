import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { named, numericCommunity, sortCommunities, sortRoutes } from '../daemon.ts';
import type { Daemon, Family, Route, Session } from '../daemon.ts';
import { renderFrrConfig, type FrrDaemonOptions } from './frr-config.ts';
import { askFrr } from './frr-socket.ts';
import { daemonDirectory, pauseProcess, readText, spawnDaemon, tail } from '../process.ts';
import type { DaemonProcess } from '../process.ts';
import { programPath } from '../programs.ts';
import { waitFor } from '../wait.ts';
import { waitForDaemon } from '../wait-for-daemon.ts';

export interface Frr extends Daemon {
  /** Where its sockets are. */
  readonly directory: string;
  /** Kills it, and starts it anew in the same place with the configuration that it had at first. */
  restart(): Promise<void>;
  /** Any command of `vtysh`, in its enable node. Rejects with FRR's words on an error. */
  command(text: string): Promise<string>;
}

/** Starts FRR's bgpd alone, as an unprivileged child, and returns once it answers on its vty socket. */
export async function startFrr(options: FrrDaemonOptions): Promise<Frr> {
  const program = programPath('frr-bgpd');
  const directory = daemonDirectory('frr');
  const file = (name: string): string => join(directory, name);
  const neighbors = named(options.neighbors);
  const { address, port } = options.listen;

  writeFileSync(file('bgpd.conf'), renderFrrConfig(options, directory));
  const spawn = (): DaemonProcess =>
    spawnDaemon(
      program,
      // No user of its own (-S), no telnet (-P 0), no zebra (-Z), no kernel routes (-n).
      [
        ...['-S', '-P', '0', '-f', file('bgpd.conf'), '-i', file('pid')],
        ...(options.zebra === undefined ? ['-Z', '-n'] : ['-z', options.zebra]),
        ...['--vty_socket', directory, '-l', address, '-p', String(port)],
      ],
      { directory, netns: options.netns, unprivileged: options.zebra === undefined },
    );
  let child = spawn();
  const log = (): string => child.log() + readText(file('frr.log'));
  const command = (text: string): Promise<string> => askFrr(file('bgpd.vty'), text);
  const untilAnswers = async (): Promise<void> => {
    const answers = (): Promise<boolean> => command('show version').then(() => true);
    await waitFor(() => child.exited || answers(), { what: 'FRR to start', details: () => tail(log()) });
  };
  try {
    await untilAnswers();
    // FRR skips a line it does not know, and says so only here.
    if (child.exited || /unknown command|failed to read/i.test(child.log())) {
      throw new Error(`FRR did not take its configuration:\n${tail(log())}`);
    }
  } catch (error) {
    await child.stop();
    throw error;
  }

  const addressOf = (name: string): string => {
    const neighbor = neighbors.find((candidate) => candidate.name === name);
    if (neighbor === undefined) throw new Error(`FRR has no neighbor ${name}`);
    return neighbor.address;
  };
  const session = async (name = neighbors[0]!.name): Promise<Session> => {
    const answer = JSON.parse(await command(`show bgp neighbors ${addressOf(name)} json`)) as NeighborAnswer;
    const { bgpState = 'idle', lastNotificationReason } = answer[addressOf(name)] ?? {};
    const lastError = lastNotificationReason === undefined ? {} : { lastError: lastNotificationReason };
    return { state: bgpState.toLowerCase(), ...lastError };
  };
  const routeCount = async (name?: string): Promise<number> => {
    const summary = JSON.parse(await command('show bgp summary json')) as SummaryAnswer;
    const peers = Object.values(summary).flatMap((family) => Object.entries(family.peers ?? {}));
    const wanted = peers.filter(([peer]) => name === undefined || peer === addressOf(name));
    return wanted.reduce((sum, [, { pfxRcd = 0 }]) => sum + pfxRcd, 0);
  };

  return {
    ...{ name: 'frr', directory },
    address,
    port,
    localAsn: options.localAsn,
    get pid() {
      return child.pid;
    },
    command,
    session,
    routeCount,
    async routes(name) {
      const found: Route[] = [];
      for (const family of ['ipv4', 'ipv6'] as const) {
        const answer = await command(`show bgp ${family} unicast json detail`);
        for (const route of parseRoutes(answer, family, name && addressOf(name))) found.push(route);
      }
      return sortRoutes(found);
    },
    log,
    ...waitForDaemon({ daemon: 'FRR', session, routeCount, log, getNeighbors: () => neighbors }),
    async restart() {
      child.kill('SIGKILL');
      await waitFor(() => child.exited, { what: 'FRR to end' });
      child = spawn();
      await untilAnswers();
    },
    kill: (signal) => {
      child.kill(signal);
    },
    pause: () => pauseProcess(child.pid),
    resume: () => {
      child.kill('SIGCONT');
    },
    stop: () => child.stop(),
  };
}

type NeighborAnswer = Record<string, { bgpState?: string; lastNotificationReason?: string }>;
type SummaryAnswer = Record<string, { peers?: Record<string, { pfxRcd?: number }> }>;

/** One path of `show bgp … json detail`; what this daemon originates itself is `local`. */
interface PathAnswer {
  local?: boolean;
  stale?: boolean;
  aspath?: { string: string };
  community?: { string: string };
  largeCommunity?: { string: string };
  nexthops?: { ip: string; scope?: string }[];
  peer?: { peerId: string };
}

function parseRoutes(answer: string, family: Family, peer: string | undefined): Route[] {
  const { routes = {} } = JSON.parse(answer) as { routes?: Record<string, PathAnswer[]> };
  return Object.entries(routes).flatMap(([prefix, paths]) =>
    paths
      .filter((path) => path.aspath !== undefined && !path.local)
      .filter((path) => peer === undefined || path.peer?.peerId === peer)
      .map((path) => toRoute(prefix, path, family)),
  );
}

function toRoute(prefix: string, path: PathAnswer, family: Family): Route {
  const nextHops = path.nexthops ?? [];
  const nextHop = family === 'ipv4' ? nextHops[0] : nextHops.find(({ scope }) => scope === 'global');
  const asPath = path.aspath!.string;
  const words = (text = ''): string[] => text.split(' ').filter((word) => word !== '');
  return {
    prefix,
    nextHop: nextHop?.ip ?? '',
    asPath: asPath === 'Local' ? '' : asPath,
    communities: sortCommunities(words(path.community?.string).map(numericCommunity)),
    largeCommunities: sortCommunities(words(path.largeCommunity?.string)),
    ...(path.stale ? { stale: true as const } : {}),
  };
}
