/** In which order an apply goes to which speakers. Pure. */
import type { CanaryLeftOut } from '../../api/activity/job-results.ts';
import type { Speaker } from '../../api/speakers/speakers.ts';

export interface RolloutPlan {
  /** Who goes first; empty: nobody does. */
  readonly canaries: readonly string[];
  /** The others, one wave after the other. */
  readonly waves: readonly (readonly string[])[];
  /** Those of the targets that cannot take the revision yet, and that nobody waits for. */
  readonly skipped: readonly Speaker[];
  /** Canaries of the setting that this apply does without, and why. */
  readonly leftOut: readonly CanaryLeftOut[];
}

export interface RolloutWish {
  /** Every speaker of the tenant. */
  readonly speakers: readonly Speaker[];
  /** Of these, those that the apply goes to. */
  readonly targets: readonly Speaker[];
  /** The setting `deploy_canary_speaker_ids`. */
  readonly canaryIds: readonly string[];
  /** The setting `deploy_wave_size`; 0: all at once. */
  readonly waveSize: number;
}

export function planRollout({ speakers, targets, canaryIds, waveSize }: RolloutWish): RolloutPlan {
  const targetIds = targets.map(({ id }) => id);
  const wanted = canaryIds.map((id) => id.toLowerCase());
  const unenrolled = targets.filter(awaitsNode).map(({ id }) => id);
  const canaries = wanted.filter((id) => targetIds.includes(id) && !unenrolled.includes(id));
  const others = targetIds.filter((id) => !canaries.includes(id));
  const leftOut = wanted.flatMap((id) =>
    canaries.includes(id)
      ? []
      : [{ speaker_id: id, reason: whyLeftOut(speakers.find((speaker) => speaker.id === id)) }],
  );
  return {
    canaries,
    leftOut,
    skipped: targets.filter(awaitsNode),
    waves: inWaves(others, waveSize === 0 ? others.length : waveSize),
  };
}

function inWaves(ids: readonly string[], size: number): string[][] {
  const waves: string[][] = [];
  for (let from = 0; from < ids.length; from += size) waves.push(ids.slice(from, from + size));
  return waves;
}

function whyLeftOut(speaker: Speaker | undefined): string {
  if (speaker === undefined) return 'This speaker no longer exists.';
  if (!speaker.enabled) return `The speaker ${speaker.name} is disabled.`;
  if (awaitsNode(speaker)) return notEnrolled(speaker);
  return `The apply names the speakers that it goes to; ${speaker.name} is not one of them.`;
}

/** Whether the speaker is held by a node, and none has enrolled yet: nobody can take a revision for it. */
function awaitsNode({ mode, agent }: Pick<Speaker, 'mode' | 'agent'>): boolean {
  return mode === 'agent' && agent === null;
}

/** Why an apply leaves such a speaker out, and how to enroll. */
export function notEnrolled({ id, name }: Pick<Speaker, 'id' | 'name'>): string {
  return `No node has enrolled for the speaker ${name} yet, so nothing was applied to it. Make a token (POST /v1/speakers/${id}/enrollment-tokens) and start an agent with it.`;
}
