/** Addresses that only the host knows and that no rule may block: the control plane, its resolvers, and its administrators. */
import { lookup } from 'node:dns/promises';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DataDirectory } from '../agent/data-directory.ts';
import { StateFile } from '../agent/state-file.ts';
import { formatAddress, parseAddress } from '../core/address.ts';
import type { OpenConnection } from '../nftables/chains.ts';
import type { LocalAddresses } from '../nftables/script.ts';
import { openConnections } from './open-connections.ts';

/** Milliseconds that an address is still let in after it was last seen, so that an administrator who loses a session can reconnect. */
const KEPT_MILLISECONDS = 3_600_000;
/** Milliseconds; longer than an answer takes. Before the network is up the client does not wait: the stored addresses serve. */
const RESOLVE_MILLISECONDS = 3_000;
/** Limit of stored addresses of a changing name. */
const MOST_KEPT = 64;

const Kept = Type.Object({
  control: Type.Array(Type.Object({ address: Type.String(), seen_at: Type.String() })),
  sessions: Type.Array(Type.Object({ address: Type.String(), seen_at: Type.String() })),
});
type Kept = Static<typeof Kept>;
type KeptAddress = Kept['control'][number];
const isKept = Compile(Kept);
const FILE = new StateFile<Kept>('local.json', (value) => isKept.Check(value));
export const LOCAL_FILE = FILE.name;

export interface HostOptions {
  readonly directory: DataDirectory;
  /** URL of the control plane. */
  readonly url: string;
  /** Networks that are always let in, as the host is configured. */
  readonly protect: readonly string[];
  /** Files of systemd-logind, one for each login session. */
  readonly sessions?: string;
  /** Where the kernel lists its TCP connections. */
  readonly connections?: string;
  /** Files that name resolvers. */
  readonly resolvers?: readonly string[];
}

export class Host {
  readonly #options: HostOptions;
  #connections: OpenConnection[] = [];

  constructor(options: HostOptions) {
    this.#options = options;
  }

  /**
   * Reads these addresses, and stores them for a start without a network.
   * @param isRebuilt the table is about to be created: connections that are open now are let through for as long as they last
   */
  async look({ isRebuilt = false, now = Date.now() } = {}): Promise<LocalAddresses> {
    const { directory, url, protect } = this.#options;
    const before = await this.#read();
    const found = { control: await addressesOf(url), sessions: await this.#sessions() };
    const kept = {
      control: merge(before.control, found.control, { now, keepsLast: true }),
      sessions: merge(before.sessions, found.sessions, { now, keepsLast: false }),
    };
    if (JSON.stringify(kept) !== JSON.stringify(before))
      await FILE.write(directory, kept).catch(() => undefined);
    const port = portOf(url);
    this.#connections = await this.#lasting(isRebuilt);
    return {
      control: kept.control.map(({ address }) => ({ address, port })),
      sessions: [...protect, ...kept.sessions.map(({ address }) => address)],
      resolvers: await this.#resolvers(),
      connections: this.#connections,
    };
  }

  async #lasting(isRebuilt: boolean): Promise<OpenConnection[]> {
    const open = await openConnections(this.#options.connections);
    if (isRebuilt) return open;
    const keyOf = (one: OpenConnection): string => JSON.stringify(one);
    const now = new Set(open.map(keyOf));
    return this.#connections.filter((one) => now.has(keyOf(one)));
  }

  async #read(): Promise<Kept> {
    const kept = await FILE.readIfGood(this.#options.directory).catch(() => null);
    return kept ?? { control: [], sessions: [] };
  }

  /** Only of users who have logged in: otherwise anyone who tries to connect would be let in. */
  async #sessions(): Promise<string[]> {
    const { sessions = '/run/systemd/sessions' } = this.#options;
    const names = await readdir(sessions).catch(() => []);
    const texts = await Promise.all(
      names.map((name) => readFile(join(sessions, name), 'utf8').catch(() => '')),
    );
    return texts.flatMap((text) => {
      if (/^STATE=closing$/m.test(text)) return [];
      return canonical(/^REMOTE_HOST=(\S+)$/m.exec(text)?.[1]);
    });
  }

  async #resolvers(): Promise<string[]> {
    const { resolvers = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'] } = this.#options;
    const texts = await Promise.all(resolvers.map((path) => readFile(path, 'utf8').catch(() => '')));
    const found = texts.flatMap((text) =>
      [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].flatMap((match) => canonical(match[1])),
    );
    return [...new Set(found)].sort();
  }
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}

/** Addresses of the name in the URL, as far as it can be resolved now. */
async function addressesOf(url: string): Promise<string[]> {
  const name = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const written = canonical(name);
  if (written.length > 0) return written;
  const found = await Promise.race([
    lookup(name, { all: true }).catch(() => []),
    sleep(RESOLVE_MILLISECONDS, [], { ref: false }),
  ]);
  return found.flatMap(({ address }) => canonical(address));
}

/** The address in canonical form, without a zone; empty for other text. */
function canonical(text: string | undefined): string[] {
  const parsed = parseAddress((text ?? '').replace(/%.*$/, ''));
  return parsed.ok ? [formatAddress(parsed.value)] : [];
}

/** @param keepsLast where nothing is found, the last result stays: a name that cannot be resolved says nothing */
function merge(
  before: readonly KeptAddress[],
  found: readonly string[],
  { now, keepsLast }: { readonly now: number; readonly keepsLast: boolean },
): KeptAddress[] {
  const minute = new Date(Math.floor(now / 60_000) * 60_000).toISOString();
  const merged = new Map(
    before
      .filter(
        ({ seen_at: at }) => (keepsLast && found.length === 0) || now - Date.parse(at) < KEPT_MILLISECONDS,
      )
      .map(({ address, seen_at }) => [address, seen_at]),
  );
  for (const address of found) merged.set(address, minute);
  return [...merged]
    .map(([address, seen_at]) => ({ address, seen_at }))
    .sort((a, b) => b.seen_at.localeCompare(a.seen_at) || a.address.localeCompare(b.address))
    .slice(0, MOST_KEPT);
}
