/** Compares successive statuses of a speaker and reports what happened in between. For all daemons. */
import { isDeepStrictEqual } from 'node:util';
import { counted, duration, type OperatorEvent } from '../api/activity/operator-events.ts';
import type { SessionStatus, SpeakerStatus } from './speaker.ts';

/** A peer as log lines name it. */
export interface WatchedPeer {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** All settings of its session, where the watcher knows them. */
  readonly settings?: unknown;
}

/** Milliseconds after which a change of settings has ended the session at the latest. */
const CHANGE_SHOWS = 10_000;

interface Known {
  readonly peer: WatchedPeer;
  /** Since when the session is up. */
  readonly since: string;
}

export class SessionWatch {
  /** Sessions that are up, by peer. */
  readonly #up = new Map<string, Known>();
  /** Settings of peers at the last look, and when they last changed. */
  readonly #settings = new Map<string, { readonly settings: unknown; readonly changedAt: number }>();
  readonly #speaker: { readonly id: string };
  #name: string;
  #isSilent = false;

  constructor(speaker: { readonly id: string; readonly name?: string }) {
    this.#speaker = speaker;
    this.#name = speaker.name ?? speaker.id;
  }

  /**
   * Events since the last look. Sessions that are up at the first look are reported then; sessions that were never up are not reported.
   * @param peers the configured peers; the session of a removed one counts as down
   */
  observe(name: string, peers: readonly WatchedPeer[], status: SpeakerStatus): OperatorEvent[] {
    this.#name = name;
    const events: OperatorEvent[] = [];
    this.#noteSettings(peers);
    if (status.reachable === this.#isSilent) {
      this.#isSilent = !status.reachable;
      events.push(status.reachable ? this.#answers() : this.#silent(status.error));
    }
    // The state of its sessions is unknown.
    if (!status.reachable) return events;
    const sessions = new Map(status.sessions.map((session) => [session.peerId, session]));
    const byId = new Map(peers.map((peer) => [peer.id, peer]));
    for (const [id, known] of this.#up) {
      const session = sessions.get(id);
      if (session?.state === 'established' && session.since === known.since) continue;
      this.#up.delete(id);
      events.push(this.#down(known, session, byId.has(id)));
    }
    for (const [id, session] of sessions) {
      const peer = byId.get(id);
      if (peer === undefined || session.state !== 'established' || this.#up.has(id)) continue;
      this.#up.set(id, { peer, since: session.since });
      events.push(this.#came(peer, session));
    }
    return events;
  }

  #noteSettings(peers: readonly WatchedPeer[]): void {
    for (const { id, settings } of peers) {
      const known = this.#settings.get(id);
      if (known !== undefined && isDeepStrictEqual(known.settings, settings)) continue;
      const changedAt = known === undefined ? -Infinity : performance.now();
      this.#settings.set(id, { settings, changedAt });
    }
    const ids = new Set(peers.map(({ id }) => id));
    for (const id of this.#settings.keys()) if (!ids.has(id)) this.#settings.delete(id);
  }

  #wasChanged(peerId: string): boolean {
    const { changedAt = -Infinity } = this.#settings.get(peerId) ?? {};
    return performance.now() - changedAt < CHANGE_SHOWS;
  }

  /** The speaker has ended all its sessions. */
  end(reason: string): OperatorEvent[] {
    const events = Array.from(this.#up.values(), (known) => this.#wentDown(known, null, reason));
    this.#up.clear();
    return events;
  }

  #came(peer: WatchedPeer, { since }: SessionStatus): OperatorEvent {
    const text = `The session with ${titleOf(peer)} is up on the speaker ${this.#name}`;
    return { event: 'session_up', text, fields: { ...this.#fields(), ...fieldsOf(peer), since } };
  }

  #down(known: Known, session: SessionStatus | undefined, isConfigured: boolean): OperatorEvent {
    const gone = isConfigured
      ? 'the daemon has no such session any more'
      : 'the peer was disabled or deleted, or is for other speakers now';
    const error = session?.lastError ?? null;
    const cause = this.#wasChanged(known.peer.id)
      ? `its settings were changed, so the session starts again${error === null ? '' : ` (${error})`}`
      : error;
    const reason = session === undefined ? gone : cause;
    // For a session that is up again, the time of its end is unknown.
    const ended = session === undefined || session.state === 'established' ? null : session.since;
    return this.#wentDown(known, ended, reason);
  }

  #wentDown({ peer, since }: Known, ended: string | null, reason: string | null): OperatorEvent {
    const seconds = ended === null ? null : (Date.parse(ended) - Date.parse(since)) / 1_000;
    const after = seconds === null || seconds < 0 ? '' : ` after ${duration(seconds)}`;
    const words = reason ?? 'the daemon does not say why';
    return {
      event: 'session_down',
      text: `The session with ${titleOf(peer)} went down on the speaker ${this.#name}${after}: ${words}`,
      fields: { ...this.#fields(), ...fieldsOf(peer), since, reason },
    };
  }

  #silent(error: string | null): OperatorEvent {
    const known =
      this.#up.size === 0
        ? ''
        : `. What became of ${this.#up.size === 1 ? 'its session' : `its ${counted(this.#up.size, 'session')}`} is not known`;
    const why = (error ?? 'it does not say why').replace(/\.$/, '');
    return {
      event: 'speaker_silent',
      text: `The daemon of the speaker ${this.#name} does not answer: ${why}${known}`,
      fields: { ...this.#fields(), reason: error },
    };
  }

  #answers(): OperatorEvent {
    const text = `The daemon of the speaker ${this.#name} answers again`;
    return { event: 'speaker_answers', text, fields: this.#fields() };
  }

  #fields(): Readonly<Record<string, unknown>> {
    return { speaker_id: this.#speaker.id, speaker: this.#name };
  }
}

function titleOf({ name, address }: WatchedPeer): string {
  return name === address ? name : `${name} (${address})`;
}

function fieldsOf({ id, name, address }: WatchedPeer): Readonly<Record<string, unknown>> {
  return { peer_id: id, peer: name, peer_address: address };
}
