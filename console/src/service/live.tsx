/** Keeps what pages show current: each event of the service makes stale what it is about. */
import type { ApiEvent } from '@prefixcast/client';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { followSharedEvents, type StreamState } from './event-stream.ts';

type EventListener = (event: ApiEvent) => void;

interface Live {
  readonly state: StreamState;
  /** @returns what ends it */
  listen(listener: EventListener): () => void;
}

const LiveContext = createContext<Live | null>(null);

/** Which queries an event of a kind makes stale, by the beginning of their keys. */
const STALE: Readonly<Record<ApiEvent['kind'], readonly string[]>> = {
  job: ['jobs', 'audit'],
  revision: ['revisions', 'revision', 'modules', 'session', 'lookup', 'containing'],
  session: ['speakers', 'peers'],
  apply: ['speakers', 'revisions', 'revision', 'lookup', 'settings'],
  module: ['modules', 'entries', 'held-diff', 'lookup', 'sources'],
  source: ['modules', 'entries', 'sources', 'lookup'],
  tenant: ['session', 'settings', 'api-keys', 'communities', 'resolvers', 'feeds', 'webhooks'],
  reset: [],
};
/** A burst of events, such as those of two thousand speakers, asks once. */
const GATHER_MILLISECONDS = 250;

/** Listens to the events of a tenant while what is inside is shown. */
export function LiveUpdates({ tenantId, children }: { tenantId: string; children: ReactNode }) {
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>('connecting');
  const listeners = useRef(new Set<EventListener>());
  useEffect(() => {
    const end = new AbortController();
    const stale = new StaleQueries(queries);
    const onEvent = (event: ApiEvent): void => {
      stale.add(event.kind);
      for (const listener of listeners.current) listener(event);
    };
    const onGap = (): void => void queries.invalidateQueries();
    const onState = (now: StreamState): void => {
      setState(now);
      // It may have ended with the session, which nobody should learn at the next click.
      if (now === 'broken') void queries.invalidateQueries({ queryKey: ['session'] });
    };
    followSharedEvents(tenantId, { onEvent, onState, onGap }, end.signal);
    return () => end.abort();
  }, [tenantId, queries]);
  const live = useMemo<Live>(
    () => ({
      state,
      listen: (listener) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [state],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useStreamState(): StreamState {
  return useContext(LiveContext)?.state ?? 'connecting';
}

/** @param listener may be another one at each render */
export function useEvents(listener: EventListener): void {
  const live = useContext(LiveContext);
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => live?.listen((event) => latest.current(event)), [live]);
}

class StaleQueries {
  readonly #queries: QueryClient;
  readonly #keys = new Set<string>();
  #isWaiting = false;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  add(kind: ApiEvent['kind']): void {
    if (kind === 'reset') {
      // Nobody knows what was missed.
      void this.#queries.invalidateQueries();
      return;
    }
    for (const key of STALE[kind]) this.#keys.add(key);
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => this.#flush(), GATHER_MILLISECONDS);
  }

  #flush(): void {
    this.#isWaiting = false;
    const keys = [...this.#keys];
    this.#keys.clear();
    for (const key of keys) void this.#queries.invalidateQueries({ queryKey: [key] });
  }
}
