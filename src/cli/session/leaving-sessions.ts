/**
 * Sessions that a write ends for good, as of a speaker that is disabled. Whoever reads that it is done must not believe that routers have lost the
 * routes while a node that is out of reach goes on announcing them, or that they have those of another speaker before that has its session.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '#client';
import { say } from '../process/ask.ts';
import { EXIT } from '../process/command-error.ts';
import { counted, named, total } from '../render/counted.ts';
import { liveSpeakers } from './live-speakers.ts';
import type { Session } from './run-remote.ts';

type Effect = Pick<Schemas['Effect'], 'speakers'>;
type Speaker = Schemas['Speaker'];
type Peer = Schemas['Peer'];

/** In milliseconds: a node that is in reach is shown as silent by then. */
const TIMEOUT_MS = 30_000;
const LOOK_MS = 200;
/** After these, a session without all routes is one that its speaker has no more for. */
const SETTLED_MS = 6_000;

/** A peer that a speaker is to have no session with any more. */
interface Leaving {
  readonly speakerId: string;
  readonly speaker: string;
  readonly peerId: string;
  readonly peer: string;
  readonly routes: number;
  /** Whether it had a session before the write, as far as anybody knows. */
  readonly wasUp: boolean;
}

/** A peer that other speakers are to announce to from then on. */
interface TakenOver {
  readonly peerId: string;
  readonly peer: string;
  readonly speakerIds: readonly string[];
  readonly routes: number;
}

