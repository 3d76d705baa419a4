/** One peer of a speaker: its session, the routes that it is sent, and its state as the speaker knows it. */
import type { Socket } from 'node:net';
import type { Negotiated } from '../../bgp/negotiation.ts';
import type { BgpError } from '../../bgp/notification.ts';
import { Session } from '../../bgp/session.ts';
import type { SessionState } from '../../bgp/session.ts';
import { formatAddress, parseAddress } from '../../core/address.ts';
import type { PeerModel, SessionStatus, SpeakerModel } from '../speaker.ts';
import { refuseIdentity, refusePeer } from './check.ts';
import { Feed } from './feed.ts';
import type { FeedSettings } from './feed.ts';
import type { RoutesVersion } from '../routes-version.ts';
import type { ReadingTurns } from './reading-turns.ts';
import type { Scheduler } from './scheduler.ts';
import type { Caller, SoleSessions } from './sole-sessions.ts';
import { SessionFault, sessionError } from '../session-fault.ts';
import { sessionSettings } from '../session-settings.ts';
import { plainAddress } from '../../core/socket-address.ts';
import { exportSettings } from '../exports/export-settings.ts';
import { Wire } from './wire.ts';
import type { SessionEvent } from './wire.ts';

const LAGGING = 'the peer reads slowly: it is still being sent the latest routes';

/** Connections that a peer may have open at once: two may collide legitimately, more are a fault of the peer. */
const MAX_CONNECTIONS = 8;

export interface PeerOptions {
  readonly speaker: SpeakerModel;
  readonly model: PeerModel;
  readonly routes: RoutesVersion;
  /** See {@link Peer.kept}. */
  readonly kept?: RoutesVersion | null;
  /** True until this process has had a session with the peer. */
  readonly restarting: boolean;
  readonly scheduler: Scheduler;
  readonly reading: ReadingTurns;
  readonly soleSessions: SoleSessions;
  /** Called when something that `status` shows, or that an apply waits for, may have changed. */
  readonly onChange: (peer: Peer) => void;
}

interface LiveSession {
  readonly connection: number;
  readonly negotiated: Negotiated;
  readonly localAddress: string;
  readonly feed: Feed;
}

export class Peer {
  readonly address: string;
  #speaker: SpeakerModel;
  #model: PeerModel;
  #routes: RoutesVersion;
  readonly #scheduler: Scheduler;
  readonly #onChange: (peer: Peer) => void;
  readonly #session: Session;
  readonly #wire: Wire;
  readonly #refusal: string | null;
  readonly #soleSessions: SoleSessions;
  readonly #caller: Caller;
  /** Whose session our call would end; null: we call, or have one. */
  #rival: Caller | null = null;
  #live: LiveSession | null = null;
  #isStopping = false;
  #kept: RoutesVersion | null;
  #state: SessionState = 'idle';
  #since = new Date();
  /** Number of the routes that the peer did not take in time. */
  #behind: number | null = null;
  readonly #fault = new SessionFault();
  #received = 0;
  /** Sessions so far. */
  #times = 0;
  /** When the next attempt begins, as the session says it, and as it is shown: the same moment each time. */
  #attempt: { readonly at: number; readonly shown: string | null } = { at: Infinity, shown: null };

