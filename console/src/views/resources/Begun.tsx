import { hasEnded } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useStaysWhile } from '../../design/messages/Toasts.tsx';
import { jobQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';

/** Not needed before the first job runs. */
const JobNow = lazy(async () => ({ default: (await import('./JobNow.tsx')).JobNow }));

/** In a toast, of what goes on by itself: that it has begun, that it runs, and what became of it, with the page that has all of it. */
export function Begun({ what, jobId }: { what: string; jobId: string }) {
  const { data: job, error } = useQuery(jobQuery(jobId));
  // Who may not read it, or has signed out since, would never see its end.
  useStaysWhile(job === undefined ? error === null : !hasEnded(job));
  return (
    <>
      {job !== undefined && job.state !== 'queued' ? (
        <Suspense fallback={what}>
          <JobNow job={job} />
        </Suspense>
      ) : (
        what
      )}{' '}
      <Link to="/jobs/$jobId" params={{ jobId }}>
        {text.itsJob}
      </Link>
    </>
  );
}
