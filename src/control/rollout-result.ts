import type { SpeakerApplyResult } from '../api/apply.ts';
import type { Speaker } from '../api/speakers.ts';
import type { SpeakerApply } from '../store/applies.ts';

/** What the apply did at each speaker, in the order of its waves. */
export function presentApplies(
  applies: readonly SpeakerApply[],
  speakers: readonly Pick<Speaker, 'id' | 'mode'>[],
): SpeakerApplyResult[] {
  const isAgent = new Set(speakers.flatMap(({ id, mode }) => (mode === 'agent' ? [id] : [])));
  return applies
    .toSorted((a, b) => a.wave - b.wave)
    .map((apply) => presentApply(apply, isAgent.has(apply.speaker_id)));
}

function presentApply(apply: SpeakerApply, isAgent: boolean): SpeakerApplyResult {
  const { speaker_id, wave, code, error } = apply;
  const nothing = { announced: 0, withdrawn: 0, changed: 0 };
  const base = { speaker_id, wave, ...nothing, code, error };
  switch (apply.state) {
    case 'succeeded': {
      const { announced, withdrawn, changed } = apply;
      const counts = { announced: announced ?? 0, withdrawn: withdrawn ?? 0, changed: changed ?? 0 };
      const touched = counts.announced + counts.withdrawn + counts.changed;
      return { ...base, ...counts, status: touched === 0 ? 'unchanged' : 'applied' };
    }
    case 'superseded':
      return { ...base, status: 'unchanged' };
    case 'failed':
    case 'undone':
    case 'skipped':
      return { ...base, status: apply.state };
    case 'undoing':
      return {
        ...base,
        status: 'failed',
        error: `${error} It is to go back to what it ran before, and could not yet; that is tried until it comes about.`,
      };
    case 'planned':
    case 'queued':
      return { ...base, status: 'failed', code: 'speaker_unreachable', error: unanswered(isAgent) };
    case 'running':
      return {
        ...base,
        status: 'failed',
        error:
          'Whoever holds this speaker began and has not come to an end in time. It goes on; see the live status of the speaker.',
      };
  }
}

function unanswered(isAgent: boolean): string {
  return isAgent
    ? 'The agent of this speaker has not fetched the revision in time. See that it runs and reaches this service; it applies the revision when it does.'
    : 'No process that holds this speaker answered in time. See that one runs as app-all or app-speaker; it applies the revision when it starts.';
}
