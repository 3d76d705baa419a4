import { GUARDRAIL_CODES } from '../../../api/revisions/guardrail-codes.ts';
import { ChangePageQuery } from '../../../api/revisions/diff.ts';
import { HeldDiff, ReleaseRequest } from '../../../api/lists/held-modules.ts';
import { Job } from '../../../api/activity/jobs.ts';
import { Module, ModuleCreate, ModulePatch, ModuleQuery } from '../../../api/lists/modules.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { diffHeldModule } from '../../../control/revisions/held-diff.ts';
import { releaseModule } from '../../../control/revisions/release-module.ts';
import { changeModule, createModule } from '../../../control/lists/modules.ts';
import { requestRefresh } from '../../../control/collection/refresh-module.ts';
import { signRemovals } from '../../../store/database/actor.ts';
import { deleteModule, getModule, getModuleOnce, listModules } from '../../../store/modules/modules.ts';
import { accepted, created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'modules';
const path = '/v1/modules';
const item = `${path}/{module_id}` as const;
const params = { module_id: 'module' } as const;
const read = ({ tx, params: { module_id: id } }: ReadRequest<'module_id'>) => getModule(tx, id);

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
    read: CREATED,
    tag,
    summary: 'Create a module',
    description: 'A module holds entries of one type; `type` cannot be changed later.',
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
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeModule',
    permission: 'bgp:lists:write',
    audit: 'module.change',
    read,
    tag,
    summary: 'Change a module',
    description: 'Routes follow automatically, unless the settings `auto_revision` or `auto_apply` are off.',
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
    read,
    tag,
    summary: 'Delete a module with its entries',
    description:
      'Its routes are withdrawn automatically, unless the settings `auto_revision` or `auto_apply` are off. ' +
      '`POST /v1/modules/{module_id}/restore` takes it back.',
    status: 204,
    problems: ['in_use'],
    params,
    handler: async ({ tx, context, params: { module_id: id }, ifMatch }) => {
      await signRemovals(tx, context.actor);
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
    read: ({ tx, params: { module_id: id } }) => getModuleOnce(tx, id),
    tag,
    summary: 'Collect the module and build a revision of all enabled modules',
    description: 'If a refresh of the module is queued already, the answer names that job.',
    status: 202,
    problems: ['conflict'],
    params,
    response: Job,
    handler: async ({ tx, context, params: { module_id: id } }) =>
      accepted(await requestRefresh(tx, context.queue, id, context.actor)),
  }),
  tenantRoute({
    method: 'GET',
    path: `${item}/held/diff`,
    operation: 'diffHeldModule',
    permission: 'bgp:revisions:read',
    tag,
    summary: 'Preview the release of a held module',
    description:
      'Prefixes that a release would announce, withdraw and change, relative to the latest ready revision. It is built as a release ' +
      'would be, from the current modules, and not stored. The summary counts all of them, the items are a page. `findings` has every ' +
      'guardrail that the release has to override. The module may be disabled or deleted, if it stays in revisions for `large_withdrawal` or `rolled_back`.',
    status: 200,
    problems: ['conflict'],
    params,
    query: ChangePageQuery,
    response: HeldDiff,
    handler: async ({ tx, params: { module_id: id }, query }) => ({
      body: await diffHeldModule(tx, id, query),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/release`,
    operation: 'releaseModule',
    permission: 'bgp:deploy:write',
    audit: 'module.release',
    read,
    tag,
    summary: 'Release a held module',
    description:
      'Accepts exactly what is held, and builds a revision with it. `override` names every guardrail that it breaks; only super ' +
      'roles can override `default_route_forbidden`. The module may break them as long as it has this content. If something else ' +
      'was collected or edited meanwhile, the answer is 409. A deleted module that stays in revisions is released by its id.',
    status: 202,
    problems: ['conflict', ...GUARDRAIL_CODES],
    params,
    body: ReleaseRequest,
    example: { override: ['max_change_exceeded'], reason: 'the provider moved to another network' },
    response: Job,
    handler: async ({ tx, context, params: { module_id: id }, body }) =>
      accepted(await releaseModule(tx, context, id, body)),
  }),
];
