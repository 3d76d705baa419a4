/** What workers of tests do. */
import { JOB_TYPES, type JobType } from '../../src/api/activity/jobs.ts';
import type { JobHandler } from '../../src/control/job.ts';

export type Handlers = Readonly<Record<JobType, JobHandler>>;

/** The same for jobs of all types but the others. */
export function handlersOf(handler: JobHandler, others: Partial<Handlers> = {}): Handlers {
  const all = Object.fromEntries(JOB_TYPES.map((type) => [type, handler])) as Handlers;
  return { ...all, ...others };
}
