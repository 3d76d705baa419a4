import { PageOf } from '../../../api/shapes/page.ts';
import {
  Tenant,
  TenantCreate,
  TenantCreated,
  TenantDeleteQuery,
  TenantPatch,
  TenantQuery,
} from '../../../api/access/tenants.ts';
import { changeTenant, createTenant, deleteTenant, stopTenant } from '../../../control/tenants/tenants.ts';
import { asSystem } from '../../../store/database/database.ts';
import { getTenant, listTenants } from '../../../store/tenants/tenants.ts';
import { created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'tenants';
const path = '/v1/tenants';
const item = `${path}/{id}` as const;
const params = { id: 'tenant' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => asSystem(tx, (system) => getTenant(system, id));

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
    read: CREATED,
    tag,
    summary: 'Create a tenant',
    description:
      'The answer holds the secret of its first operator key, which is shown only once. The tenant has no speaker yet, and may only ' +
      'do and announce what `policy` allows: what is not named there is not allowed.',
    status: 201,
    problems: ['conflict'],
    body: TenantCreate,
    example: {
      name: 'Acme',
      slug: 'acme',
      quotas: { modules: 100 },
      policy: {
        allowed_prefixes: ['192.0.2.0/24'],
        allowed_communities: ['65010:*'],
        allowed_local_asns: [65010],
        allowed_peer_networks: ['198.51.100.0/28'],
      },
    },
    response: TenantCreated,
    handler: async ({ tx, context, body }) => created(path, await createTenant(tx, context, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getTenant',
    permission: 'tenants:read',
    tag,
    summary: 'Read a tenant with its quotas and usage',
    status: 200,
    params,
    response: Tenant,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeTenant',
    permission: 'tenants:write',
    audit: 'tenant.change',
    read,
    tag,
    summary: 'Rename, suspend, stop or reactivate a tenant, or change its quotas and its policy',
    description:
      'Keys of a suspended tenant are refused within a second and its jobs wait. Its speakers keep announcing their routes; those of a ' +
      'stopped tenant end all sessions. Routes that a tightened policy no longer allows are withdrawn at once, and sessions whose AS ' +
      'number, router or source address it no longer allows end at once.',
    status: 200,
    problems: ['conflict'],
    params,
    isOfTenant: true,
    body: TenantPatch,
    example: { status: 'suspended' },
    response: Tenant,
    handler: async ({ tx, context, params: { id }, body, ifMatch }) =>
      readResource(await changeTenant(tx, context, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/stop`,
    operation: 'stopTenant',
    permission: 'tenants:write',
    audit: 'tenant.stop',
    read,
    tag,
    summary: 'End all sessions of a tenant at once',
    description:
      'Its routes are withdrawn within two seconds, and nothing is deleted. Its keys are refused as for a suspended tenant, except ' +
      'those of its nodes, which receive a bundle without peers. PATCH `{"status": "active"}` starts it again: it announces what it ' +
      'announced before.',
    status: 200,
    problems: ['conflict'],
    params,
    isOfTenant: true,
    response: Tenant,
    handler: async ({ tx, context, params: { id } }) => readResource(await stopTenant(tx, context, id)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteTenant',
    permission: 'tenants:write',
    audit: 'tenant.delete',
    read,
    tag,
    summary: 'Delete a suspended or stopped tenant with all that belongs to it',
    description:
      'Its speakers withdraw their routes. Its nodes must have reported that their sessions have ended, which they do once the ' +
      'tenant is stopped; to delete the tenant without that, use `abandon_nodes=true`. This cannot be undone.',
    status: 204,
    problems: ['conflict', 'in_use'],
    params,
    isOfTenant: true,
    query: TenantDeleteQuery,
    handler: async ({ tx, context, params: { id }, query, ifMatch }) => {
      await deleteTenant(tx, context, id, query, ifMatch);
      return {};
    },
  }),
];
