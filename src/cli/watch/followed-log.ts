/** A log file that is followed until Ctrl-C, through restarts of the service. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiProblem, isRefusal, readEventStream, type Schemas } from '#client';
import { say } from '../process/ask.ts';
import { print } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';
import { untilInterrupted } from './live.ts';

type Query = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** Lines that are looked through for what came while nothing was followed. */
const LOOKED_THROUGH = 1_000;
const PAUSE_MILLISECONDS = 2_000;

/** @param path of the file @param query which of its lines */
export async function followLog(session: Session, path: string, query: Query): Promise<void> {
  const { signal } = untilInterrupted(session);
  const log = new FollowedLog(session.client, path, query, signal);
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      await (isFirst ? log.follow() : log.resume());
    } catch (error) {
      if (signal.aborted) return;
      if (isRefusal(error) || (isFirst && error instanceof ApiProblem)) throw error;
    }
    if (signal.aborted) return;
    say('The service has ended the stream of lines: going on with it when it answers');
    await pause(PAUSE_MILLISECONDS, undefined, { signal }).catch(() => undefined);
  }
}

class FollowedLog {
  readonly #client: Session['client'];
  readonly #path: string;
  readonly #query: Query;
  readonly #signal: AbortSignal;
  #last: string | null = null;

  constructor(client: Session['client'], path: string, query: Query, signal: AbortSignal) {
    this.#client = client;
    this.#path = path;
    this.#query = query;
    this.#signal = signal;
  }

  /** @param known lines that stand there already, and with which the stream begins */
  async follow(query: Query = this.#query, known: ReadonlySet<string> = new Set()): Promise<void> {
    const headers = { accept: 'text/event-stream' };
    const asked = { query: { ...query, follow: true }, headers, signal: this.#signal };
    const { body } = await this.#client.request('GET', this.#path, asked);
    let isKnown = true;
    for await (const part of readEventStream(body!)) {
      if (!('event' in part)) continue;
      const { kind, data } = part.event;
      if (kind !== 'line') {
        print(`-- ${kind} --\n`);
        continue;
      }
      const { line } = JSON.parse(data) as { line: string };
      isKnown &&= known.has(line);
      if (!isKnown) this.#show(line);
    }
  }

  /** What came meanwhile first, and no line a second time. */
  async resume(): Promise<void> {
    const query = { ...this.#query, lines: LOOKED_THROUGH };
    const headers = { accept: 'application/json' };
    const answer = await this.#client.request('GET', this.#path, { query, headers, signal: this.#signal });
    const { lines } = (await answer.json()) as Schemas['RuntimeLogTail'];
    const at = this.#last === null ? -1 : lines.lastIndexOf(this.#last);
    for (const line of lines.slice(at + 1)) this.#show(line);
    await this.follow(query, new Set(lines));
  }

  #show(line: string): void {
    print(`${line}\n`);
    this.#last = line;
  }
}
