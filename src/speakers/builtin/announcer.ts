/** One speaker inside the thread: its peers, their routes, and the applies that wait until these are sent. */
import { BgpError, CeaseSubcode, ErrorCode, administrativeShutdown } from '../../bgp/notification.ts';
import {
  EMPTY_ROUTES,
  type ApplyOutcome,
  type RoutesModel,
  type SpeakerModel,
  type SpeakerStatus,
} from '../speaker.ts';
import { outcomeOf } from '../exports/outcome.ts';
import { Peer } from './peer.ts';
import type { SessionChange } from './protocol.ts';
import { RoutesVersion } from '../routes-version.ts';
import { identityKey, sessionKey } from '../session-settings.ts';
import type { ReadingTurns } from './reading-turns.ts';
import type { Scheduler } from './scheduler.ts';
import type { SoleSessions } from './sole-sessions.ts';

/** Longest time that an apply waits for peers, in milliseconds: who has to know waits for them by the status. */
const APPLY_WAIT_MILLISECONDS = 1_000;
/** Most versions of the routes that slow peers may keep in memory together; above it, the slowest peer is disconnected. */
const MAX_VERSIONS = 8;

export interface AnnouncerOptions {
  readonly scheduler: Scheduler;
  readonly reading: ReadingTurns;
  readonly soleSessions: SoleSessions;
  /** Milliseconds after which a peer that is still being sent an apply is shown to read slowly. */
  readonly timeout: number;
  readonly version: string;
  readonly onSession: (change: Omit<SessionChange, 'speakerId'>) => void;
}

interface Waiter {
  readonly version: RoutesVersion;
  readonly peers: Set<Peer>;
  readonly done: () => void;
}

