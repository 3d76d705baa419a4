import { Job, JobQuery, JobReadQuery } from '../../../api/activity/jobs.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { cancelJob } from '../../../control/rollout/cancel-job.ts';
import { getJob, listJobs } from '../../../store/jobs/jobs.ts';
import { readResource } from '../../answer.ts';
import { tenantRoute, type ReadRequest } from '../../route.ts';

const tag = 'jobs';
const path = '/v1/jobs';
const params = { job_id: 'job' } as const;
const read = ({ tx, params: { job_id: id } }: ReadRequest<'job_id'>) => getJob(tx, id);

export const jobRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'listJobs',
    permission: 'bgp:jobs:read',
    tag,
    summary: 'List jobs',
    status: 200,
    query: JobQuery,
    response: PageOf(Job),
    handler: async ({ tx, query }) => ({ body: await listJobs(tx, query) }),
  }),
  tenantRoute({
    method: 'GET',
    path: `${path}/{job_id}`,
    operation: 'getJob',
    permission: 'bgp:jobs:read',
    tag,
    summary: 'Read a job',
    description:
      'With `wait`, answers as soon as the job has ended, or with its current state at the end of the wait.',
    status: 200,
    params,
    query: JobReadQuery,
    response: Job,
    wait: ({ tenantId, params: { job_id: jobId }, query, services, signal }) =>
      query.wait === undefined || query.wait === 0
        ? null
        : services.jobs.wait({ tenantId, jobId, seconds: query.wait, signal }),
    handler: async (request) => readResource(await read(request)),
  }),
  tenantRoute({
    method: 'POST',
    path: `${path}/{job_id}/cancel`,
    operation: 'cancelJob',
    permission: 'bgp:jobs:write',
    audit: 'job.cancel',
    read,
    tag,
    summary: 'Cancel a job',
    description:
      'A queued job is cancelled at once; a running one is asked to stop and ends as `cancelled`. An apply stops where speakers have not begun: ' +
      'those that have go on, and `result` says what became of each. When every speaker has begun, the answer is 409 `conflict`.',
    status: 202,
    problems: ['job_finished', 'conflict'],
    params,
    response: Job,
    handler: async ({ tx, params: { job_id: id } }) => {
      const { resource } = await cancelJob(tx, id);
      return { body: resource, location: `${path}/${id}` };
    },
  }),
];
