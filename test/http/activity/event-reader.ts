/** A client of server-sent events that keeps what it is sent. */
import { get, type IncomingMessage } from 'node:http';
import type { TSchema } from 'typebox';
import {
  ApplyEvent,
  AuditEvent,
  JobEvent,
  ModuleEvent,
  ResetEvent,
  RevisionEvent,
  SessionEvent,
  SourceEvent,
  TenantEvent,
} from '../../../src/api/activity/events.ts';

/** What each kind of event holds. */
export const EVENT_SCHEMAS: Readonly<Record<string, TSchema>> = {
  job: JobEvent,
  revision: RevisionEvent,
  session: SessionEvent,
  apply: ApplyEvent,
  module: ModuleEvent,
  source: SourceEvent,
  tenant: TenantEvent,
  audit: AuditEvent,
  reset: ResetEvent,
};

export interface SeenEvent {
  readonly id: string;
  readonly kind: string;
  readonly data: Record<string, unknown>;
}

export class EventReader {
  readonly events: SeenEvent[] = [];
  readonly comments: string[] = [];
  /** Id to come back with; that of the stream's beginning before the first event. */
  lastId: string | null = null;
  retry: number | null = null;
  hasEnded = false;
  readonly response: IncomingMessage;

  private constructor(response: IncomingMessage) {
    this.response = response;
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) this.#take(block);
    });
    response.on('error', () => undefined);
    response.on('close', () => (this.hasEnded = true));
  }

  /** @param path with its query */
  static async open(url: string, key: string, lastEventId: string | null = null): Promise<EventReader> {
    const id = lastEventId === null ? {} : { 'last-event-id': lastEventId };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { headers: { authorization: `Bearer ${key}`, ...id }, agent: false }, resolve).on(
        'error',
        reject,
      );
    });
    return new EventReader(response);
  }

  close(): void {
    this.response.destroy();
  }

  #take(block: string): void {
    let id: string | null = null;
    let kind: string | null = null;
    let data: string | null = null;
    for (const line of block.split('\n')) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line)!;
      if (name === '') this.comments.push(value);
      if (name === 'retry') this.retry = Number(value);
      if (name === 'id') id = value;
      if (name === 'event') kind = value;
      if (name === 'data') data = value;
    }
    this.lastId = id ?? this.lastId;
    if (id !== null && kind !== null && data !== null)
      this.events.push({ id, kind, data: JSON.parse(data) as Record<string, unknown> });
  }
}