  constructor({
    speaker,
    model,
    routes,
    kept = null,
    restarting,
    scheduler,
    reading,
    soleSessions,
    onChange,
  }: PeerOptions) {
    this.#speaker = speaker;
    this.#model = model;
    this.#routes = routes;
    this.#kept = kept;
    this.#scheduler = scheduler;
    this.#onChange = onChange;
    this.#refusal = refuseIdentity(speaker) ?? refusePeer(model);
    const address = parseAddress(model.address);
    this.address = address.ok ? formatAddress(address.value) : model.address;
    this.#session = new Session(sessionSettings(speaker, model), restarting, Math.random);
    this.#soleSessions = soleSessions;
    this.#caller = {
      ...{ speakerId: speaker.speakerId, speakerName: speaker.name },
      ...{ peerId: model.id, peerName: model.name },
      ...{ address: this.address, port: model.port, localAddress: model.localAddress },
    };
    const target = {
      ...{ host: model.address, port: model.port, localAddress: model.localAddress },
      mayCall: this.#mayCall,
    };
    this.#wire = new Wire(this.#session, target, this.#handle, () => this.#pump(), reading);
  }

  get model(): PeerModel {
    return this.#model;
  }

  /** Whether the builtin speaker supports its settings. */
  get isPossible(): boolean {
    return this.#refusal === null;
  }

  /** Whether it must not open another connection. */
  get isCrowded(): boolean {
    return this.#wire.connections >= MAX_CONNECTIONS;
  }

  get isEstablished(): boolean {
    return this.#live !== null;
  }

  /** What the peer held in its last session, and is sent again, while the latest routes exceed its limit. */
  get kept(): RoutesVersion | null {
    return this.#kept;
  }

  /** Versions of the routes that this peer keeps in memory. */
  get versions(): RoutesVersion[] {
    return this.#live?.feed.versions ?? [];
  }

  start(): void {
    if (this.isPossible) this.#wire.start();
    this.#noticeState();
  }

  /** Tries to connect now, where the next attempt is far away. */
  hurry(): void {
    this.#wire.hurry();
    this.#noticeState();
  }

  /** Ends the session: with `error` by NOTIFICATION, with null silently, so that the peer keeps the routes. Resolves when closed. */
  async stop(error: BgpError | null): Promise<void> {
    this.#isStopping = true;
    const closed = this.#wire.stop(error);
    this.#noticeState();
    await closed;
    // Whoever waits for that calls a router that knows of the end.
    this.#soleSessions.end(this.#caller);
  }

  readonly #mayCall = (): boolean => {
    this.#rival = this.#soleSessions.rivalOf(this.#caller, () => {
      this.#wire.callNow();
      this.#noticeState();
    });
    this.#noticeState();
    return this.#rival === null;
  };

  accept(socket: Socket, octets: Uint8Array | null): void {
    this.#wire.accept(socket, octets);
    this.#noticeState();
  }

  offer(routes: RoutesVersion): void {
    this.#routes = routes;
    this.#live?.feed.offer(routes);
    this.#pump();
  }

  /** Takes over settings that need no new session. */
  reconfigure(speaker: SpeakerModel, model: PeerModel): void {
    this.#speaker = speaker;
    this.#model = model;
    if (this.#live !== null) this.#live.feed.reconfigure(this.#feedSettings(this.#live.localAddress));
    this.#pump();
  }

  /** True when the peer has been sent these routes, or can't be. */
  settled(version: RoutesVersion): boolean {
    return this.#hasTaken(version.number);
  }

  /** Sets a last error that did not come from the session itself. */
  note(text: string): void {
    this.#fault.note({ text, notification: null, endedSession: true });
  }

  /** The peer was to take the routes of this number by now. */
  noteWaiting(number: number): void {
    this.#behind = number;
  }

  get #isLagging(): boolean {
    return this.#behind !== null && !this.#hasTaken(this.#behind);
  }

  #hasTaken(number: number): boolean {
    return this.#live === null || this.#live.feed.settled(number);
  }

  /** Of a peer with a session that is not sent a cover that it should be. */
  get #unfitted(): string | null {
    const { id, maxPrefixesOut } = this.#model;
    const reason = this.#routes.unfittedReason(id);
    return this.#live === null || reason === null
      ? null
      : `its routes are more than max_prefixes_out ${maxPrefixesOut}: the peer keeps the ${this.#live.feed.exported} it has that are still announced; ${reason}`;
  }

  status(): SessionStatus {
    const problem =
      this.#refusal ??
      this.#unfitted ??
      this.#live?.feed.problem ??
      (this.#isLagging ? LAGGING : null) ??
      (this.#rival === null ? null : hasSession(this.#rival, this.#model));
    return {
      peerId: this.#model.id,
      state: this.#state,
      since: this.#since.toISOString(),
      times: this.#times,
      routesExported: this.#live?.feed.exported ?? 0,
      routesReceived: this.#received,
      updatesSent: this.#live?.feed.updates ?? 0,
      isBehind: !this.settled(this.#routes),
      nextAttempt: this.#nextAttempt(),
      families: this.#live?.negotiated.families ?? this.#model.families,
      ...sessionError(this.#state, problem, this.#fault.text),
      notification: this.#fault.notification,
    };
  }

  #nextAttempt(): string | null {
    const { nextAttempt: at } = this.#session;
    if (at !== this.#attempt.at) {
      const shown = at === Infinity ? null : new Date(Date.now() + at - performance.now()).toISOString();
      this.#attempt = { at, shown };
    }
    return this.#attempt.shown;
  }

  readonly #handle = (event: SessionEvent): void => {
    switch (event.type) {
      case 'established':
        this.#begin(event.connection, event.negotiated);
        break;
      case 'down':
        this.#kept = this.#live?.feed.kept ?? null;
        this.#live = null;
        if (!this.#isStopping) this.#soleSessions.end(this.#caller);
        break;
      case 'refresh':
        this.#live?.feed.refresh(event.family);
        this.#pump();
        return; // It changes no state: a peer that sends many costs what reading them costs.
      case 'update':
        // Counted and dropped: this speaker imports nothing.
        for (const { nlri } of event.update.announced) this.#received += nlri.size;
        return;
      case 'error':
        this.#fault.note({ ...event, endedSession: this.#live !== null });
        break;
    }
    this.#noticeState();
  };

  #begin(connection: number, negotiated: Negotiated): void {
    const localAddress = plainAddress(this.#wire.socket(connection)?.localAddress);
    const settings = this.#feedSettings(localAddress);
    const feed = new Feed(negotiated, this.#model.localAsn, settings, this.#routes, this.#kept);
    this.#kept = null;
    this.#live = { connection, negotiated, localAddress, feed };
    this.#soleSessions.begin(this.#caller, localAddress);
    this.#rival = null;
    this.#times++;
    this.#received = 0;
    this.#fault.established();
    this.#pump();
  }

  #feedSettings(localAddress: string): FeedSettings {
    const exports = exportSettings(this.#speaker, this.#model, localAddress);
    return { exports, maxPrefixes: this.#model.maxPrefixesOut };
  }

  #pump(): void {
    if (this.#live !== null) this.#scheduler.add(this.#send);
  }

  /** Writes one chunk to the socket; true while both the socket has room and the feed has more. */
  readonly #send = (): boolean => {
    if (this.#live === null) return false;
    const { connection, feed } = this.#live;
    if (this.#wire.socket(connection)?.writableNeedDrain !== false) return false;
    const chunk = feed.next();
    if (chunk === null) {
      this.#onChange(this);
      return false;
    }
    return chunk.messages === 0 || this.#wire.write(connection, chunk.octets);
  };

  #noticeState(): void {
    const { state } = this.#session;
    if (state !== this.#state) {
      // A session is down since it was up, however often it tries to come up meanwhile.
      if (state === 'established' || this.#state === 'established') this.#since = new Date();
      this.#state = state;
    }
    this.#onChange(this);
  }
}

function hasSession(
  { speakerName: speaker, peerId, peerName }: Caller,
  { id, name, address }: PeerModel,
): string {
  const setting = address.includes(':') ? 'local_ipv6' : 'local_ipv4';
  // Two peers of one speaker cannot be at one address: it is the same router, which has two names.
  const [as, remedy] =
    peerId === id
      ? ['', `prefixcast peer edit ${name} --speaker ${speaker}`]
      : [` as the peer ${peerName},`, `prefixcast peer delete ${name}`];
  return `the speaker ${speaker} has the session with it${as} from the same address, and a router keeps one with each: ${remedy}, or give one of the speakers another ${setting}`;
}
