import { sortCommunities } from '../daemon.ts';
import type { Family, Route, Session } from '../daemon.ts';
import type { ReplyLine } from './bird-socket.ts';

/** What `show protocols all` counts for one address family. */
export interface BirdChannel {
  state: string;
  imported: number;
  exported: number;
  /** Prefixes that arrived in UPDATEs since the session came up; an announcement of a known route counts again. */
  updatesReceived: number;
  withdrawsReceived: number;
}

export interface BirdSession extends Session {
  channels: Partial<Record<Family, BirdChannel>>;
  /** The whole answer, for what is not parsed. */
  text: string;
}

/** Reads `show route all`. Lines are distinguished by their labels, because BIRD 2 and 3 lay tables out differently. */
export function parseBirdRoutes(lines: readonly ReplyLine[]): Route[] {
  const routes: Route[] = [];
  let prefix = '';
  let route: Route | undefined;
  for (const { text } of lines) {
    const head = /^(\S+\/\d+)?\s+.*\[\S+ .*\].*\*?.*\(\d+/.exec(text);
    if (head !== null && !text.startsWith('\t')) {
      prefix = head[1] ?? prefix;
      route = { prefix, nextHop: '', asPath: '', communities: [], largeCommunities: [] };
      routes.push(route);
      continue;
    }
    const attribute = /^\s+(?:BGP\.|bgp_)(\w+): ?(.*)$/.exec(text);
    if (attribute === null || route === undefined) continue;
    const value = attribute[2]!.trim();
    if (attribute[1] === 'next_hop') route.nextHop = value.split(' ')[0]!;
    else if (attribute[1] === 'as_path' || attribute[1] === 'path') route.asPath = value;
    else if (attribute[1] === 'community') route.communities = parseTuples(value);
    else if (attribute[1] === 'large_community') route.largeCommunities = parseTuples(value);
  }
  return routes;
}

/** `(65000,100) (65535,65281)` as `65000:100`, `65535:65281`. */
function parseTuples(value: string): string[] {
  return sortCommunities([...value.matchAll(/\(([^)]*)\)/g)].map((tuple) => tuple[1]!.replace(/,\s*/g, ':')));
}

/** Reads `show protocols all NAME`. */
export function parseBirdSession(lines: readonly ReplyLine[]): BirdSession {
  const text = lines.map((line) => line.text).join('\n');
  const session: BirdSession = { state: 'down', channels: {}, text };
  let channel: BirdChannel | undefined;
  for (const line of text.split('\n')) {
    const [, label, value] = /^\s+([A-Za-z][\w ]*?):?\s{2,}(.*)$/.exec(line) ?? [];
    const opened = /^\s+Channel (ipv4|ipv6)/.exec(line);
    if (opened !== null) {
      channel = { state: '', imported: 0, exported: 0, updatesReceived: 0, withdrawsReceived: 0 };
      session.channels[opened[1] as Family] = channel;
    } else if (label === 'BGP state') {
      session.state = value!.toLowerCase();
    } else if (label === 'Last error') {
      session.lastError = value!;
    } else if (channel !== undefined && label === 'State') {
      channel.state = value!.toLowerCase();
    } else if (channel !== undefined && label === 'Routes') {
      channel.imported = Number(/(\d+) imported/.exec(value!)?.[1] ?? 0);
      channel.exported = Number(/(\d+) exported/.exec(value!)?.[1] ?? 0);
    } else if (channel !== undefined && label === 'Import updates') {
      channel.updatesReceived = Number(/^\d+/.exec(value!)?.[0] ?? 0);
    } else if (channel !== undefined && label === 'Import withdraws') {
      channel.withdrawsReceived = Number(/^\d+/.exec(value!)?.[0] ?? 0);
    }
  }
  return session;
}
