/** What pages read, by the names under which events make it stale; see live.ts. */
import type { Schemas } from '@prefixcast/client';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { lookUpMany } from './lookups.ts';

export type Revision = Schemas['Revision'];
export type Module = Schemas['Module'];
export type RemovedModule = Schemas['RemovedModule'];
export type Job = Schemas['Job'];
export type Speaker = Schemas['Speaker'];
export type Finding = Schemas['Finding'];
export type RevisionChange = Schemas['RevisionChange'];
export type Lookup = Schemas['Lookup'];
export type HistoryItem = Schemas['HistoryItem'];
export type DiffSummary = Schemas['DiffSummary'];

/** Of a list that is shown whole; ten thousand modules are as many as a tenant has. */
const WHOLE = 10_000;
const PAGE = 500;
const DIFF_PAGE = 2_000;
const SHOWN_COVERING = 10;
const HISTORY_PAGE = 20;
const FIRST_PAGE: { readonly cursor?: string } = {};
/** Rows of the first page of a list, and of those that somebody asks for. */
const FIRST_ROWS = 100;

/** How many rows a page of a list has: the first one is to be there at once. */
export function sizeOf({ cursor }: { readonly cursor?: string }): number {
  return cursor === undefined ? FIRST_ROWS : PAGE;
}

export const modulesQuery = queryOptions({
  queryKey: ['modules'],
  queryFn: () => client.list('/v1/modules', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});

export const moduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['modules', id],
    queryFn: () => client.get('/v1/modules/{module_id}', { params: { path: { module_id: id } } }),
  });

