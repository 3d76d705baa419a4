/** Sessions that a write ends or begins: routers have no routes until another is up, and whoever reads that it is done must not believe so. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '#client';
import { say } from '../process/ask.ts';
import { EXIT } from '../process/command-error.ts';
import { counted, named, total } from '../render/counted.ts';
import { shellWord } from '../render/shell-word.ts';
import { inCommands } from './command-words.ts';
import { LeavingSessions } from './leaving-sessions.ts';
import { liveSpeakers } from './live-speakers.ts';
import { watchSent, type Sent } from './refused-routes.ts';
import type { Session } from './run-remote.ts';
import type { WaitOptions } from './wait.ts';
import { sessionKey, type DownSessions } from './without-session.ts';

type Effect = Pick<Schemas['Effect'], 'speakers'>;
type PeerEffect = Effect['speakers'][number]['peers'][number];
type Live = NonNullable<Schemas['Speaker']['live']>['sessions'][number];

/** In milliseconds; a router that is away longer does not know us by these settings, or waits after an error of ours. */
const TIMEOUT_MS = 30_000;
const LOOK_MS = 500;
/** After these, a session that is the same as before needed no new one: daemons differ, and say so seconds later. */
const SETTLED_MS = 6_000;

interface Awaited {
  readonly speakerId: string;
  readonly speaker: string;
  readonly peerId: string;
  readonly peer: string;
  readonly routes: number;
  /** Whether they may be more than the router takes: it had fewer, or it may be another router, or one that knows this speaker by other limits. */
  readonly isMore: boolean;
  /** Of the session before the write; undefined: there was none that was up. */
  readonly since: string | undefined;
}

type Begun = Pick<Schemas['Peer'], 'id' | 'name' | 'speaker_ids'>;

/** Of the writes of one command. */
export class EndedSessions {
  readonly #session: Session;
  #noted: Omit<Awaited, 'since'>[] = [];
  /** That peers are to have, by the id of the speaker and their name: one that a trial creates has another id than the one that is there then. */
  #routes: ReadonlyMap<string, number> = new Map();
  #awaited: readonly Awaited[] = [];
  /** Of the peer that was written, speakers that nobody runs yet: there is no session to wait for. */
  #absent: readonly string[] = [];
  /** Peers that keep their sessions, and are to have other routes. */
  #others: readonly Omit<Awaited, 'since'>[] = [];
  /** Those of them that are sent more than they have, with the session that they had before. */
  #sent: readonly (Awaited & Sent)[] = [];
  /** Those that end for good. */
  readonly #leaving: LeavingSessions;

  constructor(session: Session) {
    this.#session = session;
    this.#leaving = new LeavingSessions(session);
  }

