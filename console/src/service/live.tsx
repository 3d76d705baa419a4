/** Keeps what pages show current: each event of the service makes stale what it is about. */
import type { ApiEvent } from '@prefixcast/client';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { ENTRY_TYPES } from '../../../src/api/entries/entry-kinds.ts';
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
  revision: ['revisions', 'revision', 'diff', 'modules', 'session', 'lookup', 'containing'],
  session: ['speakers', 'peers'],
  apply: ['speakers', 'revisions', 'revision', 'diff', 'lookup', 'settings'],
  module: ['modules', 'entries', 'held-diff', 'lookup', 'sources'],
  source: ['modules', 'entries', 'sources', 'lookup'],
  tenant: ['session', 'settings', 'tenants'],
  // And what the record is about; see EDITED.
  audit: ['audit', 'edits-of'],
  reset: [],
};

const ENTRIES = ['entries', 'entries-text', 'modules', 'sources', 'lookup'] as const;

/** What somebody has edited, by the type of resource in the record: how it is configured has no event of its own. */
const EDITED: Readonly<Record<string, readonly string[]>> = {
  module: [...ENTRIES, 'held-diff'],
  ...Object.fromEntries(ENTRY_TYPES.map((type) => [type, ENTRIES])),
  community: ['communities', 'modules', 'lookup', 'revision'],
  doh_profile: ['resolvers'],
  ...{ peer: ['peers', 'speakers'], speaker: ['speakers', 'peers'], node: ['speakers', 'api-keys'] },
  revision: ['revisions', 'revision'],
  settings: ['settings', 'session'],
  api_key: ['api-keys'],
  feed: ['feeds'],
  webhook: ['webhooks'],
  ...{ firewall_rule: ['firewall'], firewall_client: ['firewall', 'api-keys'] },
  maintenance_policy: ['maintenance'],
  runtime_logs: ['logs'],
  tenant: ['tenants', 'session'],
};
/** A freeze stops applies before they begin, which ends their jobs: how many it has stopped is among the settings. */
const STOPPED: readonly string[] = ['settings'];
/** A burst of events, such as those of two thousand speakers, asks once. */
const GATHER_MILLISECONDS = 250;
/** So long, what is read for events keeps later ones waiting. */
const LONGEST_MILLISECONDS = 5_000;

interface LiveUpdatesProps {
  readonly tenantId: string;
  /** The last event before the session was read, which is what a page begins with. */
  readonly since: string | undefined;
  /** The session has ended, and what is written stays on the page, or the tenant is stopped: the service refuses the stream, until it does not. */
  readonly isRefused: boolean;
  readonly children: ReactNode;
}

/** Listens to the events of a tenant while what is inside is shown. */
export function LiveUpdates({ tenantId, since, isRefused, children }: LiveUpdatesProps) {
  const queries = useQueryClient();
  const [state, setState] = useState<StreamState>('connecting');
  const listeners = useRef(new Set<EventListener>());
  /** Of the session that was there first: the same one is read again later. */
  const begin = useRef(since);
  useEffect(() => {
    if (isRefused) {
      setState('broken');
      return;
    }
    const end = new AbortController();
    const stale = new StaleQueries(queries);
    const onEvent = (event: ApiEvent): void => {
      stale.add(event);
      for (const listener of listeners.current) listener(event);
    };
    const onGap = (): void => void queries.invalidateQueries();
    const onState = (now: StreamState): void => {
      setState(now);
      // It may have ended with the session, which nobody should learn at the next click.
      if (now === 'broken') void queries.invalidateQueries({ queryKey: ['session'] });
    };
    followSharedEvents(tenantId, begin.current, { onEvent, onState, onGap }, end.signal);
    return () => end.abort();
  }, [tenantId, isRefused, queries]);
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

/** What two revisions differ in stays, but for one that is another revision later. */
function mayDiffer({ queryKey: [first, ...sides] }: { readonly queryKey: readonly unknown[] }): boolean {
  return first !== 'diff' || sides.some((side) => side === 'applied' || side === 'latest');
}

class StaleQueries {
  readonly #queries: QueryClient;
  readonly #keys = new Set<string>();
  #isWaiting = false;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  add({ kind, data }: ApiEvent): void {
    if (kind === 'reset') {
      // Nobody knows what was missed.
      void this.#queries.invalidateQueries();
      return;
    }
    const ended = kind === 'job' && data.type === 'apply' && data.finished_at !== null ? STOPPED : [];
    const edited = kind === 'audit' ? (EDITED[data.resource.type] ?? []) : [];
    for (const key of [...STALE[kind], ...edited, ...ended]) this.#keys.add(key);
    this.#wait();
  }

  async #flush(): Promise<void> {
    const keys = [...this.#keys];
    this.#keys.clear();
    const read = Promise.all(
      keys.map((key) => this.#queries.invalidateQueries({ queryKey: [key], predicate: mayDiffer })),
    );
    // Whoever is asked again before the answer is there begins once more: a script that edits all the time would let no long list end.
    await Promise.race([read, new Promise((resolve) => setTimeout(resolve, LONGEST_MILLISECONDS))]);
    this.#isWaiting = false;
    if (this.#keys.size > 0) this.#wait();
  }

  #wait(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => void this.#flush(), GATHER_MILLISECONDS);
  }
}
