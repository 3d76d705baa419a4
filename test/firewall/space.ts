/** Two namespaces with a cable between them: the host whose packet filter is kept, and everybody else. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectNetns, createNetns, requireNetns, type Netns } from '../daemons/machine/netns.ts';
import { programPath, requireDaemon, unavailable } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';

/** Addresses of the host, and of others: each stands for a network that rules may name. */
export const HOST = { ipv4: '10.77.0.1', ipv6: 'fd77::1' };
export const OTHER = { ipv4: '10.77.0.2', ipv6: 'fd77::2' };
export const THIRD = { ipv4: '10.77.0.3', ipv6: 'fd77::3' };
/** Where the control plane is. */
export const CONTROL = '10.77.0.9';
export const CONTROL_PORT = 8443;
export const PORT = 7000;

/** The path of nft, or null (loudly; in CI an error) where there is none or the kernel does not take a table. */
export function requireNft(): string | null {
  if (requireDaemon('nft') === null || requireDaemon('ping') === null || requireNetns() === null) return null;
  const netns = createNetns();
  const args = ['netns', 'exec', netns.name, programPath('nft'), 'add table inet prefixcast'];
  const { status, stderr } = spawnSync(programPath('ip'), args, { encoding: 'utf8' });
  netns.remove();
  return status === 0 ? programPath('nft') : unavailable('nftables', stderr.trim());
}

/** A program inside a namespace that does what it is asked. */
class Peer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<
    number,
    { resolve: (value: boolean) => void; reject: (error: Error) => void }
  >();
  #asked = 0;

  constructor(netns: Netns) {
    const script = join(import.meta.dirname, 'peer.ts');
    this.#child = spawn(programPath('ip'), ['netns', 'exec', netns.name, process.execPath, script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.#child.stdout! }).on('line', (line) => {
      const { id, value, error } = JSON.parse(line) as { id: number; value: boolean; error?: string };
      const { resolve, reject } = this.#waiting.get(id)!;
      this.#waiting.delete(id);
      if (error === undefined) resolve(value);
      else reject(new Error(error));
    });
  }

  ask(what: string, asked: object = {}): Promise<boolean> {
    const id = this.#asked++;
    this.#child.stdin!.write(`${JSON.stringify({ id, what, ...asked })}\n`);
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  close(): void {
    this.#child.stdin!.end();
  }
}

export interface Space {
  readonly host: Netns;
  readonly others: Netns;
  /** In the host's namespace, and in that of the others. */
  readonly inside: Peer;
  readonly outside: Peer;
  /** What comes before a program that shall run on the host. */
  readonly onHost: readonly string[];
  nft(...args: string[]): string;
  /** Whether a program whose command has this text runs on the host. */
  runsOnHost(text: string): boolean;
  /** Whether an echo request is answered. */
  ping(from: 'inside' | 'outside', address: string, source?: string): Promise<boolean>;
  close(): void;
}

export async function makeSpace(): Promise<Space> {
  const [host, others] = [createNetns(), createNetns()];
  const long = ({ ipv4, ipv6 }: typeof HOST): string[] => [`${ipv4}/24`, `${ipv6}/64`];
  connectNetns([host, long(HOST)], [others, [...long(OTHER), ...long(THIRD), `${CONTROL}/24`]]);
  const inside = new Peer(host);
  const outside = new Peer(others);
  for (const address of [HOST.ipv4, HOST.ipv6, '127.0.0.1'])
    await inside.ask('listen', { host: address, port: PORT });
  for (const { ipv4, ipv6 } of [OTHER, THIRD])
    for (const address of [ipv4, ipv6]) await outside.ask('listen', { host: address, port: PORT });
  const within = (netns: Netns): string[] => [programPath('ip'), 'netns', 'exec', netns.name];
  const space: Space = {
    ...{ host, others, inside, outside },
    onHost: within(host),
    nft: (...args) => {
      const [ip, ...rest] = within(host);
      return execFileSync(ip!, [...rest, programPath('nft'), ...args], { encoding: 'utf8' });
    },
    runsOnHost: (text) =>
      execFileSync(programPath('ip'), ['netns', 'pids', host.name], { encoding: 'utf8' })
        .split('\n')
        .some((pid) => pid !== '' && commandOf(pid).includes(text)),
    ping(from, address, source) {
      const [ip, ...rest] = within(from === 'inside' ? host : others);
      const bind = source === undefined ? [] : ['-I', source];
      const args = [...rest, programPath('ping'), '-c1', '-W1', ...bind, address];
      return new Promise((resolve) =>
        spawn(ip!, args, { stdio: 'ignore' }).once('exit', (code) => resolve(code === 0)),
      );
    },
    close() {
      inside.close();
      outside.close();
      host.remove();
      others.remove();
    },
  };
  // IPv6 addresses answer only when nobody else has turned out to have them.
  for (const address of [OTHER.ipv4, OTHER.ipv6, THIRD.ipv4, THIRD.ipv6])
    await waitFor(() => space.ping('inside', address), { what: `an answer of ${address}` });
  for (const address of [HOST.ipv4, HOST.ipv6])
    await waitFor(() => space.ping('outside', address), { what: `an answer of ${address}` });
  return space;
}

/** Empty for one that has ended. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
