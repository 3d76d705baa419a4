/**
 * The route injection session ("feed"): a session from the builtin speaker to a routing daemon on this machine, which serves the peers.
 * Changes of routes are UPDATEs over loopback; the daemon's configuration holds only peers.
 *
 * Each speaker connects from its own loopback address, which is derived from its id: by it the daemon distinguishes the sessions of
 * speakers, and a speaker finds its routes again after a restart of either side. The driver renders the neighbour, AS {@link feedAsn} at
 * {@link feedAddress}, as passive; the daemon imports what it receives there and exports nothing. The AS numbers differ, so that no rule of
 * route reflection applies; the daemon drops the AS path. A daemon that accepts no such connections connects by itself, from that address.
 *
 * When this process dies the daemon keeps the routes: for the restart time of RFC 4724, and then as stale for the time of RFC 9494. Both
 * are the longest that the protocol can express.
 */
import { counted } from '../api/shapes/counted.ts';
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_STALE_TIME } from '../bgp/capability.ts';
import { FAMILIES } from '../core/address.ts';
import {
  SpeakerError,
  asFinal,
  type ApplyOutcome,
  type PlainDriver,
  type RoutesModel,
  type SessionStatus,
  type SpeakerModel,
} from './speaker.ts';

/** Seconds; the capability has 12 bits for them. */
const MAX_RESTART_TIME = 4_095;
/** Seconds; long enough for a process that is suspended for a while. */
const HOLD_TIME = 90;

/** A private 4-octet number (RFC 6996), or the one below if the daemon has this number itself. */
const FEED_ASN = 4_294_967_294;

/** IPv6 next hop of routes without one, in the discard prefix of RFC 6666: the daemon replaces it by its own. */
export const FEED_NEXT_HOP_IPV6 = '100::1';
/** The same for a daemon that rejects next hops in 127.0.0.0/8: the dummy address of RFC 7600. */
const FEED_NEXT_HOP_IPV4 = '192.0.0.8';

const BGP_PORT = 179;

const LOOK_MILLISECONDS = 50;
/** For the session to come up and the routes to be sent; more routes get more time. */
const BRING_MILLISECONDS = 30_000;
const ROUTES_PER_MILLISECOND = 20;

const OF_FEED = ' feed';

/** AS number of this side of a session with a daemon of `asn`. */
export function feedAsn(asn: number): number {
  return asn === FEED_ASN ? FEED_ASN - 1 : FEED_ASN;
}

/** The address from which the speaker connects: one of the 4 million of 127.64.0.0/10. */
export function feedAddress(speakerId: string): string {
  const [a, b, c] = createHash('sha256').update(`feed ${speakerId}`).digest();
  return `127.${64 + (a! & 0x3f)}.${b}.${c}`;
}

/** The id of the feed among the speakers of the builtin engine. */
export function feedSpeakerId(speakerId: string): string {
  return speakerId + OF_FEED;
}

/** Whose feed that is; a speaker that is none's is its own. */
export function fedSpeakerId(id: string): string {
  return id.endsWith(OF_FEED) ? id.slice(0, -OF_FEED.length) : id;
}

export interface FeedOptions {
  /** A builtin driver of {@link feedSpeakerId}. */
  readonly driver: PlainDriver;
  readonly speakerId: string;
  /** Where the daemon listens; null: it connects to the address on which the builtin speaker listens. */
  readonly daemon: { readonly address: string; readonly port: number } | null;
  /** The daemon is a BIRD: see builtin/bird-order.ts. Default false. */
  readonly isBird?: boolean;
  /** No route has a next hop of its own: the daemon sets them by communities. Default false. */
  readonly dummyNextHops?: boolean;
  /** Seconds that the daemon keeps the routes while this process is away; default: the longest that the protocol can express. */
  readonly restartTime?: number;
  /** Seconds; default 90. */
  readonly holdTime?: number;
}

export class FeedSession {
  readonly #options: FeedOptions;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** @param asn the daemon's own AS number in this session */
  configure(asn: number): Promise<void> {
    return this.#options.driver.configure(this.#model(asn));
  }

  /**
   * Resolves when all routes have been sent to the daemon. NO_EXPORT is left to the policies of the daemon's peers: on this session it
   * would stop the routes from reaching them.
   * @throws {SpeakerError} `feed_down` with the reason, when that takes too long; the routes are sent when the session comes up
   */
  async apply(routes: RoutesModel, signal: AbortSignal): Promise<ApplyOutcome> {
    const { driver } = this.#options;
    // The daemon's policies say which peers do not receive a route.
    const { limited: _, ...all } = asFinal({ ...routes, noExport: false });
    const outcome = await driver.apply(all, signal);
    const wanted = FAMILIES.reduce((sum, family) => sum + routes.table[family].size, 0);
    const deadline = performance.now() + BRING_MILLISECONDS + wanted / ROUTES_PER_MILLISECOND;
    for (;;) {
      const session = await this.status();
      // The count alone would not distinguish as many routes with other communities.
      const isSent = session?.state === 'established' && session.isBehind !== true;
      if (isSent && session.routesExported === wanted) return outcome;
      if (performance.now() > deadline)
        throw new SpeakerError(
          'feed_down',
          `${this.#daemonName()} was sent ${session?.routesExported ?? 0} of the ${counted(wanted, 'route')} (${session?.lastError ?? session?.state ?? 'no session'})`,
        );
      await sleep(LOOK_MILLISECONDS, undefined, { signal });
    }
  }

  /** Null until there are routes. */
  async status(): Promise<SessionStatus | null> {
    const { sessions } = await this.#options.driver.status();
    return sessions[0] ?? null;
  }

  /** Graceful: the daemon keeps the routes for the next process. Otherwise it drops them at once. */
  close(graceful: boolean): Promise<void> {
    return this.#options.driver.close(graceful);
  }

  #daemonName(): string {
    const { speakerId, daemon } = this.#options;
    if (daemon !== null) return `the daemon at ${daemon.address} port ${daemon.port}`;
    return `the daemon, which is to call from ${feedAddress(speakerId)},`;
  }

  #model(asn: number): SpeakerModel {
    const { speakerId, daemon, isBird = false, dummyNextHops = false } = this.#options;
    const { restartTime = MAX_RESTART_TIME, holdTime = HOLD_TIME } = this.#options;
    const address = feedAddress(speakerId);
    const place =
      daemon === null
        ? { address, port: BGP_PORT, localAddress: null, passive: true }
        : { address: daemon.address, port: daemon.port, localAddress: address, passive: false };
    const localAsn = feedAsn(asn);
    return {
      tenantId: '',
      speakerId: feedSpeakerId(speakerId),
      name: 'feed',
      routerId: address,
      localAsn,
      localIpv4: address,
      localIpv6: FEED_NEXT_HOP_IPV6,
      peers: [
        {
          ...{ id: 'daemon', name: 'the local daemon', ...place },
          ...{ remoteAsn: asn, localAsn, families: FAMILIES },
          ...{ multihop: null, password: null, holdTime, bfd: false },
          ...{ labels: null, maxPrefixesOut: null, isBird },
          nextHopIpv4: dummyNextHops ? FEED_NEXT_HOP_IPV4 : null,
          nextHopIpv6: dummyNextHops ? FEED_NEXT_HOP_IPV6 : null,
          ...{ gracefulRestart: true, restartTime, staleTime: MAX_STALE_TIME },
        },
      ],
    };
  }
}
