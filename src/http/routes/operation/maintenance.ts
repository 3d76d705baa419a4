import { Job } from '../../../api/activity/jobs.ts';
import {
  MaintenanceEffect,
  MaintenancePolicy,
  MaintenancePolicyCreate,
  MaintenancePolicyPatch,
  MaintenancePolicyQuery,
  MaintenanceRunQuery,
} from '../../../api/operation/maintenance.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import {
  changeMaintenancePolicy,
  createMaintenancePolicy,
  requestPolicyRun,
  requireKind,
} from '../../../control/maintenance/policies.ts';
import { estimatePolicy } from '../../../control/maintenance/run-policy.ts';
import { listJobs } from '../../../store/jobs/jobs.ts';
import {
  deleteMaintenancePolicy,
  getMaintenancePolicy,
  listMaintenancePolicies,
} from '../../../store/maintenance/policies.ts';
import { accepted, created, readResource } from '../../answer.ts';
import { CREATED, tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'maintenance';
const path = '/v1/maintenance/policies';
const item = `${path}/{id}` as const;
const params = { id: 'maintenance policy' } as const;
const read = ({ tx, params: { id } }: ReadRequest<'id'>) => getMaintenancePolicy(tx, id);
const OF_HOME =
  'Kinds that concern the machine or the whole database are for keys of the home tenant and of super roles.';

export const maintenanceRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listMaintenancePolicies',
    permission: 'bgp:maintenance:read',
    tag,
    summary: 'List maintenance policies',
    status: 200,
    query: MaintenancePolicyQuery,
    response: PageOf(MaintenancePolicy),
    handler: async ({ tx, query }) => ({ body: await listMaintenancePolicies(tx, query) }),
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'createMaintenancePolicy',
    permission: 'bgp:maintenance:write',
    audit: 'maintenance_policy.create',
    read: CREATED,
    tag,
    summary: 'Create a maintenance policy',
    description:
      'A policy with a `schedule` runs by itself at these times, in UTC, once however many processes there are; a time that was missed ' +
      `is made up for once. Without a schedule it runs when asked. A tenant may have 100. ${OF_HOME}`,
    status: 201,
    problems: ['conflict', 'home_tenant_only'],
    body: MaintenancePolicyCreate,
    example: {
      ...{ name: 'Old jobs', kind: 'job_prune', schedule: '0 4 * * 0' },
      parameters: { older_than_days: 30, keep_last: 500 },
    },
    response: MaintenancePolicy,
    handler: async ({ tx, principal, body }) =>
      created(path, await createMaintenancePolicy(tx, principal, body)),
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'getMaintenancePolicy',
    permission: 'bgp:maintenance:read',
    tag,
    summary: 'Read a maintenance policy',
    status: 200,
    params,
    response: MaintenancePolicy,
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'PATCH',
    path: item,
    operation: 'changeMaintenancePolicy',
    permission: 'bgp:maintenance:write',
    audit: 'maintenance_policy.change',
    read,
    tag,
    summary: 'Change a maintenance policy',
    description:
      'Members of `parameters` that are not named stay unchanged. A run that has begun is not affected.',
    status: 200,
    problems: ['conflict', 'home_tenant_only'],
    params,
    body: MaintenancePolicyPatch,
    example: { enabled: false },
    response: MaintenancePolicy,
    handler: async ({ tx, principal, params: { id }, body, ifMatch }) =>
      readResource(await changeMaintenancePolicy(tx, principal, id, body, ifMatch)),
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'deleteMaintenancePolicy',
    permission: 'bgp:maintenance:write',
    audit: 'maintenance_policy.delete',
    read,
    tag,
    summary: 'Delete a maintenance policy',
    description: 'Its runs stay as jobs; one that waits fails, since there is nothing to do any more.',
    status: 204,
    params,
    handler: async ({ tx, params: { id }, ifMatch }) => {
      await deleteMaintenancePolicy(tx, id, ifMatch);
      return {};
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/run`,
    operation: 'runMaintenancePolicy',
    permission: 'bgp:maintenance:write',
    audit: 'maintenance_policy.run',
    read,
    tag,
    summary: 'Run a maintenance policy now',
    description:
      'Also one that is disabled. A run that waits already is answered in place of another one. The result of the job is the ' +
      '`MaintenanceEffect` of the run; its records in the audit log carry `policy_id`.',
    status: 202,
    problems: ['home_tenant_only'],
    params,
    response: Job,
    handler: async ({ tx, principal, context: { queue, actor }, params: { id } }) =>
      accepted(await requestPolicyRun(tx, queue, principal, actor, id)),
  }),
  tenantRoute({
    method: 'POST',
    path: `${item}/dry-run`,
    operation: 'dryRunMaintenancePolicy',
    permission: 'bgp:maintenance:write',
    audit: { none: 'It shows what a run would remove, and removes nothing.' },
    tag,
    summary: 'Preview a run of a maintenance policy',
    description: 'What a run would remove now, and nothing is removed.',
    status: 200,
    problems: ['home_tenant_only', 'runtime_logs_unavailable'],
    params,
    response: MaintenanceEffect,
    handler: async ({ tx, principal, services: { logs }, params: { id } }) => {
      const { resource } = await getMaintenancePolicy(tx, id);
      requireKind(principal, resource.kind);
      return { body: await estimatePolicy(tx, resource, { logs }) };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${item}/runs`,
    operation: 'listMaintenanceRuns',
    permission: 'bgp:maintenance:read',
    tag,
    summary: 'List the runs of a maintenance policy',
    description: 'Its jobs, newest first.',
    status: 200,
    params,
    query: MaintenanceRunQuery,
    response: PageOf(Job),
    handler: async ({ tx, params: { id }, query }) => {
      await getMaintenancePolicy(tx, id);
      return { body: await listJobs(tx, { ...query, type: 'maintenance_policy_run', resource_id: id }) };
    },
  }),
];
