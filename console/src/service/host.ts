/** What pages about hosts, tenants and the service itself read; see queries.ts. */
import { queryOptions } from '@tanstack/react-query';
import { client } from './client.ts';

const WHOLE = 10_000;
const PAGE = 500;
const SHOWN_LINES = 500;

export const rulesQuery = queryOptions({
  queryKey: ['firewall', 'rules'],
  queryFn: () => client.list('/v1/firewall/rules', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});

export const firewallClientsQuery = queryOptions({
  queryKey: ['firewall', 'clients'],
  queryFn: () => client.list('/v1/firewall/clients', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
  // No event reports what they have applied.
  refetchInterval: 5_000,
});

export const firewallClientQuery = (id: string) =>
  queryOptions({
    queryKey: ['firewall', 'clients', id],
    queryFn: () => client.get('/v1/firewall/clients/{id}', { params: { path: { id } } }),
    refetchInterval: 5_000,
  });

/** Rules that are for this host: those for every host as well, and those that are off. */
export const rulesOfHostQuery = (id: string) =>
  queryOptions({
    queryKey: ['firewall', 'rules', id],
    queryFn: () =>
      client.list('/v1/firewall/rules', { params: { query: { client_id: id, limit: PAGE } } }).toArray(WHOLE),
  });

export const installContextQuery = queryOptions({
  queryKey: ['firewall', 'install'],
  queryFn: () => client.get('/v1/firewall/install-context'),
});

export const policiesQuery = queryOptions({
  queryKey: ['maintenance'],
  queryFn: () =>
    client.list('/v1/maintenance/policies', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});

export const logFilesQuery = queryOptions({
  queryKey: ['logs'],
  queryFn: () => client.list('/v1/runtime-logs/files', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
});

/** The end of a log file, which grows. */
export const logTailQuery = (filename: string, grep: string) =>
  queryOptions({
    queryKey: ['logs', filename, grep],
    queryFn: async () => {
      const tail = await client.get('/v1/runtime-logs/files/{filename}', {
        params: {
          path: { filename },
          query: { lines: SHOWN_LINES, ...(grep === '' ? {} : { grep: [grep] }) },
        },
      });
      // Only what follows a file is a text.
      if (typeof tail === 'string') throw new TypeError(tail);
      return tail;
    },
    refetchInterval: 5_000,
  });

export const databaseQuery = queryOptions({
  queryKey: ['database'],
  queryFn: () => client.get('/v1/postgres/metrics'),
  refetchInterval: 15_000,
});

/** What tenants have changes by their own keys, of which nobody else gets events. */
const OTHERS_WRITE = { staleTime: 0, refetchInterval: 10_000 } as const;

export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: () => client.list('/v1/tenants', { params: { query: { limit: PAGE } } }).toArray(WHOLE),
  ...OTHERS_WRITE,
});

/** As it is when a window begins to ask about it, and not as a list had it; it follows while somebody reads. */
export const tenantNowQuery = (id: string) =>
  queryOptions({
    queryKey: ['tenants', id],
    queryFn: () => client.get('/v1/tenants/{id}', { params: { path: { id } } }),
    ...OTHERS_WRITE,
    gcTime: 0,
  });
