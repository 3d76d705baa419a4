/** Parses what `bgpctl` reports about neighbours and networks. */
import type { Family } from '../../core/address.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../core/tables/prefix-table.ts';
import { parsePrefix } from '../../core/prefix.ts';
import type { SessionNotification, SessionState } from '../speaker.ts';
import { readNotification } from './read-notification.ts';

export interface NeighborStatus {
  readonly address: string;
  readonly state: SessionState;
  /** Seconds since the session came up or went down; null: it was never up. */
  readonly seconds: number | null;
  readonly sent: number;
  readonly received: number;
  readonly updatesSent: number;
  /** Negotiated families; none while there is no session. */
  readonly families: readonly Family[];
}

const STATES: Readonly<Record<string, SessionState>> = {
  Idle: 'idle',
  Connect: 'connect',
  Active: 'active',
  OpenSent: 'open_sent',
  OpenConfirm: 'open_confirm',
  Established: 'established',
};

/** The fields that are read of `bgpctl -j show neighbor`. */
interface Answer {
  readonly neighbors?: readonly {
    readonly remote_addr: string;
    readonly state: string;
    readonly last_updown_sec?: number;
    readonly stats?: {
      readonly prefixes?: { readonly sent?: number; readonly received?: number };
      readonly message?: { readonly sent?: { readonly updates?: number } };
    };
    /** What was negotiated; the offers of both sides are in `local` and `remote`. */
    readonly session?: { readonly capabilities?: { readonly multiprotocol?: string[] } };
  }[];
}

export function readNeighbors(answer: unknown): NeighborStatus[] {
  return ((answer as Answer).neighbors ?? []).map((neighbor) => {
    const { stats, session, last_updown_sec: seconds = -1 } = neighbor;
    const agreed = session?.capabilities?.multiprotocol ?? [];
    return {
      address: neighbor.remote_addr,
      state: STATES[neighbor.state] ?? 'idle',
      seconds: seconds < 0 ? null : seconds,
      sent: stats?.prefixes?.sent ?? 0,
      received: stats?.prefixes?.received ?? 0,
      updatesSent: stats?.message?.sent?.updates ?? 0,
      families: [
        ...(agreed.includes('IPv4 unicast') ? (['ipv4'] as const) : []),
        ...(agreed.includes('IPv6 unicast') ? (['ipv6'] as const) : []),
      ],
    };
  });
}

export interface LastError {
  readonly error: string;
  readonly notification: SessionNotification | null;
}

/** The last error of each session, by the address of its neighbour; only this output has it. */
export function readLastErrors(text: string): ReadonlyMap<string, LastError> {
  const errors = new Map<string, LastError>();
  for (const block of text.split(/^(?=BGP neighbor is )/m)) {
    const address = /^BGP neighbor is (\S+?),/.exec(block)?.[1];
    const { way, what } =
      /^ {2}Last error(?: (?<way>sent|received))?: (?<what>.+)$/m.exec(block)?.groups ?? {};
    if (address === undefined || what === undefined) continue;
    const words = /^ {2}Last received shutdown reason: "(.*)"$/m.exec(block)?.[1] ?? null;
    const isOurs = way === 'sent';
    const message = `${way ?? 'last'}: ${what.trim()}`;
    errors.set(address, {
      error: isOurs || words === null ? message : `${message}: "${words}"`,
      notification: readNotification(isOurs ? 'sent' : 'received', what.trim(), isOurs ? null : words),
    });
  }
  return errors;
}

/** Stands for the communities of a network whose mark was not read. */
const UNREAD = '?';

/** Prefixes of `bgpctl show rib`, with a label that no route of ours has. O(lines). */
export function readNetworks(text: string): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const [, prefix] of text.matchAll(/^[^\n]*?\s([0-9a-f.:]+\/\d+)\s/gm)) {
    const parsed = parsePrefix(prefix!);
    if (parsed.ok) builder.add(parsed.value.family, parsed.value.words, parsed.value.length, UNREAD);
  }
  return builder.build();
}
