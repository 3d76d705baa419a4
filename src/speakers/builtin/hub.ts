/** All speakers of the thread around one listening socket. */
import { SpeakerError } from '../speaker.ts';
import { Announcer } from './announcer.ts';
import { IncomingCalls } from './incoming.ts';
import { Listener } from './listener.ts';
import type { Peer } from './peer.ts';
import type { Answers, Command, Report, ThreadOptions } from './protocol.ts';
import { ReadingTurns } from './reading-turns.ts';
import { Scheduler } from './scheduler.ts';
import { SoleSessions } from './sole-sessions.ts';

export class Hub {
  readonly #options: ThreadOptions;
  readonly #report: (report: Report) => void;
  readonly #speakers = new Map<string, Announcer>();
  readonly #scheduler = new Scheduler();
  readonly #reading = new ReadingTurns();
  readonly #soleSessions = new SoleSessions();
  readonly #listener: Listener;

  constructor(options: ThreadOptions, report: (report: Report) => void) {
    this.#options = options;
    this.#report = report;
    const calls = new IncomingCalls(
      () => this.#peers,
      (address, reason) => {
        report({ type: 'log', level: 'warn', text: 'refused a BGP connection', fields: { address, reason } });
      },
    );
    this.#listener = new Listener(options.listen, {
      onSocket: calls.take,
      onAddress: (address) => report({ type: 'listening', address }),
      onFailure: (text) => report({ type: 'log', level: 'warn', text, fields: {} }),
    });
  }

  async execute(command: Command): Promise<Answers[Command['type']]> {
    switch (command.type) {
      case 'configure':
        this.#speaker(command.speakerId).configure(command.model);
        await this.#listen(command.speakerId);
        return null;
      case 'apply': {
        const outcome = await this.#speaker(command.speakerId).apply(command.routes);
        await this.#listen(command.speakerId);
        return outcome;
      }
      case 'hurry':
        this.#speakers.get(command.speakerId)?.hurry();
        return null;
      case 'status':
        return this.#speaker(command.speakerId).status(this.#listener.error);
      case 'close': {
        const speaker = this.#speakers.get(command.speakerId);
        this.#speakers.delete(command.speakerId);
        if (this.#peers.length === 0) this.#listener.close();
        await speaker?.close(command.graceful);
        return null;
      }
    }
  }

  get #peers(): Peer[] {
    return [...this.#speakers.values()].flatMap(({ peers }) => peers);
  }

  #speaker(speakerId: string): Announcer {
    let speaker = this.#speakers.get(speakerId);
    if (speaker === undefined) {
      speaker = new Announcer({
        scheduler: this.#scheduler,
        reading: this.#reading,
        soleSessions: this.#soleSessions,
        timeout: this.#options.timeout,
        version: this.#options.version,
        onSession: (change) => this.#report({ type: 'session', change: { speakerId, ...change } }),
      });
      this.#speakers.set(speakerId, speaker);
    }
    return speaker;
  }

  /** Peers that are only called work without the socket; passive ones do not. */
  async #listen(speakerId: string): Promise<void> {
    if (this.#peers.length === 0) {
      this.#listener.close();
      return;
    }
    await this.#listener.open();
    const peers = this.#speakers.get(speakerId)?.peers ?? [];
    if (this.#listener.error !== null && peers.some(({ model }) => model.passive)) {
      throw new SpeakerError('listen_failed', this.#listener.error);
    }
  }
}
