import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import type { Job, Module, Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';

const REVISION_TONES: Readonly<Record<Revision['state'], Tone>> = {
  building: 'accent',
  ready: 'good',
  held: 'warning',
  failed: 'bad',
};

export function RevisionState({ state }: { state: Revision['state'] }) {
  return <Badge tone={REVISION_TONES[state]}>{text.revisions.states[state]}</Badge>;
}

const JOB_TONES: Readonly<Record<Job['state'], Tone>> = {
  queued: 'plain',
  running: 'accent',
  succeeded: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

/** How a job is, in a word: an apply that some router did not take is not done. */
export function jobState(job: Job): { word: string; tone: Tone } {
  if (isPartlyApplied(job)) return { word: text.applies.partly, tone: 'warning' };
  return { word: text.applies.jobStates[job.state], tone: JOB_TONES[job.state] };
}

export function JobState({ job }: { job: Job }) {
  const { word, tone } = jobState(job);
  return <Badge tone={tone}>{word}</Badge>;
}

/** An apply that has ended well at every speaker, and not at every peer. */
export function isPartlyApplied(job: Job): boolean {
  if (job.state !== 'succeeded' || job.type !== 'apply') return false;
  return job.result?.speakers.some(({ status }) => PARTLY.has(status)) === true;
}

const PARTLY: ReadonlySet<string> = new Set(['partial', 'unfinished', 'unreachable']);

/** The one word about a module that matters most. */
export function moduleState({ held, enabled, last_refresh }: Module): { word: string; tone: Tone } {
  if (held !== null && !enabled) return { word: text.modules.offHeld, tone: 'warning' };
  if (held !== null) return { word: text.modules.held, tone: 'warning' };
  if (!enabled) return { word: text.modules.disabled, tone: 'plain' };
  if (last_refresh?.status === 'failed') return { word: text.modules.failed, tone: 'bad' };
  if (last_refresh?.status === 'partial') return { word: text.modules.partial, tone: 'warning' };
  return { word: text.modules.enabled, tone: 'good' };
}
