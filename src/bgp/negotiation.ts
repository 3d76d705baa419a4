/** What two OPENs agree on, and the OPEN that a speaker offers. */
import { encodeMultiprotocol } from './capability.ts';
import type { GracefulRestart } from './capability.ts';
import { MAX_EXTENDED_MESSAGE_LENGTH, MAX_MESSAGE_LENGTH } from './message.ts';
import type { Family } from './message.ts';
import { BgpError, ErrorCode, OpenSubcode } from './notification.ts';
import { concatOctets } from './octets.ts';
import type { OpenMessage } from './open.ts';

/** One side's settings of a session. Times in seconds. */
export interface SessionSettings {
  readonly localAsn: number;
  /** null: any, as a listener for people without a router needs it. */
  readonly remoteAsn: number | null;
  /** Own BGP identifier as an unsigned number. */
  readonly identifier: number;
  readonly families: readonly Family[];
  /** 0 (no keepalives), or at least 3. */
  readonly holdTime: number;
  /** Offer to keep routes over a restart (RFC 4724); seconds until the peer removes them, null: do not offer. */
  readonly restartTime: number | null;
  /** Beyond that time, seconds that the peer may keep them as stale (RFC 9494); absent: none. */
  readonly staleTime?: number;
  /** Wait for the peer to connect, never connect. */
  readonly passive: boolean;
}

/** The settings of an established session. */
export interface Negotiated {
  readonly external: boolean;
  readonly remoteAsn: number;
  readonly remoteIdentifier: number;
  readonly families: readonly Family[];
  /** Seconds; 0: no keepalives. */
  readonly holdTime: number;
  readonly fourOctetAs: boolean;
  readonly routeRefresh: boolean;
  /** Longest message the peer takes, in octets. */
  readonly maxMessage: number;
  /** The peer's offer; null: it drops our routes when the session ends. */
  readonly gracefulRestart: GracefulRestart | null;
  /** Both set the N bit: a NOTIFICATION keeps the routes unless it is a hard reset (RFC 8538). */
  readonly gracefulNotification: boolean;
}

/** `restarting`: this process has had no session with the peer yet. */
export function offerOpen(settings: SessionSettings, restarting: boolean): OpenMessage {
  const { restartTime, staleTime } = settings;
  // We forward nothing ourselves: the next hops still forward during our restart.
  const families = settings.families.map((family) => ({ family, forwarding: true }));
  return {
    asn: settings.localAsn,
    holdTime: settings.holdTime,
    identifier: settings.identifier,
    capabilities: {
      families: settings.families,
      fourOctetAs: settings.localAsn,
      routeRefresh: true,
      extendedMessage: true,
      gracefulRestart:
        restartTime === null ? null : { restarting, notification: true, restartTime, families },
      ...(staleTime === undefined || restartTime === null
        ? {}
        : { longLivedRestart: families.map((family) => ({ ...family, staleTime })) }),
    },
  };
}

/** @throws BgpError OPEN Message Error when the peer is not the expected one or no family is shared. */
export function negotiate(settings: SessionSettings, open: OpenMessage): Negotiated {
  const { capabilities } = open;
  if (settings.remoteAsn !== null && open.asn !== settings.remoteAsn) {
    throw new BgpError(
      ErrorCode.open,
      OpenSubcode.badPeerAs,
      `the peer says AS ${open.asn}, configured is AS ${settings.remoteAsn}`,
    );
  }
  const external = open.asn !== settings.localAsn;
  if (!external && open.identifier === settings.identifier) {
    throw new BgpError(
      ErrorCode.open,
      OpenSubcode.badIdentifier,
      'the peer has the same router id as this speaker in the same AS: give one of them another router id',
    );
  }
  const families = settings.families.filter((family) => (capabilities.families ?? ['ipv4']).includes(family));
  if (families.length === 0) {
    const theirs = (capabilities.families ?? ['ipv4']).join(' and ') || 'neither IPv4 nor IPv6 unicast';
    throw new BgpError(
      ErrorCode.open,
      OpenSubcode.unsupportedCapability,
      `no shared address family: this speaker offers ${settings.families.join(' and ')}, the peer ${theirs}`,
      concatOctets(settings.families.map(encodeMultiprotocol)),
    );
  }
  return {
    external,
    remoteAsn: open.asn,
    remoteIdentifier: open.identifier,
    families,
    holdTime: Math.min(settings.holdTime, open.holdTime),
    fourOctetAs: capabilities.fourOctetAs !== null,
    routeRefresh: capabilities.routeRefresh,
    maxMessage: capabilities.extendedMessage ? MAX_EXTENDED_MESSAGE_LENGTH : MAX_MESSAGE_LENGTH,
    gracefulRestart: capabilities.gracefulRestart,
    gracefulNotification:
      settings.restartTime !== null && (capabilities.gracefulRestart?.notification ?? false),
  };
}
