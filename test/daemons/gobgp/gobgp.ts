import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defaultNextHop, familyOf, named, sortCommunities, sortRoutes } from '../daemon.ts';
import type { Announcement, Daemon, DaemonOptions, Route, Session } from '../daemon.ts';
import { renderGobgpConfig } from './gobgp-config.ts';
import { freePort } from '../machine/ports.ts';
import { daemonDirectory, pauseProcess, readText, spawnDaemon, tail } from '../process.ts';
import { programPath } from '../programs.ts';
import { waitForDaemon } from '../wait-for-daemon.ts';
import { waitFor } from '../wait.ts';

export interface Gobgp extends Daemon {
  /** Where its API is, as HOST:PORT. */
  readonly api: string;
  /** Runs `gobgp` with these arguments against the daemon; what it prints. */
  command(...args: string[]): Promise<string>;
  /** Has it read another configuration, in TOML; `change` makes it of the one before. */
  configure(change: (toml: string) => string): void;
}

const run = promisify(execFile);
const states = ['unknown', 'idle', 'connect', 'active', 'opensent', 'openconfirm', 'established'];

export interface GobgpOptions extends DaemonOptions {
  /** Its configuration, in place of one that is made of the other options. */
  toml?: string;
  /** Port of its API on 127.0.0.1; default: a free one. */
  apiPort?: number;
}

/** Starts gobgpd, and returns once its API answers and its own routes are in. */
export async function startGobgp(options: GobgpOptions): Promise<Gobgp> {
  const { address, port } = options.listen;
  const { apiPort = await freePort('127.0.0.1') } = options;
  const directory = daemonDirectory('gobgp');
  const config = join(directory, 'gobgpd.toml');
  const neighbors = named(options.neighbors);

  writeFileSync(config, options.toml ?? renderGobgpConfig(options));
  const args = ['-f', config, '-t', 'toml', '--api-hosts', `127.0.0.1:${apiPort}`, '--pprof-disable', '-p'];
  const child = spawnDaemon(programPath('gobgpd'), args, { directory, netns: options.netns });
  const command = async (...words: string[]): Promise<string> => {
    const enter = options.netns === undefined ? [] : [programPath('ip'), 'netns', 'exec', options.netns];
    const line = [...enter, programPath('gobgp'), '-u', '127.0.0.1', '-p', String(apiPort), ...words];
    const { stdout } = await run(line[0]!, line.slice(1), { maxBuffer: 1 << 30, timeout: 120_000 });
    return stdout;
  };
  try {
    const answers = (): Promise<boolean> => command('global').then(() => true);
    await waitFor(() => child.exited || answers(), {
      what: 'GoBGP to start',
      details: () => tail(child.log()),
    });
    if (child.exited) throw new Error(`GoBGP did not start:\n${tail(child.log())}`);
    for (const announcement of options.announce ?? []) await command(...addRoute(announcement, options));
  } catch (error) {
    await child.stop();
    throw error;
  }

  const answerFor = async (name: string): Promise<NeighborAnswer> => {
    const neighbor = neighbors.find((candidate) => candidate.name === name);
    if (neighbor === undefined) throw new Error(`GoBGP has no neighbor ${name}`);
    return JSON.parse(await command('neighbor', neighbor.address, '-j')) as NeighborAnswer;
  };
  const session = async (name = neighbors[0]!.name): Promise<Session> => {
    const { conf, state } = await answerFor(name);
    // It keeps no last error for its API; the log has it.
    const down = child.log().matchAll(/msg="Peer Down" Key=(\S+) Reason="?(.*?)"? State=/g);
    const reason = [...down].findLast(([, peer]) => peer === conf.neighbor_address)?.[2];
    return {
      state: states[state.session_state ?? 1] ?? 'unknown',
      ...(reason === undefined ? {} : { lastError: reason }),
    };
  };
  const routeCount = async (name?: string): Promise<number> => {
    let count = 0;
    for (const neighbor of neighbors) {
      if (name !== undefined && name !== neighbor.name) continue;
      const { afi_safis: channels = [] } = await answerFor(neighbor.name);
      for (const { state } of channels) count += state.accepted ?? 0;
    }
    return count;
  };

  return {
    name: 'gobgp',
    address,
    port,
    localAsn: options.localAsn,
    pid: child.pid,
    api: `127.0.0.1:${apiPort}`,
    command,
    configure(change) {
      writeFileSync(config, change(readText(config)));
      child.kill('SIGHUP');
    },
    session,
    routeCount,
    async routes(name) {
      const from = neighbors.filter((neighbor) => name === undefined || neighbor.name === name);
      const addresses = new Set(from.map((neighbor) => neighbor.address));
      const found: Route[] = [];
      for (const family of ['ipv4', 'ipv6']) {
        const text = await command('global', 'rib', '-a', family, '-j');
        const rib = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, PathAnswer[]>;
        for (const [prefix, paths] of Object.entries(rib)) {
          for (const path of paths) {
            if (addresses.has(path['neighbor-ip'] ?? '')) found.push(toRoute(prefix, path));
          }
        }
      }
      return sortRoutes(found);
    },
    log: () => child.log(),
    ...waitForDaemon({
      daemon: 'GoBGP',
      session,
      routeCount,
      log: () => child.log(),
      getNeighbors: () => neighbors,
    }),
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

function addRoute({ prefix, communities, largeCommunities }: Announcement, options: DaemonOptions): string[] {
  const { nextHopIpv4 = defaultNextHop.ipv4, nextHopIpv6 = defaultNextHop.ipv6 } = options;
  const family = familyOf(prefix);
  return [
    ...[
      'global',
      'rib',
      'add',
      '-a',
      family,
      prefix,
      'nexthop',
      family === 'ipv4' ? nextHopIpv4 : nextHopIpv6,
    ],
    ...['origin', 'igp'],
    ...(communities?.length ? ['community', communities.join(',')] : []),
    ...(largeCommunities?.length ? ['large-community', largeCommunities.join(',')] : []),
  ];
}

/** `gobgp neighbor ADDRESS -j`; zeroes are left out. */
interface NeighborAnswer {
  conf: { neighbor_address: string };
  state: { session_state?: number };
  afi_safis?: { state: { accepted?: number } }[];
}

/** A path of `gobgp global rib -j`; attributes by their type number (RFC 4271, 1997, 4760, 8092). */
interface PathAnswer {
  attrs: {
    type: number;
    as_paths?: { asns: number[] }[];
    nexthop?: string;
    communities?: number[];
    value?: unknown;
  }[];
  stale?: boolean;
  'neighbor-ip'?: string;
}

function toRoute(prefix: string, path: PathAnswer): Route {
  const attribute = (type: number): PathAnswer['attrs'][number] | undefined =>
    path.attrs.find((candidate) => candidate.type === type);
  const asns = (attribute(2)?.as_paths ?? []).flatMap((segment) => segment.asns);
  const large = (attribute(32)?.value ?? []) as { ASN: number; LocalData1: number; LocalData2: number }[];
  return {
    prefix,
    nextHop: attribute(3)?.nexthop ?? attribute(14)?.nexthop ?? '',
    asPath: asns.join(' '),
    communities: sortCommunities(
      (attribute(8)?.communities ?? []).map((value) => `${Math.floor(value / 65536)}:${value % 65536}`),
    ),
    largeCommunities: sortCommunities(
      large.map((value) => `${value.ASN}:${value.LocalData1}:${value.LocalData2}`),
    ),
    ...(path.stale ? { stale: true as const } : {}),
  };
}
