import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import type { Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { ChangeCounts } from '../../views/difference/Counts.tsx';
import { waves, type SpeakerState } from './speaker-states.ts';
import { PeerLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import './waves.css';

interface WavesProps {
  readonly states: readonly SpeakerState[];
  readonly speakers: readonly Speaker[];
  /** Whatever is not known then never will be. */
  readonly isOver: boolean;
}

const TONES: Readonly<Record<SpeakerState['state'], Tone>> = {
  planned: 'plain',
  queued: 'plain',
  running: 'accent',
  succeeded: 'good',
  applied: 'good',
  unchanged: 'good',
  partial: 'warning',
  failed: 'bad',
  unfinished: 'accent',
  unreachable: 'warning',
  superseded: 'plain',
  skipped: 'plain',
  undoing: 'warning',
  undone: 'warning',
};

/** A column for each wave, canaries first, with where each of its speakers is. */
export function Waves({ states, speakers, isOver }: WavesProps) {
  if (states.length === 0) return isOver ? <p className="muted">{text.applies.noSpeakers}</p> : null;
  return (
    <ol className="waves">
      {waves(states).map(([wave, members]) => (
        <li key={wave}>
          <h2>{wave === 0 ? text.applies.canaries : text.applies.waveNumber(wave)}</h2>
          <ul>
            {members.map((member) => (
              <SpeakerLine
                key={member.speakerId}
                member={member}
                name={speakers.find(({ id }) => id === member.speakerId)?.name ?? member.speakerId}
              />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function SpeakerLine({ member, name }: { member: SpeakerState; name: string }) {
  const { state, announced, withdrawn, changed, error, peers } = member;
  // Of one that is partly applied, each peer has its own words above.
  const isSaid = state === 'partial' && peers.length > 0;
  return (
    <li>
      <div className="waves-speaker">
        <SpeakerLink id={member.speakerId} name={name} />
        <Badge tone={TONES[state]}>{text.applies.states[state]}</Badge>
      </div>
      {announced !== null && withdrawn !== null && changed !== null && (
        <ChangeCounts summary={{ announced, withdrawn, changed }} />
      )}
      <Having peers={peers} />
      {error !== null && !isSaid && <p className="name waves-error">{error}</p>}
    </li>
  );
}

const MOST_NAMED = 3;

/** Routers that have the revision by this apply: of one that is tried again, those for whose sake it was. */
function Having({ peers }: Pick<SpeakerState, 'peers'>) {
  const having = peers.filter(({ status }) => status === 'applied');
  if (having.length === 0) return null;
  return (
    <p className="muted">
      {having.slice(0, MOST_NAMED).map(({ peer_id: id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <PeerLink id={id} name={name} />
        </span>
      ))}{' '}
      {text.applies.having(having.length, MOST_NAMED)}
    </p>
  );
}
