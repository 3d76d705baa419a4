/** What the first run reads and makes; see queries.ts. */
import type { Schemas } from '@prefixcast/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import type { Job, Module } from './queries.ts';

export type Preset = Schemas['SourcePreset'];
export type ListPreview = Schemas['CdnPreview'];

/** How a source is read. */
export interface SourceReading {
  readonly url: string;
  readonly format: Preset['format'];
  readonly json_path?: string | null;
  readonly csv_column?: string | null;
}

/** A module with all that it takes: its community, and what it collects. */
export interface FirstList {
  readonly name: string;
  /** Its value: `65000:100`. */
  readonly community: string;
  readonly content: { readonly source: SourceReading } | { readonly ranges: readonly string[] };
}

const WAIT_SECONDS = 30;
/** As the first run says: every hour. */
const REFRESH_SECONDS = 3_600;

export const presetsQuery = queryOptions({
  queryKey: ['source-presets'],
  queryFn: () => client.get('/v1/source-presets'),
  staleTime: Infinity,
});

export function previewList(body: SourceReading): Promise<ListPreview> {
  return client.post('/v1/cdn-sources/preview', { body });
}

/** All of it or nothing. @param communities those that the tenant has */
export function makeList(
  { name, community, content }: FirstList,
  communities: readonly Schemas['Community'][],
): Promise<unknown> {
  const existing = communities.find((one) => one.community === community);
  const [communityId, moduleId] = [existing?.id ?? crypto.randomUUID(), crypto.randomUUID()];
  const entries = `/v1/modules/${moduleId}`;
  return client.post('/v1/changes', {
    body: {
      changes: [
        ...(existing === undefined
          ? [
              {
                ...{ method: 'POST' as const, path: '/v1/communities', id: communityId },
                body: { community, title: name },
              },
            ]
          : []),
        {
          ...{ method: 'POST' as const, path: '/v1/modules', id: moduleId },
          body: {
            ...{ name, community_id: communityId },
            ...('source' in content
              ? { type: 'CDN_SOURCES', refresh_interval_seconds: REFRESH_SECONDS }
              : { type: 'IP_RANGES' }),
          },
        },
        'source' in content
          ? {
              ...{ method: 'POST' as const, path: `${entries}/cdn-sources` },
              body: { name, ...content.source },
            }
          : {
              ...{ method: 'POST' as const, path: `${entries}/ip-range-entries` },
              body: { items: content.ranges.map((cidr) => ({ cidr })) },
            },
      ],
    },
  });
}

/** Reads what modules collect, builds a revision of it, and has it applied. @returns the first job that failed; null: none did */
export async function makeFirstRevision(modules: readonly Module[]): Promise<Job | null> {
  const queued = await Promise.all(
    modules.map(({ id }) =>
      client.post('/v1/modules/{module_id}/refresh', { params: { path: { module_id: id } } }),
    ),
  );
  const ended = await Promise.all(queued.map(({ id }) => endOf(id)));
  const failed = ended.find(({ state }) => state !== 'succeeded');
  if (failed !== undefined) return failed;
  const built = await endOf((await client.post('/v1/revisions', { body: {} })).id);
  if (built.state !== 'succeeded') return built;
  const revision = await client.get('/v1/revisions/{revision_id}', {
    params: { path: { revision_id: 'latest' } },
  });
  const isApplied = revision.applied_on.length > 0 || (await hasApply());
  // Where the tenant has turned `auto_apply` off, nobody else asks for it.
  if (revision.state === 'ready' && !isApplied)
    await client.post('/v1/apply', { body: { revision_id: revision.id } });
  return null;
}

async function hasApply(): Promise<boolean> {
  const { items } = await client.get('/v1/jobs', {
    params: { query: { type: 'apply', state: ['queued', 'running'], limit: 1 } },
  });
  return items.length > 0;
}

async function endOf(jobId: string): Promise<Job> {
  for (;;) {
    const job = await client.get('/v1/jobs/{job_id}', {
      params: { path: { job_id: jobId }, query: { wait: WAIT_SECONDS } },
    });
    if (job.finished_at !== null) return job;
  }
}
