import { Job } from '../../api/jobs.ts';
import { Module, ModuleCreate, ModulePatch, ModuleQuery } from '../../api/modules.ts';
import { PageOf } from '../../api/page.ts';
import { changeModule, createModule } from '../../control/modules.ts';
import { requestRefresh } from '../../control/collection/refresh-module.ts';
import { deleteModule, getModule, listModules } from '../../store/modules.ts';
import { accepted, created, readResource } from '../answer.ts';
import { tenantRoute } from '../route.ts';

const tag = 'modules';
const path = '/v1/modules';
const item = `${path}/{module_id}` as const;
const params = { module_id: 'module' } as const;

export const moduleRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listModules',
    permission: 'bgp:lists:read',
    tag,
    summary: 'List modules',
    status: 200,
    query: ModuleQuery,
    response: PageOf(Module),
    handler: async ({ tx, query }) => ({ body: await listModules(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createModule',
    permission: 'bgp:lists:write',
    audit: 'module.create',
    tag,
    summary: 'Create a module',
    description: 'A module holds entries of one kind; `type` says which and cannot be changed later.',
    status: 201,
    problems: ['conflict'],
    body: ModuleCreate,
    example: { name: 'aws', type: 'CDN_SOURCES', refresh_interval_seconds: 3600 },
    response: Module,
    handler: async ({ tx, body }) => created(path, await createModule(tx, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getModule',
    permission: 'bgp:lists:read',
    tag,
    summary: 'Read a module',
    status: 200,
    params,
    response: Module,
    handler: async ({ tx, params: { module_id: id } }) => readResource(await getModule(tx, id)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeModule',
    permission: 'bgp:lists:write',
    audit: 'module.change',
    tag,
    summary: 'Change a module',
    description: 'Routes follow by themselves, unless the settings `auto_revision` or `auto_apply` are off.',
    status: 200,
    problems: ['conflict'],
    params,
    body: ModulePatch,
    example: { enabled: false },
    response: Module,
    handler: async ({ tx, params: { module_id: id }, body, ifMatch }) =>
      readResource(await changeModule(tx, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteModule',
    permission: 'bgp:lists:write',
    audit: 'module.delete',
    tag,
    summary: 'Delete a module with its entries',
    description:
      'Its routes are withdrawn by themselves, unless the settings `auto_revision` or `auto_apply` are off.',
    status: 204,
    params,
    handler: async ({ tx, params: { module_id: id }, ifMatch }) => {
      await deleteModule(tx, id, ifMatch);
      return {};
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/refresh`,
    operation: 'refreshModule',
    permission: 'bgp:lists:write',
    audit: 'module.refresh',
    tag,
    summary: 'Collect the module and build a revision of all enabled modules',
    description: 'A refresh of the module that is queued already is answered instead of a second one.',
    status: 202,
    problems: ['conflict'],
    params,
    response: Job,
    handler: async ({ tx, context, params: { module_id: id } }) =>
      accepted(await requestRefresh(tx, context.queue, id, context.actor)),
  }),
];
