import { hasEnded } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { jobQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';

/** Not needed before it has. */
const Ended = lazy(async () => ({ default: (await import('./Ended.tsx')).Ended }));

/** Said of what goes on by itself, and what became of it once it has ended, with the page that has all of it. */
export function Begun({ what, jobId }: { what: string; jobId: string }) {
  const { data: job } = useQuery(jobQuery(jobId));
  return (
    <>
      {job !== undefined && hasEnded(job) ? (
        <Suspense fallback={what}>
          <Ended job={job} />
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
