import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askFrr } from './frr-socket.ts';
import { spawnDaemon, tail } from './process.ts';
import type { DaemonProcess } from './process.ts';
import { programPath } from './programs.ts';
import { waitFor } from './wait.ts';

/** FRR's daemon between bgpd and the kernel. Takes a network namespace, and so root. */
export interface Zebra {
  /** Where bgpd reaches it (its option -z). */
  readonly socketPath: string;
  /** Any command of `vtysh`, in its enable node. */
  command(text: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts zebra in a namespace, with its sockets in `directory`, which may be that of another daemon of FRR. */
export async function startZebra(directory: string, netns: string): Promise<Zebra> {
  const file = (name: string): string => join(directory, name);
  const socketPath = file('zserv.api');
  writeFileSync(file('zebra.conf'), 'frr defaults traditional\n');
  // It insists on a group that only an installed FRR has.
  writeFileSync(file('group'), 'root:x:0:\nfrrvty:x:0:\n');
  const env = {
    LD_PRELOAD: programPath('libnss_wrapper.so'),
    NSS_WRAPPER_PASSWD: '/etc/passwd',
    NSS_WRAPPER_GROUP: file('group'),
  };
  const child: DaemonProcess = spawnDaemon(
    programPath('zebra'),
    [
      ...['-u', 'root', '-g', 'root', '-P', '0', '-f', file('zebra.conf'), '-i', file('zebra.pid')],
      ...['--vty_socket', directory, '-z', socketPath],
    ],
    { directory, netns, env },
  );
  const command = (text: string): Promise<string> => askFrr(file('zebra.vty'), text);
  try {
    await waitFor(() => child.exited || command('show version').then(() => true), {
      what: 'zebra to start',
      details: () => tail(child.log()),
    });
    if (child.exited) throw new Error(`zebra did not start:\n${tail(child.log())}`);
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { socketPath, command, stop: () => child.stop() };
}
