import { Link } from '@tanstack/react-router';
import type { Job } from '../../service/queries.ts';
import { formatDuration } from '../../strings/format.ts';
import { jobsText } from '../../strings/operations.ts';
import { ResourceLink } from '../../views/resources/ResourceLink.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';

/** How long it took, or has taken so far. */
export function secondsOf({ started_at, finished_at }: Job): number | null {
  if (started_at === null || finished_at === null) return null;
  return (Date.parse(finished_at) - Date.parse(started_at)) / 1_000;
}

export function Took({ job }: { job: Job }) {
  const seconds = secondsOf(job);
  return seconds === null ? null : <span className="number">{formatDuration(seconds)}</span>;
}

/** What it is about; an apply has a page of its own, and a build a revision. */
export function JobSubject({ job: { id, type, resource, result } }: { job: Job }) {
  if (resource !== null) return <ResourceLink type={resource.type} id={resource.id} name={null} />;
  if (type === 'revision_build' && typeof result?.revision_id === 'string')
    return <RevisionLink id={result.revision_id} />;
  return type === 'apply' ? (
    <Link to="/applies/$jobId" params={{ jobId: id }}>
      {jobsText.waves}
    </Link>
  ) : null;
}
