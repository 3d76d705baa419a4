import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askFrr } from './frr-socket.ts';
import { spawnDaemon, tail } from '../process.ts';
import type { DaemonProcess } from '../process.ts';
import { programPath } from '../programs.ts';
import { waitFor } from '../wait.ts';

/** A daemon of FRR beside bgpd. Takes a network namespace, and so root. */
export interface FrrCompanion {
  /** Any command of `vtysh`, in its enable node. */
  command(text: string): Promise<string>;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** FRR's daemon between bgpd and the kernel. */
export interface Zebra extends FrrCompanion {
  /** Where bgpd reaches it (its option -z). */
  readonly socketPath: string;
}

/** Starts zebra in a namespace, with its sockets in `directory`, which may be that of another daemon of FRR. */
export async function startZebra(directory: string, netns: string): Promise<Zebra> {
  const socketPath = join(directory, 'zserv.api');
  const companion = await startCompanion('zebra', { directory, netns, socketPath });
  return { ...companion, socketPath };
}

/** Starts FRR's daemon for BFD, with its sockets in `directory`: that of bgpd, whose sessions it is to watch. It listens to zebra. */
export function startBfdd(
  directory: string,
  netns: string,
  { socketPath }: Pick<Zebra, 'socketPath'>,
): Promise<FrrCompanion> {
  const more = ['--bfdctl', join(directory, 'bfdd.sock')];
  return startCompanion('bfdd', { directory, netns, socketPath }, more);
}

async function startCompanion(
  name: 'zebra' | 'bfdd',
  place: { readonly directory: string; readonly netns: string; readonly socketPath: string },
  more: readonly string[] = [],
): Promise<FrrCompanion> {
  const { directory, netns, socketPath } = place;
  const file = (name: string): string => join(directory, name);
  writeFileSync(file(`${name}.conf`), 'frr defaults traditional\n');
  // It insists on a group that only an installed FRR has.
  writeFileSync(file('group'), 'root:x:0:\nfrrvty:x:0:\n');
  const env = {
    LD_PRELOAD: programPath('libnss_wrapper.so'),
    NSS_WRAPPER_PASSWD: '/etc/passwd',
    NSS_WRAPPER_GROUP: file('group'),
  };
  const child: DaemonProcess = spawnDaemon(
    programPath(name),
    [
      ...['-u', 'root', '-g', 'root', '-P', '0', '-f', file(`${name}.conf`), '-i', file(`${name}.pid`)],
      ...['--vty_socket', directory, '-z', socketPath, ...more],
    ],
    { directory, netns, env },
  );
  const command = (text: string): Promise<string> => askFrr(file(`${name}.vty`), text);
  try {
    await waitFor(() => child.exited || command('show version').then(() => true), {
      what: `${name} to start`,
      details: () => tail(child.log()),
    });
    if (child.exited) throw new Error(`${name} did not start:\n${tail(child.log())}`);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    command,
    kill: (signal) => {
      child.kill(signal);
    },
    stop: () => child.stop(),
  };
}
