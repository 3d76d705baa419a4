import type { Job } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatSeconds } from '../../strings/format.ts';
import './job-progress.css';

/** The phase in words, and how far it is: speakers, or seconds of the soak. */
export function JobProgress({ job: { progress } }: { job: Job }) {
  if (progress === null) return <p role="status">{text.applies.phases.queued}</p>;
  const { phase, done, total } = progress;
  const name = text.applies.phases[phase.split(' ')[0]!] ?? phase;
  const isSoak = phase === 'soak';
  return (
    <div className="job-progress" role="status">
      <p>
        <strong>{name}</strong>{' '}
        <span className="muted number">
          {total !== null && (isSoak ? formatSeconds(total - done) : text.applies.progress(done, total))}
        </span>
      </p>
      <progress aria-label={name} {...(total === null ? {} : { max: Math.max(1, total), value: done })} />
    </div>
  );
}
