import { useQuery } from '@tanstack/react-query';
import { speakersQuery, type Job } from '../../service/queries.ts';
import { useSettling } from '../../service/settling.ts';
import { text } from '../../strings/english.ts';
import { revertedText } from '../../strings/speakers.ts';
import { PeerLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { Retry } from './Retry.tsx';
import { statesOfResult } from './speaker-states.ts';

type Peer = ReturnType<typeof statesOfResult>[number]['peers'][number];

/** What a peer leaves behind once it has taken what it could not take. */
const PASSING: ReadonlySet<Peer['status']> = new Set(['reverted', 'failed', 'down']);

/** What the service says of one that is sent the new routes by itself, once it has a session again. */
const FOLLOWS = /new routes (?:follow )?three seconds after/;

/** The routers that did not take the revision, why, and what to do. */
export function PartlyApplied({ job }: { job: Job }) {
  const { data: speakers = [] } = useQuery(speakersQuery);
  /** Whether it has no session now: what it held before is not with it then. */
  const isDown = (speakerId: string, peerId: string): boolean =>
    speakers
      .find(({ id }) => id === speakerId)
      ?.live?.sessions.some((one) => one.peer_id === peerId && one.state !== 'established') === true;
  /** Whether by now it has what its speaker runs, be it this revision or a later one. */
  const hasItNow = (speakerId: string, { peer_id: peerId, status }: Peer): boolean =>
    PASSING.has(status) &&
    speakers.some(
      ({ id, live }) =>
        id === speakerId &&
        live?.sessions.some(
          (one) => one.peer_id === peerId && one.state === 'established' && one.reverted === null,
        ) === true,
    );
  const states = statesOfResult(job);
  const peers = states.flatMap(({ speakerId, peers: all }) =>
    all.filter(({ status }) => status !== 'applied').map((peer) => ({ ...peer, speakerId })),
  );
  const unfinished = states.filter(({ state }) => state === 'unfinished' || state === 'unreachable');
  const isResolved = unfinished.length === 0 && peers.every((peer) => hasItNow(peer.speakerId, peer));
  /** Whether the speaker sends it the new routes without anybody's help. */
  const follows = ({ status, error }: Peer): boolean => status === 'down' || FOLLOWS.test(error ?? '');
  const isWaiting =
    !isResolved &&
    unfinished.length === 0 &&
    peers.every((peer) => follows(peer) || hasItNow(peer.speakerId, peer));
  useSettling(!isResolved);
  return (
    <section className={isResolved ? 'banner' : 'problem'} role={isResolved ? 'status' : 'alert'}>
      <h2>{isResolved ? text.applies.partlyResolved : text.applies.partlyTitle}</h2>
      <ul className="partly-applied">
        {peers.map((peer) => {
          const { peer_id: id, name, speakerId, status, error } = peer;
          return (
            <li key={`${speakerId} ${id}`}>
              <PeerLink id={id} name={name} />{' '}
              <span className="muted">
                {text.applies.atSpeaker} <SpeakerLink id={speakerId} name={null} />
              </span>{' '}
              <strong>
                {hasItNow(speakerId, peer)
                  ? text.applies.hasItNow
                  : isDown(speakerId, id) && follows(peer)
                    ? text.applies.followsByItself
                    : status === 'reverted' && isDown(speakerId, id)
                      ? revertedText.down
                      : text.applies.peerStates[status]}
              </strong>
              {error !== null && (
                <p className="name">
                  {hasItNow(speakerId, peer) && <>{text.applies.whenItEnded} </>}
                  {error}
                </p>
              )}
            </li>
          );
        })}
        {unfinished.map(({ speakerId, state, error }) => (
          <li key={speakerId}>
            <SpeakerLink id={speakerId} name={null} /> <strong>{text.applies.states[state]}</strong>
            {error !== null && <p className="name">{error}</p>}
          </li>
        ))}
      </ul>
      {!isResolved && (
        <>
          <p>{isWaiting ? text.applies.partlyFollows : text.applies.partlyRemedy}</p>
          {!isWaiting && <Retry job={job} />}
        </>
      )}
    </section>
  );
}