export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #startedAt = performance.now();
  readonly #peers = new Map<string, Peer>();
  /** Peers that have had a session with this process: they are not signalled a restart again. */
  readonly #known = new Set<string>();
  readonly #shown = new Map<string, string>();
  readonly #waiters = new Set<Waiter>();
  #model: SpeakerModel | null = null;
  #routes: RoutesVersion | null = null;
  #reconfiguredAt: Date | null = null;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Peers with which sessions may be opened: none until routes are known, so that no peer receives an empty table by mistake. */
  get peers(): Peer[] {
    return [...this.#peers.values()].filter((peer) => peer.isPossible);
  }

  configure(model: SpeakerModel): void {
    const old = this.#model;
    this.#model = model;
    this.#reconfiguredAt = new Date();
    if (this.#routes === null) return;
    const wanted = new Map(model.peers.map((peer) => [peer.id, peer]));
    for (const [id, peer] of [...this.#peers]) {
      const next = wanted.get(id);
      if (next === undefined) void this.#end(id, peer, deconfigured());
      else if (old === null || sessionKey(old, peer.model) !== sessionKey(model, next)) {
        const same = old !== null && identityKey(old, peer.model) === identityKey(model, next);
        void this.#end(id, peer, same && next.gracefulRestart ? null : changed());
        this.#begin(id, same ? peer.kept : null);
      } else peer.reconfigure(model, next);
    }
    for (const id of wanted.keys()) if (!this.#peers.has(id)) this.#begin(id);
    this.#settle();
  }

  /**
   * Resolves when all peers that are established now have been sent the routes, or after a moment. One that has not taken the routes of before
   * yet reads slowly, and is not waited for.
   */
  async apply(routes: RoutesModel): Promise<ApplyOutcome> {
    const before = this.#routes;
    const version = new RoutesVersion(routes);
    this.#routes = version;
    const outcome = outcomeOf(before ?? new RoutesVersion(EMPTY_ROUTES), version);
    if (before === null) {
      const held = heldByLimited(routes);
      for (const { id } of this.#model?.peers ?? []) this.#begin(id, held.get(id));
    } else {
      const established = [...this.#peers.values()].filter((peer) => peer.isEstablished);
      const prompt = established.filter((peer) => peer.settled(before));
      for (const [id, peer] of this.#peers) peer.offer(version.forPeer(id));
      // Whoever applies again once a router is well does not wait for the next attempt.
      this.hurry();
      this.#boundMemory(version);
      this.#noteSlow(established, version);
      await this.#sent(prompt, version);
    }
    return outcome;
  }

  /** Calls peers now whose next attempt is far away, and that have no session. */
  hurry(): void {
    for (const peer of this.#peers.values()) if (!peer.isEstablished) peer.hurry();
  }

  status(error: string | null): SpeakerStatus {
    return {
      reachable: true,
      version: this.#options.version,
      routerId: this.#model?.routerId ?? null,
      uptimeSeconds: Math.floor((performance.now() - this.#startedAt) / 1000),
      lastReconfiguredAt: this.#reconfiguredAt?.toISOString() ?? null,
      sessions: [...this.#peers.values()].map((peer) => peer.status()),
      error,
    };
  }

  /** `graceful`: the peers keep the routes (RFC 4724); otherwise the sessions end with a NOTIFICATION. */
  async close(graceful: boolean): Promise<void> {
    const ends = [...this.#peers].map(([id, peer]) =>
      this.#end(id, peer, graceful ? null : administrativeShutdown('the speaker is being shut down')),
    );
    this.#settle();
    await Promise.all(ends);
  }

  /** `kept`: the routes of the peer that this one replaces. */
  #begin(id: string, kept: RoutesVersion | null = null): void {
    const speaker = this.#model!;
    const model = speaker.peers.find((peer) => peer.id === id)!;
    const peer = new Peer({
      speaker,
      model,
      routes: this.#routes!.forPeer(id),
      kept,
      restarting: !this.#known.has(id),
      scheduler: this.#options.scheduler,
      reading: this.#options.reading,
      soleSessions: this.#options.soleSessions,
      onChange: this.#noticeChange,
    });
    this.#peers.set(id, peer);
    peer.start();
  }

  /** Resolves when the peer's connections are closed. */
  #end(id: string, peer: Peer, error: BgpError | null): Promise<void> {
    this.#peers.delete(id);
    this.#shown.delete(id);
    return peer.stop(error);
  }

  readonly #noticeChange = (peer: Peer): void => {
    if (this.#peers.get(peer.model.id) !== peer) return;
    const { peerId, state, lastError } = peer.status();
    if (state === 'established') this.#known.add(peerId);
    const shown = `${state} ${lastError}`;
    if (this.#shown.get(peerId) !== shown) {
      this.#shown.set(peerId, shown);
      this.#options.onSession({ peerId, state, lastError });
    }
    this.#settle();
  };

  /** Shows the peers that still lack these routes after a while. */
  #noteSlow(peers: readonly Peer[], { number }: RoutesVersion): void {
    const slow = new Set(peers);
    setTimeout(() => slow.forEach((peer) => peer.noteWaiting(number)), this.#options.timeout).unref();
  }

  #sent(prompt: readonly Peer[], version: RoutesVersion): Promise<void> {
    return new Promise((resolve) => {
      const peers = new Set(prompt);
      const wait = Math.min(APPLY_WAIT_MILLISECONDS, this.#options.timeout);
      const timer = setTimeout(() => {
        peers.clear();
        this.#settle();
      }, wait);
      const done = (): void => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiters.add({ version, peers, done });
      this.#settle();
    });
  }

  #settle(): void {
    for (const waiter of this.#waiters) {
      const { version, peers, done } = waiter;
      for (const peer of peers) if (peer.settled(version)) peers.delete(peer);
      if (peers.size > 0) continue;
      this.#waiters.delete(waiter);
      done();
    }
  }

  /** A peer that is many applies behind keeps old tables in memory; above the limit, the one furthest behind is disconnected. */
  #boundMemory(latest: RoutesVersion): void {
    for (;;) {
      const wanted = latest.versions;
      const held = [...this.#peers.values()].flatMap((peer) => peer.versions);
      const kept = new Set(held.filter((version) => !wanted.includes(version)));
      if (kept.size < MAX_VERSIONS) return;
      const oldest = [...kept].reduce((a, b) => (a.number < b.number ? a : b));
      for (const [id, peer] of this.#peers) {
        if (!peer.versions.includes(oldest)) continue;
        // A NOTIFICATION would make the peer drop the routes that it may keep when the connection just ends.
        void this.#end(id, peer, peer.model.gracefulRestart ? null : outOfResources());
        this.#begin(id);
        this.#peers.get(id)!.note('the peer fell too far behind the routes, and its session was restarted');
      }
    }
  }
}

function deconfigured(): BgpError {
  return new BgpError(ErrorCode.cease, CeaseSubcode.peerDeconfigured);
}

function changed(): BgpError {
  return new BgpError(ErrorCode.cease, CeaseSubcode.configurationChange);
}

function outOfResources(): BgpError {
  return new BgpError(ErrorCode.cease, CeaseSubcode.outOfResources);
}

/** What peers over their limit hold, by peer, from a process that sent it to them before. */
function heldByLimited({ limited = [] }: RoutesModel): ReadonlyMap<string, RoutesVersion> {
  const some = limited.filter(({ held: { table } }) => table.ipv4.size + table.ipv6.size > 0);
  const versions = new Map(
    [...new Set(some.map(({ held }) => held))].map((held) => [held, new RoutesVersion(held)]),
  );
  return new Map(some.map(({ peerId, held }) => [peerId, versions.get(held)!]));
}
