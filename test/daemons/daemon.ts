// Real routing daemons for tests. Each file here starts one program (bird.ts, frr.ts, gobgp.ts, openbgpd.ts) as a
// child of the test, on addresses and ports of its own, and shows it through the one interface below, so that a test
// can say the same of every daemon. Nothing here imports the product: what the tests learn from a daemon is the
// daemon's own word. See README.md.

export type Family = 'ipv4' | 'ipv6';

/** A BGP peer of the daemon. */
export interface Neighbor {
  /** How `session()` calls it; default `n1`, `n2`, … in the order given. Letters, digits and `_`. */
  name?: string;
  address: string;
  /** Where the daemon connects to; needed even when `passive`, since some daemons want one. */
  port: number;
  asn: number;
  /** The daemon waits to be called. */
  passive?: boolean;
  /** Address families offered; default IPv4 alone. */
  families?: readonly Family[];
  /** `aware` (default): helps a restarting peer (RFC 4724). `true`: restarts gracefully too. `false`: not offered. */
  gracefulRestart?: boolean | 'aware';
  /** RFC 8654. Only BIRD can choose, default off; FRR always offers it, the others never. */
  extendedMessages?: boolean;
  /** Seconds; default 90. */
  holdTime?: number;
  /** Routes of one family at most: the daemon ends the session at one more, and tries again. BIRD only. */
  importLimit?: number;
  /** What it does then: begins the session again after a while (default), or leaves it down. BIRD only. */
  importLimitAction?: 'restart' | 'disable';
}

/** A route that the daemon itself originates and sends to every neighbor. */
export interface Announcement {
  prefix: string;
  /** As `65000:100`. */
  communities?: readonly string[];
  /** As `65000:1:2`. */
  largeCommunities?: readonly string[];
}

export interface DaemonOptions {
  /** Where it listens, and the local address of its sessions. */
  listen: { address: string; port: number };
  routerId: string;
  localAsn: number;
  neighbors: readonly Neighbor[];
  announce?: readonly Announcement[];
  /** Next hops of what it announces; default `defaultNextHop`. */
  nextHopIpv4?: string;
  nextHopIpv6?: string;
  /** Name of a network namespace (netns.ts) to run in; default: the test's own. */
  netns?: string;
}

/**
 * Addresses for documentation (RFC 5737, RFC 3849), not the daemon's own: a next hop in 127.0.0.0/8 is a reason for
 * FRR and others to end the session.
 */
export const defaultNextHop = { ipv4: '192.0.2.179', ipv6: '2001:db8::179' } as const;

/** A route learnt from a neighbor, written the same way whatever the daemon. */
export interface Route {
  prefix: string;
  nextHop: string;
  /** ASNs from the nearest to the origin, one blank between; empty on iBGP routes of the neighbor's own AS. */
  asPath: string;
  /** Sorted, numbers only: NO_EXPORT is `65535:65281`. */
  communities: string[];
  largeCommunities: string[];
  /** Kept for a peer that restarts; only daemons that show it say so. */
  stale?: true;
}

export interface Session {
  /** RFC 4271's states in lower case, without blanks: `established`, `openconfirm`, `active`, … */
  state: string;
  /** The daemon's own words for the last error, where it keeps any. */
  lastError?: string;
}

export interface Daemon {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  readonly localAsn: number;
  /** Process id of the BGP process. */
  readonly pid: number;
  /** Routes learnt over BGP from every neighbor, or from one; sorted by prefix (as text), then next hop. */
  routes(neighbor?: string): Promise<Route[]>;
  routeCount(neighbor?: string): Promise<number>;
  /** State of the session with a neighbor; default the first. */
  session(neighbor?: string): Promise<Session>;
  /** Resolves once a session (default: each) is established; fails after `timeoutMs` (`PATIENCE_MS`) with the daemon's log. */
  waitEstablished(neighbor?: string, timeoutMs?: number): Promise<void>;
  /** Resolves once exactly `count` routes are there; fails after `timeoutMs` (`PATIENCE_MS`) with the daemon's log. */
  waitRoutes(count: number, timeoutMs?: number): Promise<void>;
  /** What it wrote so far: its log, standard output and standard error. */
  log(): string;
  kill(signal: NodeJS.Signals): void;
  /** Stops the process from running (SIGSTOP): it reads nothing, and its sockets stay open. */
  pause(): void;
  resume(): void;
  /** Ends it as its manual says, waits until it is gone, and removes its files. May be called twice. */
  stop(): Promise<void>;
}

export type NamedNeighbor = Neighbor & { name: string };

/** Names the neighbors that have no name. */
export function named(neighbors: readonly Neighbor[]): NamedNeighbor[] {
  return neighbors.map((neighbor, index) => ({ ...neighbor, name: neighbor.name ?? `n${index + 1}` }));
}

export function families(neighbor: Neighbor): readonly Family[] {
  return neighbor.families ?? ['ipv4'];
}

export function familyOf(text: string): Family {
  return text.includes(':') ? 'ipv6' : 'ipv4';
}

/** Sorts routes by prefix and next hop, as text, so that two daemons' answers compare with `toEqual`. */
export function sortRoutes(routes: Route[]): Route[] {
  const key = (route: Route): string => `${route.prefix} ${route.nextHop}`;
  return routes.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

const wellKnown: Record<string, string> = {
  'graceful-shutdown': '65535:0',
  'accept-own': '65535:1',
  'llgr-stale': '65535:6',
  'no-llgr': '65535:7',
  blackhole: '65535:666',
  'no-export': '65535:65281',
  'no-advertise': '65535:65282',
  'no-export-subconfed': '65535:65283',
  'local-as': '65535:65283',
  'no-peer': '65535:65284',
};

/** A standard community in numbers, where a daemon prints the name of IANA's registry. */
export function numericCommunity(text: string): string {
  return wellKnown[text.toLowerCase().replaceAll('_', '-')] ?? text;
}

/** Sorts community values by their numbers. */
export function sortCommunities(values: string[]): string[] {
  const parts = (value: string): number[] => value.split(':').map(Number);
  return values.sort((a, b) => {
    const left = parts(a);
    const right = parts(b);
    for (let i = 0; i < left.length; i += 1) {
      if (left[i] !== right[i]) return left[i]! - (right[i] ?? 0);
    }
    return 0;
  });
}
