import { Link } from '@tanstack/react-router';
import type { Job } from '../../service/queries.ts';
import { formatDuration } from '../../strings/format.ts';
import { jobsText } from '../../strings/operations.ts';
import { ResourceLink } from '../../views/resources/ResourceLink.tsx';
import type { Resource } from '../../views/resources/resource-names.ts';

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
export function JobSubject({ job }: { job: Job }) {
  const { id, type } = job;
  const subject = subjectOf(job);
  if (subject !== null) return <ResourceLink {...subject} name={null} />;
  return type === 'apply' ? (
    <Link to="/applies/$jobId" params={{ jobId: id }}>
      {jobsText.waves}
    </Link>
  ) : null;
}

/** The resource that it is about: of a build, the revision that it made. */
export function subjectOf({ type, resource, result }: Job): Resource | null {
  if (resource !== null || type !== 'revision_build' || typeof result?.revision_id !== 'string')
    return resource;
  return { type: 'revision', id: result.revision_id };
}
