import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import type { Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { ChangeCounts } from '../../views/difference/Counts.tsx';
import { LATER, waves, type SpeakerState } from './speaker-states.ts';
import { PeerLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import './waves.css';

interface WavesProps {
  readonly states: readonly SpeakerState[];
  readonly speakers: readonly Speaker[];
  /** What is applied; null: each speaker keeps what it runs. */
  readonly revisionId: string | null;
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
export function Waves({ states, speakers, revisionId, isOver }: WavesProps) {
  if (states.length === 0) return isOver ? <p className="muted">{text.applies.noSpeakers}</p> : null;
  return (
    <ol className="waves">
      {waves(states).map(([wave, members]) => (
        <li key={wave}>
          <h2>{titleOf(wave)}</h2>
          <ul>
            {members.map((member) => (
              <SpeakerLine
                key={member.speakerId}
                member={member}
                speaker={speakers.find(({ id }) => id === member.speakerId)}
                revisionId={revisionId}
              />
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

function titleOf(wave: number): string {
  if (wave === 0) return text.applies.canaries;
  return wave === LATER ? text.applies.later : text.applies.waveNumber(wave);
}

interface SpeakerLineProps extends Pick<WavesProps, 'revisionId'> {
  readonly member: SpeakerState;
  /** Undefined: it is not there any more. */
  readonly speaker: Speaker | undefined;
}

function SpeakerLine({ member, speaker, revisionId }: SpeakerLineProps) {
  const { state, announced, withdrawn, changed, error, peers } = member;
  // Of one that is partly applied, each peer has its own words above.
  const isSaid = state === 'partial' && peers.length > 0;
  return (
    <li>
      <div className="waves-speaker">
        <SpeakerLink id={member.speakerId} name={speaker?.name ?? member.speakerId} />
        <Badge tone={TONES[state]}>{text.applies.states[state]}</Badge>
      </div>
      {announced !== null && withdrawn !== null && changed !== null && (
        <ChangeCounts summary={{ announced, withdrawn, changed }} />
      )}
      <Having peers={havingIt(member, speaker, revisionId)} />
      {error !== null && !isSaid && <p className="name waves-error">{error}</p>}
    </li>
  );
}

const MOST_NAMED = 3;
const TAKEN: ReadonlySet<SpeakerState['state']> = new Set(['succeeded', 'applied', 'unchanged']);

interface Router {
  readonly peer_id: string;
  readonly name: string;
}

/**
 * Routers that have the revision by this apply: of one that is tried again, those for whose sake it was. Before the apply has ended, and of a node, it
 * names none: those that have a session then, as long as their speaker runs the revision.
 */
function havingIt(
  { state, peers }: SpeakerState,
  speaker: Speaker | undefined,
  revisionId: string | null,
): Router[] {
  if (peers.length > 0) return peers.filter(({ status }) => status === 'applied');
  const isRunning = revisionId !== null && speaker?.applied_revision_id === revisionId;
  if (!TAKEN.has(state) || !isRunning) return [];
  return (speaker.live?.sessions ?? []).flatMap(({ peer_id, peer_name: name, ...session }) =>
    session.state === 'established' && session.reverted === null ? [{ peer_id, name }] : [],
  );
}

function Having({ peers: having }: { peers: readonly Router[] }) {
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
