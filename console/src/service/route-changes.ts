/** What the audit log says of changes that are a part of no revision. */
import type { Schemas } from '@prefixcast/client';
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** More changes of next hops than these, nobody looks for. */
const MOST = 10_000;
const PAGE = 500;

/** The change of configuration that an apply of no revision was begun for; null: nobody knows any more. */
export const changeBeforeQuery = ({ id, resource, created_at: until }: Schemas['Job']) =>
  queryOptions({
    queryKey: ['audit', 'cause', id],
    queryFn: async () => {
      const of = resource === null ? { action: ['settings.change'] } : { resource_id: resource.id };
      const { items } = await client.get('/v1/audit', { params: { query: { ...of, until, limit: 1 } } });
      return items[0] ?? null;
    },
    staleTime: Infinity,
  });

/** What routes may be sent to, and is a part of no revision. */
const HOPS = ['next_hop_ipv4', 'next_hop_ipv6'] as const;

/** Next hops of communities and peers as they were at a moment, where somebody has changed them since, by their ids. */
export const formerHopsQuery = (since: string) =>
  queryOptions({
    queryKey: ['audit', 'hops', since],
    queryFn: async () => {
      const query = { action: ['community.change', 'peer.change'], since, sort: 'at', limit: PAGE } as const;
      const records = await client
        .list('/v1/audit', { params: { query: { ...query, action: [...query.action] } } })
        .toArray(MOST);
      const former = new Map<string, Partial<Record<(typeof HOPS)[number], string | null>>>();
      for (const { resource, changes } of records) {
        if (resource.id === null) continue;
        const known = former.get(resource.id) ?? {};
        for (const hop of HOPS) {
          const value = changes.before?.[hop];
          // The first change since then says what it was.
          if (value !== undefined && known[hop] === undefined) known[hop] = value as string | null;
        }
        former.set(resource.id, known);
      }
      return former;
    },
    ...{ staleTime: 0, gcTime: 0 },
  });