  /** Ids and names of the peers whose sessions are waited for. */
  get peers(): ReadonlySet<string> {
    return new Set(this.#awaited.flatMap(({ peerId, peer }) => [peerId, peer]));
  }

  note({ speakers }: Effect): void {
    this.#leaving.note({ speakers });
    const expected = speakers.flatMap(({ speaker_id: id, peers }) =>
      peers.map(({ name, after }) => [`${id} ${name}`, total(after)] as const),
    );
    this.#routes = new Map(expected);
    const moved = movedPeers({ speakers });
    this.#others = speakers.flatMap(({ speaker_id: speakerId, name: speaker, peers }) =>
      peers
        .filter(({ session, before, after }) => session === 'same' && total(before) !== total(after))
        .map(({ peer_id: peerId, name: peer, before, after }) => {
          const isMore = total(after) > total(before);
          return { speakerId, speaker, peerId, peer, routes: total(after), isMore };
        }),
    );
    this.#noted = speakers.flatMap(({ speaker_id: speakerId, name: speaker, peers }) =>
      peers
        .filter(
          ({ session, peer_id: id, after }) => session !== 'same' || (moved.has(id) && total(after) > 0),
        )
        .map((peer) => {
          const { peer_id: peerId, name, before, after } = peer;
          const isMore = peer.session !== 'restarted' || total(after) > total(before);
          return { ...{ speakerId, speaker, peerId }, peer: name, routes: total(after), isMore };
        }),
    );
  }

  /** To be called right before the write. One that is down is waited for, too: the write may be the one that corrects it. */
  async beginWrite({ wait }: WaitOptions): Promise<void> {
    if (wait !== 'applied') return;
    await this.#leaving.beginWrite();
    const others = this.#others.filter(({ isMore }) => isMore);
    if (this.#noted.length === 0 && others.length === 0) return;
    const live = await this.#read([...this.#noted, ...others]);
    this.#sent = others.flatMap((one) => {
      const before = liveOf(live, one);
      return before?.state === 'established' ? [{ ...one, since: before.since }] : [];
    });
    const awaited = this.#noted.map((one) => {
      const before = liveOf(live, one);
      return { ...one, since: before?.state === 'established' ? before.since : undefined };
    });
    this.#awaited = [...this.#awaited, ...awaited];
    this.#noted = [];
  }

  /** The peer that was written, once it is: it is to get a session that it did not have, be there routes for it or not. */
  async begin({ wait }: WaitOptions, { id, name, speaker_ids: ids }: Begun): Promise<void> {
    if (wait !== 'applied') return;
    const all = (await this.#session.names.all('speaker')) as unknown as readonly Schemas['Speaker'][];
    const speakers = all.filter((one) => one.enabled && (ids.length === 0 || ids.includes(one.id)));
    this.#absent = speakers.filter(awaitsNode).map((one) => lackOfNode(name, one.name, this.#session));
    this.#awaited = speakers
      .filter((one) => !awaitsNode(one))
      .map((one) => ({
        ...{ speakerId: one.id, speaker: one.name, peerId: id, peer: name },
        ...{ routes: this.#routes.get(`${one.id} ${name}`) ?? 0, isMore: true, since: undefined },
      }));
  }

  /** Whether some session ends or begins by the write. */
  get isAny(): boolean {
    return this.#awaited.length > 0 || this.#leaving.isAny;
  }

  /**
   * What peers have whose sessions stay: where applies are frozen, daemons differ in whether they send such a change at once. Nobody waits for it
   * long.
   */
  async othersNow(): Promise<readonly { readonly line: string; readonly isThere: boolean }[]> {
    const until = Date.now() + SETTLED_MS;
    for (;;) {
      const live = await this.#read(this.#others);
      const shown = this.#others.map((one) => {
        const has = liveOf(live, one)?.routes_exported ?? 0;
        const isThere = has === one.routes;
        const then = isThere ? '' : `, and is to have ${one.routes}`;
        return { line: `${one.peer} at ${one.speaker} has ${counted(has, 'route')} now${then}`, isThere };
      });
      if (shown.every(({ isThere }) => isThere) || Date.now() > until) return shown;
      await sleep(LOOK_MS);
    }
  }

  /**
   * @param written peers whose own settings are written: what else is sent to others is watched by the apply that sends it
   * @returns the exit code: `partial` where one has not come back with its routes, does not bear them, or may not have ended that is to end
   */
  async wait(written: readonly string[] = []): Promise<number> {
    const left = await this.#leaving.wait(new Set(this.#awaited.map(({ peerId }) => peerId)));
    const begun = await this.#waitForBegun();
    const borne = await this.#watch(written, begun);
    return [begun, borne].find((code) => code !== EXIT.ok) ?? left;
  }

  /** @param begun how the waiting for sessions has ended, which says it of those that did not begin */
  async #watch(written: readonly string[], begun: number): Promise<number> {
    const live = await this.#read(this.#awaited);
    const up = this.#awaited.flatMap((one) => {
      const now = liveOf(live, one);
      if (now === undefined || !one.isMore) return [];
      const isSent = now.state === 'established' ? now.routes_exported > 0 : begun === EXIT.ok;
      return isSent ? [{ ...one, since: now.since }] : [];
    });
    const sent = [...up, ...this.#sent.filter(({ peerId }) => written.includes(peerId))];
    return watchSent(this.#session, sent, async (watched) => {
      const read = await this.#read(watched);
      return new Map(watched.map((one) => [one, liveOf(read, one)]));
    });
  }

  async #waitForBegun(): Promise<number> {
    const begun = Date.now();
    const until = Math.min(begun + TIMEOUT_MS, this.#session.deadline?.until ?? Infinity);
    let left = this.#awaited;
    let exitCode: number = this.#absent.length > 0 ? EXIT.partial : EXIT.ok;
    for (const line of this.#absent) say(line);
    if (left.length > 0) say(`Waiting for ${counted(left.length, 'session')}`);
    for (;;) {
      const live = await this.#read(left);
      const isSettled = Date.now() - begun > SETTLED_MS;
      for (const one of left) {
        const back = liveOf(live, one);
        if (!isBack(one, back, isSettled) || back!.reverted !== null || back!.last_error === null) continue;
        exitCode = EXIT.partial;
        say(
          `${one.peer} at ${one.speaker} has a session, and not all routes: ${inCommands(back!.last_error, this.#session.contextWords)}`,
        );
      }
      left = left.filter((one) => !isBack(one, liveOf(live, one), isSettled));
      if (left.length === 0) return exitCode;
      if (Date.now() > until) {
        for (const one of left) say(lackText(one, liveOf(live, one)));
        const { contextWords } = this.#session;
        say(
          `Speakers go on calling, once a minute at least: prefixcast${contextWords} session watch shows when it is up`,
        );
        return EXIT.partial;
      }
      await sleep(LOOK_MS);
    }
  }

  async #read(wanted: readonly Omit<Awaited, 'since'>[]): Promise<ReadonlyMap<string, Live>> {
    const found = new Map<string, Live>();
    const speakers = await liveSpeakers(this.#session, new Set(wanted.map(({ speakerId }) => speakerId)));
    for (const { id, live } of speakers)
      for (const one of live?.sessions ?? [])
        for (const word of [one.peer_id, one.peer_name]) found.set(`${id} ${word}`, one);
    return found;
  }
}

