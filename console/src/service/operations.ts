/** What pages about jobs, sources, keys and settings read; see queries.ts. */
import type { Schemas } from '@prefixcast/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { sizeOf } from './queries.ts';

export type Source = Schemas['Source'];
export type AuditRecord = Schemas['AuditRecord'];
export type ApiKey = Schemas['ApiKey'];

const WHOLE = 10_000;
const PAGE = 500;
const FIRST_PAGE: { readonly cursor?: string } = {};

/** @param status of those that are wanted; undefined: of all */
export const sourcesQuery = (status: Source['status'] | undefined) =>
  queryOptions({
    queryKey: ['sources', status ?? 'all'],
    queryFn: () =>
      client
        .list('/v1/sources', {
          params: { query: { limit: PAGE, ...(status === undefined ? {} : { status: [status] }) } },
        })
        .toArray(WHOLE),
  });

export interface JobFilter {
  readonly type?: Schemas['Job']['type'];
  readonly state?: Schemas['Job']['state'];
  readonly resource_id?: string;
  readonly sort?: 'queued_at' | '-queued_at';
}

export const jobsQuery = (filter: JobFilter) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'list', filter],
    queryFn: ({ pageParam }) =>
      client.get('/v1/jobs', { params: { query: { ...filter, ...pageParam, limit: sizeOf(pageParam) } } }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });

export interface AuditFilter {
  readonly severity?: AuditRecord['severity'];
  readonly resource_id?: string;
  readonly q?: string;
  readonly actor?: string;
  readonly since?: string;
  readonly until?: string;
  readonly sort?: 'at' | '-at';
}

/** One record, as a list of one or none. */
export const auditRecordQuery = (id: string) =>
  queryOptions({
    queryKey: ['audit', 'record', id],
    queryFn: () => client.get('/v1/audit', { params: { query: { id } } }),
  });

/** The newest record about a thing; null: there is none. */
export const latestChangeQuery = (resourceId: string) =>
  queryOptions({
    queryKey: ['audit', 'latest', resourceId],
    queryFn: async () => {
      const { items } = await client.get('/v1/audit', {
        params: { query: { resource_id: resourceId, limit: 1 } },
      });
      return items[0] ?? null;
    },
    ...{ staleTime: 0, gcTime: 0 },
  });

/** The newest records of settings: whatever else is changed while applies are frozen, these have the beginning of it. */
const READ_CHANGES = 50;

/** Who froze applies, and when; null: nobody knows any more. */
export const freezeRecordQuery = queryOptions({
  queryKey: ['audit', 'freeze'],
  queryFn: async () => {
    const { items } = await client.get('/v1/audit', {
      params: { query: { action: ['settings.change'], limit: READ_CHANGES } },
    });
    return items.find(({ changes: { before, after } }) => isFreeze(after) && !isFreeze(before)) ?? null;
  },
});

function isFreeze(side: AuditRecord['changes']['after']): boolean {
  return (side?.settings as { readonly deploy_freeze?: unknown } | undefined)?.deploy_freeze === true;
}

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }) =>
      client.get('/v1/audit', { params: { query: { ...filter, ...pageParam, limit: sizeOf(pageParam) } } }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });

/** How many of the entries are asked for: each is a question, and people change them together. */
const ASKED_ENTRIES = 3;

/** The newest record about each of these entries, one of a kind: what changed many at once names them all. */
export const editsQuery = (names: readonly string[]) =>
  queryOptions({
    queryKey: ['edits-of', names],
    queryFn: async () => {
      const pages = await Promise.all(
        names
          .slice(0, ASKED_ENTRIES)
          .map(async (name) =>
            recordOf(name, await client.get('/v1/audit', { params: { query: { q: name } } })),
          ),
      );
      const found = pages.filter((one) => one !== undefined);
      return [...new Map(found.map((one) => [one.id, one])).values()];
    },
    staleTime: 0,
  });

/** Of records that have the text anywhere the newest that is about the entry. */
function recordOf(
  name: string,
  { items }: { readonly items: readonly AuditRecord[] },
): AuditRecord | undefined {
  return items.find(
    ({ resource, changes: { after } }) =>
      resource.name === name || JSON.stringify(after).includes(JSON.stringify(name)),
  );
}

export const keysQuery = queryOptions({
  queryKey: ['api-keys'],
  queryFn: () => client.list('/v1/api-keys', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});
