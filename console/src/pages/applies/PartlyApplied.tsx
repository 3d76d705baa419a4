import { useQuery } from '@tanstack/react-query';
import { speakersQuery, type Job } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { revertedText } from '../../strings/speakers.ts';
import { PeerLink, SpeakerLink } from '../../views/ResourceLink.tsx';
import { Retry } from './Retry.tsx';
import { statesOfResult } from './speaker-states.ts';

/** The routers that did not take the revision, why, and what to do. */
export function PartlyApplied({ job }: { job: Job }) {
  const { data: speakers = [] } = useQuery(speakersQuery);
  /** Whether it has no session now: what it held before is not with it then. */
  const isDown = (speakerId: string, peerId: string): boolean =>
    speakers
      .find(({ id }) => id === speakerId)
      ?.live?.sessions.some((one) => one.peer_id === peerId && one.state !== 'established') === true;
  const states = statesOfResult(job);
  const peers = states.flatMap(({ speakerId, peers: all }) =>
    all.filter(({ status }) => status !== 'applied').map((peer) => ({ ...peer, speakerId })),
  );
  const unfinished = states.filter(({ state }) => state === 'unfinished');
  return (
    <section className="problem" role="alert">
      <h2>{text.applies.partlyTitle}</h2>
      <ul className="partly-applied">
        {peers.map(({ peer_id: id, name, speakerId, status, error }) => (
          <li key={`${speakerId} ${id}`}>
            <PeerLink id={id} name={name} />{' '}
            <strong>
              {status === 'reverted' && isDown(speakerId, id)
                ? revertedText.down
                : text.applies.peerStates[status]}
            </strong>{' '}
            <span className="muted">
              {text.applies.atSpeaker} <SpeakerLink id={speakerId} name={null} />
            </span>
            {error !== null && <p className="name">{error}</p>}
          </li>
        ))}
        {unfinished.map(({ speakerId, error }) => (
          <li key={speakerId}>
            <SpeakerLink id={speakerId} name={null} /> <strong>{text.applies.states.unfinished}</strong>
            {error !== null && <p className="name">{error}</p>}
          </li>
        ))}
      </ul>
      <p>{text.applies.partlyRemedy}</p>
      <Retry job={job} />
    </section>
  );
}
