import type { EventData, Schemas } from '@prefixcast/client';
import type { Job } from '../../service/queries.ts';

type ApplyEvent = EventData['apply'];
type Result = Schemas['SpeakerApplyResult'];

/** Where one speaker is with an apply. */
export interface SpeakerState {
  readonly speakerId: string;
  /** 0: a canary. */
  readonly wave: number;
  readonly state: ApplyEvent['state'] | Result['status'];
  readonly announced: number | null;
  readonly withdrawn: number | null;
  readonly changed: number | null;
  readonly error: string | null;
  /** What became of its peers, as far as that is known. */
  readonly peers: Result['peers'];
}

/** Of one that waits, where nothing has said which wave it is in. */
export const LATER = Number.MAX_SAFE_INTEGER;

/** What an event says; null: it is of another apply. */
export function stateOfEvent(event: ApplyEvent, jobId: string): SpeakerState | null {
  if (event.job_id !== jobId) return null;
  const { speaker_id: speakerId, wave, announced, withdrawn, changed, error } = event;
  const state = event.state === 'succeeded' && event.partial ? 'partial' : event.state;
  return { speakerId, wave, state, announced, withdrawn, changed, error, peers: [] };
}

/** What a job that has ended says of its speakers. */
export function statesOfResult(job: Job): SpeakerState[] {
  const speakers = (job.type === 'apply' ? job.result?.speakers : null) ?? [];
  return speakers.map(({ speaker_id: speakerId, status: state, ...rest }) => ({
    ...{ speakerId, state, wave: rest.wave, error: rest.error },
    ...{ announced: rest.announced, withdrawn: rest.withdrawn, changed: rest.changed, peers: rest.peers },
  }));
}

/** Speakers by wave, the canaries first. */
export function waves(states: readonly SpeakerState[]): [number, SpeakerState[]][] {
  return [...Map.groupBy(states, ({ wave }) => wave)].sort(([one], [other]) => one - other);
}
