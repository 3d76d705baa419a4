import { execFileSync } from 'node:child_process';
import { isLeftOver } from '../process.ts';
import { programPath, requireDaemon, unavailable } from '../programs.ts';

/** A network namespace: interfaces, addresses and routes of its own, with loopback up. */
export interface Netns {
  readonly name: string;
  /** Runs a command of `ip` inside, such as `['route', 'add', …]`; what it prints. */
  ip(...args: string[]): string;
  /** Removes it; a daemon that still runs inside keeps it alive until it ends. */
  remove(): void;
}

const existing = new Set<Netns>();
let made = 0;

process.on('exit', () => {
  for (const netns of existing) netns.remove();
});

/** The path of `ip`, or null (loudly; in CI an error) where no namespace can be made: that takes root. */
export function requireNetns(): string | null {
  const path = requireDaemon('ip');
  if (path === null) return null;
  try {
    createNetns().remove();
    return path;
  } catch (error) {
    return unavailable(
      'network namespaces',
      `"ip netns add" fails here (${(error as Error).message.trim()})`,
    );
  }
}

/** Makes a namespace under a name no other test has. */
export function createNetns(): Netns {
  const ip = (...args: string[]): string =>
    execFileSync(programPath('ip'), args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (made === 0) removeLeftOvers(ip);
  made += 1;
  const name = `pc-${process.pid}-${made}`;
  ip('netns', 'add', name);
  const netns: Netns = {
    name,
    ip: (...args) => ip('-n', name, ...args),
    remove() {
      if (existing.delete(netns)) ip('netns', 'del', name);
    },
  };
  existing.add(netns);
  netns.ip('link', 'set', 'lo', 'up');
  return netns;
}

/** Of runs that were killed. Files that begin at the same moment find the same ones, and one of them is first. */
function removeLeftOvers(ip: (...args: string[]) => string): void {
  const leftOvers = (): string[] => ip('netns', 'list').split(/\s+/).filter(isLeftOver);
  for (const name of leftOvers()) {
    try {
      ip('netns', 'del', name);
    } catch (error) {
      if (leftOvers().includes(name)) throw error;
    }
  }
}

/**
 * Lays a cable (a veth pair) between two namespaces and gives each end its addresses, with prefix length:
 * `10.0.0.1/30`, `2001:db8::1/64`. IPv6 addresses work at once, without duplicate address detection.
 */
export function connectNetns(
  [left, leftAddresses]: [Netns, readonly string[]],
  [right, rightAddresses]: [Netns, readonly string[]],
): void {
  made += 1;
  const [leftEnd, rightEnd] = [`v${made}a`, `v${made}b`];
  left.ip('link', 'add', leftEnd, 'type', 'veth', 'peer', 'name', rightEnd, 'netns', right.name);
  for (const [netns, end, addresses] of [
    [left, leftEnd, leftAddresses],
    [right, rightEnd, rightAddresses],
  ] as const) {
    for (const address of addresses) {
      netns.ip('address', 'add', address, 'dev', end, ...(address.includes(':') ? ['nodad'] : []));
    }
    netns.ip('link', 'set', end, 'up');
  }
}