function awaitsNode({ mode, agent }: Schemas['Speaker']): boolean {
  return mode === 'agent' && agent === null;
}

function lackOfNode(peer: string, speaker: string, { contextWords }: Session): string {
  return `${peer} at ${speaker} gets its session once a node has enrolled: prefixcast${contextWords} node enroll ${shellWord(speaker)}`;
}

/** A peer that a trial has created has another id than the one that the write creates. */
function liveOf(
  live: ReadonlyMap<string, Live>,
  { speakerId, peerId, peer }: Pick<Awaited, 'speakerId' | 'peerId' | 'peer'>,
): Live | undefined {
  return live.get(`${speakerId} ${peerId}`) ?? live.get(`${speakerId} ${peer}`);
}

function isBack({ routes, since }: Awaited, live: Live | undefined, isSettled: boolean): boolean {
  if (live?.state !== 'established' || (live.since === since && !isSettled)) return false;
  // One that is over its limit, or was reverted, holds others, which the apply says.
  return live.routes_exported >= routes || live.reverted !== null || (isSettled && live.last_error !== null);
}

function lackText({ peer, speaker, routes, since: before }: Awaited, live: Live | undefined): string {
  const reason = live?.last_error ?? null;
  const because = reason === null ? '' : `: ${reason}`;
  if (live?.state === 'established')
    return `${peer} at ${speaker} has ${live.routes_exported} of its ${counted(routes, 'route')} yet${because}`;
  const since = before === undefined ? 'yet' : 'since then';
  return `${peer} at ${speaker} has no session ${since}, and no routes from us${because}`;
}

/** What becomes of the session, in a line of the peer. */
export function sessionText({ session }: Pick<PeerEffect, 'session'>): string {
  if (session === 'same') return '';
  return session === 'restarted'
    ? ', and its session begins again'
    : ', but its session ends, and its routes leave it until another is up';
}

/** Null: no router would lose its routes by the end of its session. */
export function endedText({ speakers }: Effect, down: DownSessions): string | null {
  const moved = movedPeers({ speakers });
  const ended = speakers.flatMap(({ speaker_id: id, peers }) =>
    peers.filter(
      (peer) =>
        (peer.session === 'replaced' || moved.has(peer.peer_id)) &&
        total(peer.before) > 0 &&
        !down.has(sessionKey(id, peer.peer_id)),
    ),
  );
  if (ended.length === 0) return null;
  const { count, names } = named(
    'peer',
    ended.map(({ name }) => name),
  );
  return `This ends the session with ${count}, and its routes leave until another is up: ${names}`;
}

/** A peer that a speaker sends something, and is to send nothing. */
export function isLeft({ before, after }: Pick<Schemas['PeerEffect'], 'before' | 'after'>): boolean {
  return total(before) > 0 && total(after) === 0;
}

/** Those that lose all routes of one speaker, and get them from another: in between, nobody announces to them. @returns how many they get, by their ids */
export function movedPeers({ speakers }: Effect): ReadonlyMap<string, number> {
  const peers = speakers.flatMap((speaker) => speaker.peers);
  const left = new Set(peers.filter(isLeft).map((peer) => peer.peer_id));
  const stays = peers.filter(({ before, after }) => total(before) > 0 && total(after) > 0);
  for (const { peer_id: id } of stays) left.delete(id);
  const taken = peers.filter(({ before, after }) => total(before) === 0 && total(after) > 0);
  return new Map(
    taken.flatMap(({ peer_id: id, after }) => (left.has(id) ? [[id, total(after)] as const] : [])),
  );
}
