import { Type } from 'typebox';
import { AsEntry, AsEntryCreate, AsEntryPatch, AsEntryQuery } from '../../api/as-entries.ts';
import { BulkOf, PageOf, Strict } from '../../api/page.ts';
import { changeAsEntry, createAsEntries } from '../../control/as-entries.ts';
import { deleteAsEntry, getAsEntry, listAsEntries } from '../../store/as-entries.ts';
import { created, readResource } from '../answer.ts';
import { tenantRoute } from '../route.ts';

const tag = 'AS entries';
const path = '/v1/modules/{module_id}/as-entries';
const item = `${path}/{id}` as const;
const module = { module_id: 'module' } as const;
const params = { ...module, id: 'AS entry' } as const;

export const asEntryRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listAsEntries',
    permission: 'bgp:lists:read',
    tag,
    summary: 'List the AS numbers of a module',
    status: 200,
    params: module,
    query: AsEntryQuery,
    response: PageOf(AsEntry),
    handler: async ({ tx, params: { module_id: id }, query }) => ({
      body: await listAsEntries(tx, id, query),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createAsEntries',
    permission: 'bgp:lists:write',
    audit: 'as_entry.create',
    tag,
    summary: 'Create one AS entry, or up to 10,000 at once',
    description:
      'Takes one object, or `{"items": […]}`: then all are created or none. Numbers for private use and documentation are taken, reserved ones are not.',
    status: 201,
    problems: ['conflict'],
    params: module,
    body: Type.Union([AsEntryCreate, BulkOf(AsEntryCreate)]),
    bodyLimit: 16 * 1024 * 1024,
    example: { asn: 3333, note: 'RIPE NCC' },
    response: Type.Union([AsEntry, Strict({ items: Type.Array(AsEntry) })]),
    handler: async ({ tx, params: { module_id: id }, body }) => {
      const many = 'items' in body;
      const made = await createAsEntries(tx, id, many ? body.items : [body], (index) =>
        many ? `/items/${index}` : '',
      );
      if (many) return { body: { items: made.map(({ resource }) => resource) } };
      return created(path.replace('{module_id}', id), made[0]!);
    },
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getAsEntry',
    permission: 'bgp:lists:read',
    tag,
    summary: 'Read an AS entry',
    status: 200,
    params,
    response: AsEntry,
    handler: async ({ tx, params: { module_id: moduleId, id } }) =>
      readResource(await getAsEntry(tx, moduleId, id)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeAsEntry',
    permission: 'bgp:lists:write',
    audit: 'as_entry.change',
    tag,
    summary: 'Change an AS entry',
    status: 200,
    problems: ['conflict'],
    params,
    body: AsEntryPatch,
    example: { note: null, enabled: false },
    response: AsEntry,
    handler: async ({ tx, params: { module_id: moduleId, id }, body, ifMatch }) =>
      readResource(await changeAsEntry(tx, moduleId, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteAsEntry',
    permission: 'bgp:lists:write',
    audit: 'as_entry.delete',
    tag,
    summary: 'Delete an AS entry',
    status: 204,
    params,
    handler: async ({ tx, params: { module_id: moduleId, id }, ifMatch }) => {
      await deleteAsEntry(tx, moduleId, id, ifMatch);
      return {};
    },
  }),
];
