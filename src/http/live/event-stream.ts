import type { StoredEvent } from '../../store/events.ts';
import { RETRY_MILLISECONDS, SentEvents } from './sent-events.ts';

/** Hints get lost; the events themselves do not. */
const LOOK_MILLISECONDS = 2_000;

export interface EventSource {
  /** The next events after that number, in order; none when there are none yet. */
  readonly read: (after: number) => Promise<readonly StoredEvent[]>;
  /** What the log keeps of a look that failed, the first of several in a row; it is tried again. */
  readonly onFault: (error: unknown) => void;
}

/** How one stream is sent. */
export interface EventStreamOptions extends EventSource {
  readonly after: number;
  /** Set when the id that the reader came with leads nowhere. */
  readonly lostId: string | null;
  readonly heartbeatMilliseconds?: number;
  readonly timeoutMilliseconds?: number;
}

/** The events of a tenant for one reader, from one of them on. */
export class EventStream extends SentEvents {
  constructor(options: EventStreamOptions) {
    const { read, onFault, heartbeatMilliseconds, timeoutMilliseconds } = options;
    let { after } = options;
    const next = async (): Promise<string | null> => {
      const events = await read(after);
      after = events.at(-1)?.sequence ?? after;
      return events.length === 0 ? null : events.map(formatEvent).join('');
    };
    super({
      ...{ opening: opening(options), next, onFault, lookMilliseconds: LOOK_MILLISECONDS },
      ...{ heartbeatMilliseconds, timeoutMilliseconds },
    });
  }
}

/** The id goes first, so that a reader who is cut off before the first event goes on from here all the same. */
function opening({ after, lostId }: EventStreamOptions): string {
  const start = `retry: ${RETRY_MILLISECONDS}\nid: ${after}\n`;
  if (lostId === null) return `${start}\n`;
  return `${start}event: reset\ndata: ${JSON.stringify({ last_event_id: lostId })}\n\n`;
}

function formatEvent({ sequence, kind, data }: StoredEvent): string {
  return `id: ${sequence}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}
