import { Type } from 'typebox';
import {
  IpRangeEntry,
  IpRangeEntryCreate,
  IpRangeEntryPatch,
  IpRangeEntryQuery,
} from '../../api/ip-range-entries.ts';
import { BulkOf, PageOf, Strict } from '../../api/page.ts';
import { changeIpRangeEntry, createIpRangeEntries } from '../../control/ip-range-entries.ts';
import { deleteIpRangeEntry, getIpRangeEntry, listIpRangeEntries } from '../../store/ip-range-entries.ts';
import { created, readResource } from '../answer.ts';
import { tenantRoute } from '../route.ts';

const tag = 'IP range entries';
const path = '/v1/modules/{module_id}/ip-range-entries';
const item = `${path}/{id}` as const;
const module = { module_id: 'module' } as const;
const params = { ...module, id: 'IP range entry' } as const;

export const ipRangeEntryRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listIpRangeEntries',
    permission: 'bgp:lists:read',
    tag,
    summary: 'List the IP ranges of a module',
    status: 200,
    params: module,
    query: IpRangeEntryQuery,
    response: PageOf(IpRangeEntry),
    handler: async ({ tx, params: { module_id: id }, query }) => ({
      body: await listIpRangeEntries(tx, id, query),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createIpRangeEntries',
    permission: 'bgp:lists:write',
    audit: 'ip_range_entry.create',
    tag,
    summary: 'Create one IP range, or up to 10,000 at once',
    description: 'Takes one object, or `{"items": […]}`: then all are created or none.',
    status: 201,
    problems: ['conflict'],
    params: module,
    body: Type.Union([IpRangeEntryCreate, BulkOf(IpRangeEntryCreate)]),
    bodyLimit: 16 * 1024 * 1024,
    example: { cidr: '8.8.8.0/24', note: 'resolver' },
    response: Type.Union([IpRangeEntry, Strict({ items: Type.Array(IpRangeEntry) })]),
    handler: async ({ tx, params: { module_id: id }, body }) => {
      const many = 'items' in body;
      const made = await createIpRangeEntries(tx, id, many ? body.items : [body], (index) =>
        many ? `/items/${index}` : '',
      );
      if (many) return { body: { items: made.map(({ resource }) => resource) } };
      return created(path.replace('{module_id}', id), made[0]!);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getIpRangeEntry',
    permission: 'bgp:lists:read',
    tag,
    summary: 'Read an IP range',
    status: 200,
    params,
    response: IpRangeEntry,
    handler: async ({ tx, params: { module_id: moduleId, id } }) =>
      readResource(await getIpRangeEntry(tx, moduleId, id)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeIpRangeEntry',
    permission: 'bgp:lists:write',
    audit: 'ip_range_entry.change',
    tag,
    summary: 'Change an IP range',
    status: 200,
    problems: ['conflict'],
    params,
    body: IpRangeEntryPatch,
    example: { note: null, enabled: false },
    response: IpRangeEntry,
    handler: async ({ tx, params: { module_id: moduleId, id }, body, ifMatch }) =>
      readResource(await changeIpRangeEntry(tx, moduleId, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteIpRangeEntry',
    permission: 'bgp:lists:write',
    audit: 'ip_range_entry.delete',
    tag,
    summary: 'Delete an IP range',
    status: 204,
    params,
    handler: async ({ tx, params: { module_id: moduleId, id }, ifMatch }) => {
      await deleteIpRangeEntry(tx, moduleId, id, ifMatch);
      return {};
    },
  }),
];
