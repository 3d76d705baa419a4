import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { named, numericCommunity, sortCommunities, sortRoutes } from '../daemon.ts';
import type { Daemon, Route, Session } from '../daemon.ts';
import { renderOpenbgpdConfig, type OpenbgpdOptions } from './openbgpd-config.ts';
import { daemonDirectory, pauseProcess, spawnDaemon, tail } from '../process.ts';
import { programPath, requireDaemon, unavailable } from '../programs.ts';
import { waitForDaemon } from '../wait-for-daemon.ts';
import { waitFor } from '../wait.ts';

export interface Openbgpd extends Daemon {
  /** Its control socket. */
  readonly socket: string;
  /** Its main configuration. */
  readonly mainConfig: string;
  /** Runs `bgpctl` with these arguments; what it prints. */
  command(...args: string[]): Promise<string>;
}

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

/**
 * As `requireDaemon('openbgpd')`, and null too where an ordinary user may not make a user namespace: OpenBGPD wants to
 * start as root, and for anybody else that is where it can.
 */
export function requireOpenbgpd(): string | null {
  const path = requireDaemon('openbgpd');
  if (path === null || isRoot || spawnSync('unshare', ['-r', 'true']).status === 0) return path;
  return unavailable(
    'openbgpd',
    'an ordinary user may not make a user namespace here, so run the tests as root',
  );
}

/**
 * Starts OpenBGPD, and returns once it answers on its control socket. It insists on root, on a user `_openbgpd` and on
 * a chroot: a preloaded library shows it such a user, so that none is added to the system, and without root a user
 * namespace stands in for it. After a session ended OpenBGPD takes no new one for 30 s.
 */
export async function startOpenbgpd(options: OpenbgpdOptions): Promise<Openbgpd> {
  const { address, port } = options.listen;
  const directory = daemonDirectory('openbgpd');
  const file = (name: string): string => join(directory, name);
  const neighbors = named(options.neighbors);

  mkdirSync(file('empty'));
  writeFileSync(file('bgpd.conf'), renderOpenbgpdConfig(options, directory), { mode: 0o600 });
  const id = isRoot ? 65534 : 0;
  writeFileSync(file('passwd'), `_openbgpd:x:${id}:${id}::${file('empty')}:/bin/false\n`);
  const wrappers = [programPath('libnss_wrapper.so'), ...(isRoot ? [] : [programPath('libuid_wrapper.so')])];
  const environment = [
    `LD_PRELOAD=${wrappers.join(':')}`,
    `NSS_WRAPPER_PASSWD=${file('passwd')}`,
    'NSS_WRAPPER_GROUP=/etc/group',
    ...(isRoot ? [] : ['UID_WRAPPER=1', 'UID_WRAPPER_ROOT=1']),
  ];
  const line = [...(isRoot ? [] : ['unshare', '-r']), 'env', ...environment, programPath('openbgpd')];
  const child = spawnDaemon(line[0]!, [...line.slice(1), '-d', '-v', '-f', file('bgpd.conf')], {
    directory,
    netns: options.netns,
  });
  const command = async (...words: string[]): Promise<string> => {
    const args = ['-s', file('ctl'), ...words];
    const { stdout } = await run(programPath('bgpctl'), args, { maxBuffer: 1 << 30, timeout: 120_000 });
    return stdout;
  };
  try {
    // The socket is there before the other processes are: only then does a count of the RIB come back.
    const answers = (): Promise<boolean> => command('show', 'rib', 'memory').then(() => true);
    await waitFor(() => child.exited || answers(), {
      what: 'OpenBGPD to start',
      details: () => tail(child.log()),
    });
    if (child.exited) throw new Error(`OpenBGPD did not start:\n${tail(child.log())}`);
  } catch (error) {
    await child.stop();
    throw error;
  }

  const answerFor = async (name: string): Promise<NeighborAnswer> => {
    const neighbor = neighbors.find((candidate) => candidate.name === name);
    if (neighbor === undefined) throw new Error(`OpenBGPD has no neighbor ${name}`);
    const answer = JSON.parse(await command('-j', 'show', 'neighbor', neighbor.address)) as {
      neighbors: NeighborAnswer[];
    };
    return answer.neighbors[0]!;
  };
  const session = async (name = neighbors[0]!.name): Promise<Session> => {
    const { state, remote_addr: remote } = await answerFor(name);
    // bgpctl shows the last error in its other format only; the log has it with the direction.
    const notifications = [
      ...child.log().matchAll(/neighbor (\S+?)(?: \(.*?\))?: ((?:received|sending) notification: .*)/g),
    ];
    const lastError = notifications.findLast(([, peer]) => peer === remote)?.[2];
    return { state: state.toLowerCase(), ...(lastError === undefined ? {} : { lastError }) };
  };
  const routeCount = async (name?: string): Promise<number> => {
    let count = 0;
    for (const neighbor of neighbors) {
      if (name !== undefined && name !== neighbor.name) continue;
      count += (await answerFor(neighbor.name)).stats.prefixes.received;
    }
    return count;
  };

  return {
    name: 'openbgpd',
    address,
    port,
    localAsn: options.localAsn,
    pid: child.pid,
    socket: file('ctl'),
    mainConfig: file('bgpd.conf'),
    command,
    session,
    routeCount,
    async routes(name) {
      const from = neighbors.filter((neighbor) => name === undefined || neighbor.name === name);
      const addresses = new Set(from.map((neighbor) => neighbor.address));
      const { rib } = JSON.parse(await command('-j', 'show', 'rib', 'detail')) as { rib: PathAnswer[] };
      return sortRoutes(rib.filter((path) => addresses.has(path.neighbor.remote_addr)).map(toRoute));
    },
    log: () => child.log(),
    ...waitForDaemon({
      daemon: 'OpenBGPD',
      session,
      routeCount,
      log: () => child.log(),
      getNeighbors: () => neighbors,
    }),
    kill: (signal) => {
      child.kill(signal);
    },
    pause: () => {
      for (const pid of family(child.pid)) pauseProcess(pid);
    },
    resume: () => {
      for (const pid of family(child.pid)) process.kill(pid, 'SIGCONT');
    },
    stop: () => child.stop(),
  };
}

/** OpenBGPD is three processes: the one that was started, and its children for sessions and routes. */
function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').map(Number)];
}

/** `bgpctl -j show neighbor`. */
interface NeighborAnswer {
  state: string;
  remote_addr: string;
  stats: { prefixes: { received: number } };
}

/** A path of `bgpctl -j show rib detail`. */
interface PathAnswer {
  prefix: string;
  aspath: string;
  exit_nexthop: string;
  neighbor: { remote_addr: string };
  stale?: boolean;
  communities?: string[];
  large_communities?: string[];
}

function toRoute(path: PathAnswer): Route {
  return {
    prefix: path.prefix,
    nextHop: path.exit_nexthop,
    asPath: path.aspath,
    communities: sortCommunities((path.communities ?? []).map(numericCommunity)),
    largeCommunities: sortCommunities(path.large_communities ?? []),
    ...(path.stale ? { stale: true as const } : {}),
  };
}
