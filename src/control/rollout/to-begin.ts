import { MOST_WAITED_FOR, type JobProgress } from '../../api/activity/jobs.ts';
import type { SpeakerApply } from '../../store/rollout/applies.ts';

/** Of the applies of a job, whose turn comes once those before them have done well; nothing where nobody waits. */
export function toBegin(
  applies: readonly Pick<SpeakerApply, 'speaker_id' | 'state'>[],
): Pick<JobProgress, 'to_begin'> {
  const planned = applies.filter(({ state }) => state === 'planned');
  if (planned.length === 0) return {};
  return { to_begin: planned.slice(0, MOST_WAITED_FOR).map(({ speaker_id: id }) => id) };
}
