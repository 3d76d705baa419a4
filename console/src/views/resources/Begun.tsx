import { Link } from '@tanstack/react-router';
import { text } from '../../strings/english.ts';

/** Said of what goes on by itself, with the page that has how it goes and what comes of it. */
export function Begun({ what, jobId }: { what: string; jobId: string }) {
  return (
    <>
      {what}{' '}
      <Link to="/jobs/$jobId" params={{ jobId }}>
        {text.itsJob}
      </Link>
    </>
  );
}
