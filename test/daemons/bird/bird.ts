import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderBirdConfig, type BirdOptions } from './bird-config.ts';
import { parseBirdRoutes, parseBirdSession } from './bird-output.ts';
import type { BirdSession } from './bird-output.ts';
import { askBird } from './bird-socket.ts';
import type { ReplyLine } from './bird-socket.ts';
import { named, sortRoutes } from '../daemon.ts';
import type { Daemon } from '../daemon.ts';
import { readMrt } from '../mrt.ts';
import type { RecordedUpdate } from '../mrt.ts';
import { daemonDirectory, pauseProcess, readText, spawnDaemon, tail } from '../process.ts';
import { programPath } from '../programs.ts';
import { waitForDaemon } from '../wait-for-daemon.ts';
import { waitFor } from '../wait.ts';

/** A route that came, changed or went in one of BIRD's channels. */
export interface RouteChange {
  neighbor: string;
  /** `added`, `replaced`, `removed`, … as BIRD's log says it. */
  change: string;
  prefix: string;
}

export interface Bird extends Daemon {
  readonly socketPath: string;
  session(neighbor?: string): Promise<BirdSession>;
  /** Any command of `birdc`; the lines of the answer. Rejects with BIRD's words on an error. */
  command(text: string): Promise<ReplyLine[]>;
  /** Every UPDATE received so far from all neighbors, in order, out of BIRD's own MRT dump. */
  updates(): RecordedUpdate[];
  /** What was withdrawn after so many UPDATEs. */
  withdrawnSince(count: number): string[];
  /** How many sessions that were established have ended so far. A state that passes quickly may be missed by who asks for it. */
  endedSessions(): number;
  /** Every change of a route in order; needs `logRoutes`. */
  routeChanges(): RouteChange[];
  /** Writes the configuration with these options changed and has BIRD read it. */
  configure(changes: Partial<BirdOptions>): Promise<void>;
}

/** Starts BIRD 2 as an unprivileged child and returns once it answers on its control socket. */
export async function startBird(initial: BirdOptions): Promise<Bird> {
  const program = programPath('bird');
  const directory = daemonDirectory('bird');
  const file = (name: string): string => join(directory, name);
  let options = { recordUpdates: true, ...initial };
  let neighbors = named(options.neighbors);
  const writeConfig = (): void => {
    writeFileSync(file('bird.conf'), renderBirdConfig({ ...options, neighbors }, directory));
  };

  writeConfig();
  const args = ['-f', '-c', file('bird.conf'), '-s', file('bird.ctl'), '-P', file('bird.pid')];
  const child = spawnDaemon(program, args, { directory, netns: options.netns, env: options.env ?? {} });
  const log = (): string => child.log() + readText(file('bird.log'));
  const command = (text: string): Promise<ReplyLine[]> => askBird(file('bird.ctl'), text);
  const details = (): string => `--- BIRD's log\n${tail(log())}`;
  try {
    await waitFor(() => child.exited || command('show status').then(() => true), {
      what: 'BIRD to start',
      details,
    });
    if (child.exited) throw new Error(`BIRD did not start:\n${tail(child.log())}`);
  } catch (error) {
    await child.stop();
    throw error;
  }

  const updates = (): RecordedUpdate[] => readMrt(file('updates.mrt'));
  const session = async (neighbor = neighbors[0]!.name): Promise<BirdSession> =>
    parseBirdSession(await command(`show protocols all ${neighbor}`));
  const routeCount = async (neighbor?: string): Promise<number> => {
    let count = 0;
    for (const { name } of neighbors) {
      if (neighbor !== undefined && neighbor !== name) continue;
      const { channels } = await session(name);
      count += (channels.ipv4?.imported ?? 0) + (channels.ipv6?.imported ?? 0);
    }
    return count;
  };

  return {
    name: 'bird',
    address: options.listen.address,
    port: options.listen.port,
    localAsn: options.localAsn,
    pid: child.pid,
    socketPath: file('bird.ctl'),
    command,
    session,
    routeCount,
    async routes(neighbor) {
      const found = [];
      for (const { name } of neighbors) {
        if (neighbor !== undefined && neighbor !== name) continue;
        for (const table of ['master4', 'master6']) {
          const lines = await command(`show route all table ${table} protocol ${name}`);
          for (const route of parseBirdRoutes(lines)) found.push(route);
        }
      }
      return sortRoutes(found);
    },
    ...waitForDaemon({ daemon: 'BIRD', session, routeCount, log, getNeighbors: () => neighbors }),
    updates,
    withdrawnSince: (count) =>
      updates()
        .slice(count)
        .flatMap(({ withdrawn }) => withdrawn),
    endedSessions: () => log().split('BGP session closed').length - 1,
    routeChanges: () =>
      [...readText(file('bird.log')).matchAll(/<TRACE> (\w+)\.\w+ > (\w+) (?:\[\w+\] )?(\S+\/\d+) /g)].map(
        ([, neighbor, change, prefix]) => ({ neighbor: neighbor!, change: change!, prefix: prefix! }),
      ),
    async configure(changes) {
      options = { ...options, ...changes };
      neighbors = named(options.neighbors);
      writeConfig();
      await command('configure');
    },
    log,
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