export class LeavingSessions {
  readonly #session: Session;
  #noted: readonly Omit<Leaving, 'wasUp'>[] = [];
  #leaving: readonly Leaving[] = [];
  #takenOver: readonly TakenOver[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  get isAny(): boolean {
    return this.#leaving.length > 0;
  }

  note({ speakers }: Effect): void {
    this.#noted = speakers.flatMap(({ speaker_id: speakerId, name: speaker, peers }) =>
      peers
        .filter(({ before, after }) => total(before) > 0 && total(after) === 0)
        .map(({ peer_id: peerId, name: peer, before }) => {
          return { speakerId, speaker, peerId, peer, routes: total(before) };
        }),
    );
  }

  /** To be called right before the write. */
  async beginWrite(): Promise<void> {
    if (this.#noted.length === 0) return;
    const speakers = await this.#speakers();
    const noted = this.#noted.map((one) => ({ ...one, wasUp: isUp(speakers.get(one.speakerId), one) }));
    this.#leaving = [...this.#leaving, ...noted];
    this.#noted = [];
  }

  /**
   * @param awaited ids of peers whose next session somebody else waits for
   * @returns the exit code: `partial` where a router may have the routes still, or has none of another speaker yet
   */
  async wait(awaited: ReadonlySet<string>): Promise<number> {
    if (this.#leaving.length === 0) return EXIT.ok;
    await this.#readWritten(awaited);
    const begun = Date.now();
    const until = Math.min(begun + TIMEOUT_MS, this.#session.deadline?.until ?? Infinity);
    let exitCode: number = EXIT.ok;
    for (let looks = 1; this.#leaving.length + this.#takenOver.length > 0; looks++) {
      const speakers = await this.#speakers();
      const isOver = Date.now() > until;
      const lacks = [
        ...this.#endedLines(speakers, isOver),
        ...this.#takenLines(speakers, isOver, Date.now() - begun > SETTLED_MS),
      ];
      for (const line of lacks) say(line);
      if (lacks.length > 0) exitCode = EXIT.partial;
      if (isOver || this.#leaving.length + this.#takenOver.length === 0) break;
      if (looks === 1 && this.#leaving.length > 0)
        say(`Waiting for ${counted(this.#leaving.length, 'session')} to end`);
      await sleep(LOOK_MS);
    }
    return exitCode;
  }

  /** Goes on with those that have not ended. @returns what is said of those that are waited for no longer */
  #endedLines(speakers: ReadonlyMap<string, Speaker>, isOver: boolean): string[] {
    const lines: string[] = [];
    this.#leaving = this.#leaving.filter((one) => {
      const speaker = speakers.get(one.speakerId);
      const isLeft = isUp(speaker, one);
      if (isAway(speaker, one)) {
        lines.push(awayText(one, speaker!));
        return false;
      }
      if (isLeft && isOver)
        lines.push(
          `${one.peer} at ${one.speaker} still has its session, and ${counted(one.routes, 'route')}: prefixcast${this.#session.contextWords} session watch shows when it ends`,
        );
      return isLeft;
    });
    return lines;
  }

  #takenLines(speakers: ReadonlyMap<string, Speaker>, isOver: boolean, isSettled: boolean): string[] {
    this.#takenOver = this.#takenOver.filter((one) => !isTaken(one, speakers, isSettled));
    if (!isOver) return [];
    return this.#takenOver.map(({ peer, speakerIds }) => {
      const { names } = named(
        'speaker',
        speakerIds.map((id) => speakers.get(id)?.name ?? id),
      );
      return `${peer} has no routes from us now: ${names} ${speakerIds.length === 1 ? 'has' : 'have'} no session with it yet. prefixcast${this.#session.contextWords} session watch shows when it is up`;
    });
  }

  /** Peers that the speaker serves as before, and sends other routes, have a session that stays. */
  async #readWritten(awaited: ReadonlySet<string>): Promise<void> {
    const speakers = await this.#speakers();
    const peers = await this.#peers();
    const serves = (speaker: Speaker | undefined, peer: Peer | undefined): boolean =>
      speaker?.enabled === true &&
      peer?.enabled === true &&
      (peer.speaker_ids.length === 0 || peer.speaker_ids.includes(speaker.id));
    this.#leaving = this.#leaving.filter(
      ({ speakerId, peerId }) => !serves(speakers.get(speakerId), peers.get(peerId)),
    );
    // A router that had no session has lost nothing by this.
    const lost = this.#leaving.filter(({ wasUp, peerId }) => wasUp && !awaited.has(peerId));
    this.#takenOver = [...Map.groupBy(lost, ({ peerId }) => peerId)].flatMap(([peerId, left]) => {
      const others = [...speakers.values()].filter(
        (one) => one.applied_revision_id !== null && serves(one, peers.get(peerId)),
      );
      if (others.length === 0) return [];
      const routes = Math.min(...left.map((one) => one.routes));
      return [{ peerId, peer: left[0]!.peer, speakerIds: others.map(({ id }) => id), routes }];
    });
  }

  async #speakers(): Promise<ReadonlyMap<string, Speaker>> {
    return new Map((await liveSpeakers(this.#session)).map((one) => [one.id, one]));
  }

  async #peers(): Promise<ReadonlyMap<string, Peer>> {
    const all = await this.#session.client.list('/v1/peers', { params: { query: { limit: 500 } } }).toArray();
    return new Map(all.map((one) => [one.id, one]));
  }
}

type Of = Pick<Leaving, 'peerId'>;

/** As far as anybody knows. */
function isUp(speaker: Speaker | undefined, one: Of): boolean {
  return sessionOf(speaker, one)?.state === 'established' || isAway(speaker, one);
}

/** The node that had it up does not report. */
function isAway(speaker: Speaker | undefined, { peerId }: Of): boolean {
  const known = speaker?.live?.last_known_sessions ?? [];
  return known.some((one) => one.peer_id === peerId && one.was_established);
}

function sessionOf(speaker: Speaker | undefined, { peerId }: Of): Schemas['LiveSession'] | undefined {
  return speaker?.live?.sessions.find((one) => one.peer_id === peerId);
}

function isTaken(
  { speakerIds, routes, peerId }: TakenOver,
  speakers: ReadonlyMap<string, Speaker>,
  isSettled: boolean,
): boolean {
  return speakerIds.some((id) => {
    const session = sessionOf(speakers.get(id), { peerId });
    return session?.state === 'established' && (isSettled || session.routes_exported >= routes);
  });
}

function awayText({ peer, speaker, routes }: Leaving, { agent }: Speaker): string {
  const since = agent?.last_seen_at === undefined ? '' : `, last seen at ${agent.last_seen_at},`;
  return `${peer} at ${speaker}: the node${since} is out of reach. It goes on announcing what it ran, ${counted(routes, 'route')}, if it runs, and withdraws that when it is back`;
}
