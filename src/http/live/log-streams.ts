/** Log files that are followed: each reader has a descriptor of its own, and gets the lines that it may see. */
import type { FastifyBaseLogger } from 'fastify';
import { mapInSlices } from '../../concurrency/slices.ts';
import { FollowedLog, type LogChange } from '../../logs/followed-log.ts';
import type { LogDirectory, OpenLog } from '../../logs/log-directory.ts';
import { lineFilter, type LineQuery } from '../../logs/log-lines.ts';
import { tailLog } from '../../logs/tail-log.ts';
import { OpenStreams, type StreamReader } from './open-streams.ts';
import { RETRY_MILLISECONDS, SentEvents } from './sent-events.ts';

/** How often it is looked for new lines. */
const LOOK_MILLISECONDS = 250;

export interface LogFollowing extends LineQuery {
  readonly directory: LogDirectory;
  readonly filename: string;
  /** Of the tail that stands before what is new. */
  readonly lines: number;
  readonly bytes: number;
}

export class LogStreams {
  readonly #log: FastifyBaseLogger;
  readonly #streams: OpenStreams<SentEvents, StreamReader>;

  constructor(log: FastifyBaseLogger) {
    this.#log = log;
    this.#streams = new OpenStreams('logs', log);
  }

  /** @throws {Problem} `rate_limited`, `not_found`, `runtime_logs_unavailable` */
  async open(reader: StreamReader, following: LogFollowing): Promise<SentEvents> {
    this.#streams.requirePlace(reader);
    return await following.directory.inTurn(reader.tenantId, async () => {
      // Others may have taken it meanwhile.
      this.#streams.requirePlace(reader);
      const open = await following.directory.open(following.filename);
      try {
        return await this.#begin(reader, following, open);
      } catch (error) {
        await open.handle.close();
        throw error;
      }
    });
  }

  /** Ends all streams, and opens none any more. */
  close(): void {
    this.#streams.close();
  }

  async #begin(reader: StreamReader, following: LogFollowing, open: OpenLog): Promise<SentEvents> {
    const { directory, lines: most, bytes } = following;
    const filter = lineFilter(following);
    const tail = await tailLog(open, { lines: most, bytes, filter, isFollowed: true });
    const before = await mapInSlices([...tail.lines], (line) => formatChange({ line }));
    const log = new FollowedLog(directory, open, tail.position, filter);
    const stream = new SentEvents({
      opening: `retry: ${RETRY_MILLISECONDS}\n\n${before.join('')}`,
      next: async () => (await log.next())?.map(formatChange).join('') ?? null,
      lookMilliseconds: LOOK_MILLISECONDS,
      onFault: (error) => this.#log.warn({ err: error }, 'A log file could not be followed'),
    });
    stream.once('close', () => log.close());
    return this.#streams.add(stream, reader);
  }
}

/** A line may hold any character, so it is sent as JSON. */
function formatChange(change: LogChange): string {
  if ('line' in change) return `event: line\ndata: ${JSON.stringify({ line: change.line })}\n\n`;
  return `event: ${change.event}\ndata: {}\n\n`;
}
