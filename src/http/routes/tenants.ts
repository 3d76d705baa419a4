import { PageOf } from '../../api/page.ts';
import {
  Tenant,
  TenantCreate,
  TenantCreated,
  TenantDeleteQuery,
  TenantPatch,
  TenantQuery,
} from '../../api/tenants.ts';
import { changeTenant, createTenant, deleteTenant } from '../../control/tenants.ts';
import { asSystem } from '../../store/database/database.ts';
import { getTenant, listTenants } from '../../store/tenants.ts';
import { created, readResource } from '../answer.ts';
import { tenantRoute } from '../route.ts';

const tag = 'tenants';
const path = '/v1/tenants';
const item = `${path}/{id}` as const;
const params = { id: 'tenant' } as const;

export const tenantRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listTenants',
    permission: 'tenants:read',
    tag,
    summary: 'List tenants',
    status: 200,
    query: TenantQuery,
    response: PageOf(Tenant),
    handler: async ({ tx, query }) => ({
      body: await asSystem(tx, (system) => listTenants(system, tx.tenantId, query)),
    }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createTenant',
    permission: 'tenants:write',
    audit: 'tenant.create',
    tag,
    summary: 'Create a tenant',
    description:
      'The answer holds the secret of its first operator key; it is shown this once. The tenant has no speaker yet.',
    status: 201,
    problems: ['conflict'],
    body: TenantCreate,
    example: { name: 'Acme', slug: 'acme', quotas: { modules: 100 } },
    response: TenantCreated,
    handler: async ({ tx, context, body }) => created(path, await createTenant(tx, context, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getTenant',
    permission: 'tenants:read',
    tag,
    summary: 'Read a tenant, with what it may have and what it has',
    status: 200,
    params,
    response: Tenant,
    handler: async ({ tx, params: { id } }) =>
      readResource(await asSystem(tx, (system) => getTenant(system, id))),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeTenant',
    permission: 'tenants:write',
    audit: 'tenant.change',
    tag,
    summary: 'Rename, suspend or reactivate a tenant, or change its quotas',
    description:
      'Keys of a suspended tenant are refused within a second and its jobs wait. Its speakers go on announcing what they announce.',
    status: 200,
    problems: ['conflict'],
    params,
    body: TenantPatch,
    example: { status: 'suspended' },
    response: Tenant,
    handler: async ({ tx, context, params: { id }, body, ifMatch }) =>
      readResource(await changeTenant(tx, context, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteTenant',
    permission: 'tenants:write',
    audit: 'tenant.delete',
    tag,
    summary: 'Delete a suspended tenant with all that belongs to it',
    description:
      'Its speakers withdraw what they announce. Those of nodes have to be disabled before it is suspended, and their nodes to have said that their ' +
      'sessions have ended, as when one is deleted by itself; where that cannot be waited for, `abandon_nodes=true`. Nothing brings it back.',
    status: 204,
    problems: ['conflict', 'in_use'],
    params,
    query: TenantDeleteQuery,
    handler: async ({ tx, context, params: { id }, query, ifMatch }) => {
      await deleteTenant(tx, context, id, query, ifMatch);
      return {};
    },
  }),
];
