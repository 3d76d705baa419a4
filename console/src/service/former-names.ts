import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

/** How a thing was called that is not there any more, as its newest record says; null: nobody knows. */
export const formerNameQuery = (resourceId: string) =>
  queryOptions({
    queryKey: ['former-name', resourceId],
    queryFn: async () => {
      const { items } = await client.get('/v1/audit', {
        params: { query: { resource_id: resourceId, limit: 1 } },
      });
      return items[0]?.resource.name ?? null;
    },
    staleTime: Infinity,
  });
