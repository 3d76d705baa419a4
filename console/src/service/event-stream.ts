/**
 * One stream of events for all tabs. The tab that holds a lock of the browser reads it and passes events on over a channel; when that tab
 * is closed, the lock goes to another one, which resumes after the last event. A SharedWorker would do the same with a second script, which
 * Trusted Types would need an exception for.
 */
import type { ApiEvent } from '@prefixcast/client';
import { client } from './client.ts';

export type StreamState = 'connecting' | 'open' | 'broken';

/** `isAsked`: a tab that has just been opened wants to know the state. `isGap`: events may have been missed. */
type Message =
  | { readonly event: ApiEvent }
  | { readonly state: StreamState }
  | { readonly isAsked: true }
  | { readonly isGap: true };

export interface StreamListener {
  onEvent(event: ApiEvent): void;
  onState(state: StreamState): void;
  /** Nobody knows what has happened since the last event. */
  onGap(): void;
}

/**
 * Listens until the signal aborts.
 * @param tenantId whose events they are: sessions of two tenants in one browser have two streams
 * @param since the last event before whatever the page shows was read: what happens until the stream is open is not missed
 */
export function followSharedEvents(
  tenantId: string,
  since: string | undefined,
  listener: StreamListener,
  signal: AbortSignal,
): void {
  const name = `prefixcast-events-${tenantId}`;
  const channel = new BroadcastChannel(name);
  const last: { eventId: string | undefined; ownState?: StreamState; othersState?: StreamState } = {
    eventId: since,
  };
  const take = (message: Message): void => {
    if ('event' in message) {
      last.eventId = message.event.id;
      listener.onEvent(message.event);
    } else if ('state' in message) listener.onState(message.state);
    else if ('isGap' in message) listener.onGap();
    else if (last.ownState !== undefined) channel.postMessage({ state: last.ownState } satisfies Message);
  };
  const tell = (message: Message): void => {
    if (signal.aborted) return;
    channel.postMessage(message);
    take(message);
  };
  const change = (state: StreamState): void => {
    if (state !== last.ownState) tell({ state: (last.ownState = state) });
  };
  channel.addEventListener('message', ({ data }) => {
    const message = data as Message;
    if ('state' in message) last.othersState = message.state;
    take(message);
  });
  channel.postMessage({ isAsked: true } satisfies Message);
  signal.addEventListener('abort', () => channel.close(), { once: true });

  const read = async (): Promise<void> => {
    // Whoever takes over without having heard of an event cannot say where to resume: what happened in between is missed.
    let hasGap = last.othersState !== undefined && last.eventId === undefined;
    const events = client.events({
      ...{ lastEventId: last.eventId, signal },
      onOpen: () => {
        change('open');
        if (hasGap) tell({ isGap: true });
        hasGap = false;
      },
      onBreak: () => change('broken'),
    });
    for await (const event of events) tell({ event });
  };
  // The stream is refused for good where the session has ended, which every other request finds out as well.
  navigator.locks.request(name, { signal }, read).catch(() => change('broken'));
}
