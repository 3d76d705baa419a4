import { Time } from '../../design/shown/Time.tsx';
import type { Job, Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatSeconds } from '../../strings/format.ts';
import { SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import './job-progress.css';

interface JobProgressProps {
  readonly job: Job;
  readonly speakers: readonly Speaker[];
}

/** The phase in words, how far it is (speakers, or seconds of the soak), and whom it waits for. */
export function JobProgress({ job: { progress }, speakers }: JobProgressProps) {
  if (progress === null) return <p role="status">{text.applies.phases.queued}</p>;
  const { phase, done, total, waiting_for: waitingFor = [] } = progress;
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
      {waitingFor.length > 0 && (
        <ul className="job-waits">
          {waitingFor.map((id) => (
            <li key={id}>
              {text.applies.waitsFor} <SpeakerLink id={id} name={null} />
              <OutOfReach speaker={speakers.find((one) => one.id === id)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Why it may wait for long. */
function OutOfReach({ speaker }: { speaker: Speaker | undefined }) {
  if (speaker === undefined || speaker.live?.reachable === true) return null;
  const seen = speaker.agent?.last_seen_at ?? null;
  return (
    <>
      , {text.applies.outOfReach}
      {seen !== null && (
        <>
          , {text.applies.lastSeen} <Time at={seen} />
        </>
      )}
    </>
  );
}
