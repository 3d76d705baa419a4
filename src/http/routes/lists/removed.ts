import { namedEntries } from '../../../api/activity/audit-entries.ts';
import {
  EntriesRestore,
  ModuleRestore,
  RemovedEntries,
  RemovedEntriesQuery,
  RemovedModule,
  RemovedModuleQuery,
  RestoredEntries,
  RestoredModule,
} from '../../../api/lists/removed.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { restoreEntries } from '../../../control/entries/restore-entries.ts';
import { restoreModule } from '../../../control/entries/restore-module.ts';
import { listRemovedEntries, listRemovedModules } from '../../../store/entries/removed-lists.ts';
import { getModule } from '../../../store/modules/modules.ts';
import { getSetting } from '../../../store/tenants/settings.ts';
import { tenantRoute } from '../../route.ts';

const tag = 'removed lists';
const params = { module_id: 'module' } as const;

const CHECKED =
  'What was allowed then is checked as it is now: the policy of the tenant, its quotas, and `guard_bogons`. ' +
  'A revision follows as after any edit, with the same guardrails.';

export const removedRoutes = [
  tenantRoute({
    method: 'GET',
    path: '/v1/removed-modules',
    operation: 'listRemovedModules',
    permission: 'bgp:lists:read',
    tag,
    summary: 'List deleted modules that can be restored',
    description:
      'Those deleted last first. The setting `removed_retention_days` says how long they are kept.',
    status: 200,
    query: RemovedModuleQuery,
    response: PageOf(RemovedModule),
    handler: async ({ tx, query }) => ({
      body: await listRemovedModules(tx, query, await getSetting(tx, 'removed_retention_days')),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/modules/{module_id}/restore',
    operation: 'restoreModule',
    permission: 'bgp:lists:write',
    audit: 'module.restore',
    read: { none: 'It was deleted; the record says what is back.' },
    tag,
    summary: 'Restore a deleted module with its entries',
    description:
      'With its id, its settings, its entries and their ids, and what was collected and held of it, so that its routes return at ' +
      `once. Entries that have expired stay away. ${CHECKED}`,
    status: 200,
    problems: ['conflict', 'tenant_policy'],
    isLarge: true,
    bodyOptional: true,
    params,
    body: ModuleRestore,
    example: { name: 'aws again' },
    response: RestoredModule,
    handler: async ({ tx, context, params: { module_id: id }, body }) => {
      const { answer, names } = await restoreModule(tx, context.actor, id, body);
      return { body: answer, recorded: namedEntries({ restored: names }, answer) };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: '/v1/modules/{module_id}/removed-entries',
    operation: 'listRemovedEntries',
    permission: 'bgp:lists:read',
    tag,
    summary: 'List what was removed from a module',
    description:
      'A removal is what one request took out of the module, whether by ids, by a filter, by a file, or with other changes that were ' +
      'carried out together. The last one comes first. Entries that left at their end are not listed.',
    status: 200,
    params,
    query: RemovedEntriesQuery,
    response: PageOf(RemovedEntries),
    handler: async ({ tx, params: { module_id: id }, query }) => ({
      body: await listRemovedEntries(tx, id, query, await getSetting(tx, 'removed_retention_days')),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/modules/{module_id}/entries/restore',
    operation: 'restoreEntries',
    permission: 'bgp:lists:write',
    audit: 'module.restore_entries',
    read: ({ tx, params: { module_id: id } }) => getModule(tx, id),
    tag,
    summary: 'Restore entries that were removed from a module',
    description:
      'All of one removal, with their ids. Entries that have expired stay away, and one that somebody has added again stays as it is. ' +
      CHECKED,
    status: 200,
    problems: ['conflict', 'tenant_policy'],
    isLarge: true,
    params,
    body: EntriesRestore,
    example: { batch: '01900000-0000-7000-8000-000000000001' },
    response: RestoredEntries,
    handler: async ({ tx, context, params: { module_id: id }, body }) => {
      const { answer, names } = await restoreEntries(tx, context.actor, id, body);
      return { body: answer, recorded: namedEntries({ restored: names }, answer) };
    },
  }),
];
