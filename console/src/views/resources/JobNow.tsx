import { hasEnded } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { modulesQuery, type Job } from '../../service/queries.ts';
import { jobsText } from '../../strings/operations.ts';
import { JobState } from './StateBadges.tsx';

/** How a job is, and what became of it; of a module, that it is held as well, which does not make its job fail. */
export function JobNow({ job }: { job: Job }) {
  const { data: modules = [] } = useQuery(modulesQuery);
  const module = modules.find(({ id }) => id === job.resource?.id);
  return (
    <>
      {jobsText.types[job.type]}: <JobState job={job} />
      {hasEnded(job) && module !== undefined && module.held !== null && (
        <>
          {' '}
          <Link className="name" to="/modules/$moduleId" params={{ moduleId: module.id }}>
            {jobsText.isHeld(module.name)}
          </Link>
        </>
      )}
    </>
  );
}
