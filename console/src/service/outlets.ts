/** What pages about feeds and webhooks read; see queries.ts. */
import type { Schemas } from '@prefixcast/client';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';
import { sizeOf } from './queries.ts';

export type Feed = Schemas['Feed'];
export type Webhook = Schemas['Webhook'];
export type WebhookDelivery = Schemas['WebhookDelivery'];

const WHOLE = 10_000;
const PAGE = 500;
const FIRST_PAGE: { readonly cursor?: string } = {};

/** No event reports what a receiver takes. */
const DELIVERED_MILLISECONDS = 5_000;

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: () => client.list('/v1/webhooks', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
  staleTime: 0,
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: ['webhooks', id],
    queryFn: () => client.get('/v1/webhooks/{id}', { params: { path: { id } } }),
    ...{ staleTime: 0, refetchInterval: DELIVERED_MILLISECONDS },
  });

/** The newest first. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', id, 'deliveries'],
    queryFn: ({ pageParam }) =>
      client.get('/v1/webhooks/{id}/deliveries', {
        params: { path: { id }, query: { ...pageParam, limit: sizeOf(pageParam) } },
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
    ...{ staleTime: 0, refetchInterval: DELIVERED_MILLISECONDS },
  });

export const feedsQuery = queryOptions({
  queryKey: ['feeds'],
  queryFn: () => client.list('/v1/feeds', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
  // No event reports that one is rendered again, or fetched.
  refetchInterval: DELIVERED_MILLISECONDS,
});