export const communitiesQuery = queryOptions({
  queryKey: ['communities'],
  queryFn: () => client.list('/v1/communities', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});

export const resolversQuery = queryOptions({
  queryKey: ['resolvers'],
  queryFn: () => client.list('/v1/doh-profiles', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});

export const speakersQuery = queryOptions({
  queryKey: ['speakers'],
  queryFn: () =>
    client.list('/v1/speakers', { params: { query: { limit: PAGE, live: true } } }).toArray(WHOLE),
});

export const speakerQuery = (id: string) =>
  queryOptions({
    queryKey: ['speakers', id],
    queryFn: () =>
      client.get('/v1/speakers/{speaker_id}', {
        params: { path: { speaker_id: id }, query: { live: true } },
      }),
  });

/** What an apply of the revision would give a speaker. */
export const previewQuery = (revision: string, speakerId: string) =>
  queryOptions({
    queryKey: ['revision', revision, 'preview', speakerId],
    queryFn: () =>
      client.get('/v1/revisions/{revision_id}/preview', {
        params: { path: { revision_id: revision }, query: { speaker_id: speakerId } },
      }),
  });

/** Which ASes hold the addresses of prefixes. */
export const holdersQuery = (prefixes: readonly string[]) =>
  queryOptions({
    queryKey: ['holders', prefixes],
    queryFn: () => client.post('/v1/lookup/holders', { body: { prefixes: [...prefixes] } }),
    staleTime: Infinity,
    retry: false,
  });

export const peersQuery = queryOptions({
  queryKey: ['peers'],
  queryFn: () => client.list('/v1/peers', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});

export const peerQuery = (id: string) =>
  queryOptions({
    queryKey: ['peers', id],
    queryFn: () => client.get('/v1/peers/{id}', { params: { path: { id } } }),
  });

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: () => client.get('/v1/settings'),
});

/** Whether applies are frozen, and how many that has stopped. */
export const freezeQuery = queryOptions({
  ...settingsQuery,
  select: ({ settings, stopped_applies }) => ({
    isFrozen: settings.deploy_freeze,
    reason: settings.deploy_freeze_reason,
    stopped: stopped_applies.length,
  }),
});

export interface RevisionFilter {
  readonly state?: Revision['state'];
  readonly since?: string;
  readonly until?: string;
  readonly sort?: 'number' | '-number' | 'created_at' | '-created_at';
}

export const revisionsQuery = (filter: RevisionFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ['revisions', filter],
    queryFn: ({ pageParam }) =>
      client.get('/v1/revisions', {
        params: { query: { ...filter, ...pageParam, limit: sizeOf(pageParam) } },
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });

/** The latest that is announced, or would be; as a list of one or none. */
export const latestReadyQuery = queryOptions({
  queryKey: ['revisions', 'latest-ready'],
  queryFn: () => client.get('/v1/revisions', { params: { query: { state: ['ready'], limit: 1 } } }),
});

/** Modules that were deleted and can come back, those deleted last first. */
export const removedModulesQuery = queryOptions({
  queryKey: ['modules', 'removed'],
  queryFn: () => client.list('/v1/removed-modules', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});

/** What was deleted of a module's entries, and came back, the last removal first. */
export const removedEntriesQuery = (moduleId: string) =>
  queryOptions({
    queryKey: ['entries', moduleId, 'removed'],
    queryFn: () =>
      client
        .list('/v1/modules/{module_id}/removed-entries', {
          params: { path: { module_id: moduleId }, query: { limit: PAGE } },
        })
        .toArray(PAGE),
  });

/** @param name its number, its id, `latest` or `applied` */
export const revisionQuery = (name: string) =>
  queryOptions({
    queryKey: ['revision', name],
    queryFn: () => client.get('/v1/revisions/{revision_id}', { params: { path: { revision_id: name } } }),
  });

/** @param within only of what is in this prefix */
export const diffQuery = (before: string, after: string, within?: string) =>
  infiniteQueryOptions({
    queryKey: ['diff', before, after, within ?? ''],
    queryFn: ({ pageParam }) =>
      client.get('/v1/revisions/{revision_a}/diff/{revision_b}', {
        params: {
          path: { revision_a: before, revision_b: after },
          query: { ...pageParam, ...(within === undefined ? {} : { within }), limit: DIFF_PAGE },
        },
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });

/** @param within what is drawn; undefined: all of IPv4 */
export const revisionMapQuery = (revision: string, within: string | undefined) =>
  queryOptions({
    queryKey: ['revision', revision, 'map', within ?? ''],
    queryFn: () =>
      client.get('/v1/revisions/{revision_id}/map', {
        params: { path: { revision_id: revision }, query: within === undefined ? {} : { within } },
      }),
    placeholderData: keepPreviousData,
  });

/** @param within what is drawn; undefined: all of IPv4 */
export const diffMapQuery = (before: string, after: string, within: string | undefined) =>
  queryOptions({
    queryKey: ['diff-map', before, after, within ?? ''],
    queryFn: () =>
      client.get('/v1/revisions/{revision_a}/diff/{revision_b}/map', {
        params: {
          path: { revision_a: before, revision_b: after },
          query: within === undefined ? {} : { within },
        },
      }),
    placeholderData: keepPreviousData,
  });

/** What the release of a held module would announce and withdraw. */
export const heldDiffQuery = (moduleId: string) =>
  infiniteQueryOptions({
    queryKey: ['held-diff', moduleId],
    queryFn: ({ pageParam }) =>
      client.get('/v1/modules/{module_id}/held/diff', {
        params: { path: { module_id: moduleId }, query: { ...pageParam, limit: DIFF_PAGE } },
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });

/** What the hold of a module keeps, as far as one page shows. */
export const keptByQuery = (moduleId: string) =>
  queryOptions({
    queryKey: ['held-diff', moduleId, 'first'],
    queryFn: () =>
      client.get('/v1/modules/{module_id}/held/diff', {
        params: { path: { module_id: moduleId }, query: { limit: DIFF_PAGE } },
      }),
  });

export const lookupQuery = (q: string) =>
  queryOptions({
    queryKey: ['lookup', q],
    queryFn: () => client.get('/v1/lookup', { params: { query: { q } } }),
    placeholderData: keepPreviousData,
  });

/** What the revision was built from, and which of its routes have it. */
export const pastLookupQuery = (q: string, revision: string) =>
  queryOptions({
    queryKey: ['lookup', q, 'at', revision],
    queryFn: () => client.get('/v1/lookup', { params: { query: { q, at: revision } } }),
  });

/** Several at once; of those that cannot be looked up, why. */
export const lookupsQuery = (queries: readonly string[]) =>
  queryOptions({
    queryKey: ['lookup', 'many', queries],
    queryFn: () => lookUpMany(queries),
    placeholderData: keepPreviousData,
  });

/** When what is announced of a prefix changed, by whom, and where. The newest comes first. */
export const historyQuery = (prefix: string) =>
  infiniteQueryOptions({
    queryKey: ['lookup', 'history', prefix],
    queryFn: ({ pageParam }) =>
      client.get('/v1/history', { params: { query: { prefix, ...pageParam, limit: HISTORY_PAGE } } }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });

/** Prefixes of the latest revision that have all of the one that is asked for. */
export const containingQuery = (prefix: string) =>
  queryOptions({
    queryKey: ['containing', prefix],
    queryFn: () =>
      client
        .list('/v1/revisions/{revision_id}/prefixes', {
          params: { path: { revision_id: 'latest' }, query: { contains: prefix } },
        })
        .toArray(SHOWN_COVERING),
  });

export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['jobs', id],
    queryFn: () => client.get('/v1/jobs/{job_id}', { params: { path: { job_id: id } } }),
  });

export const appliesQuery = queryOptions({
  queryKey: ['jobs', 'applies'],
  queryFn: () => client.get('/v1/jobs', { params: { query: { type: 'apply', limit: 20 } } }),
});
