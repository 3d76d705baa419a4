/** Speakers that applies go to first, and what waits for them: the console and the command line say the same. */
import { hasNoNode } from './no-node.ts';

interface Speaker {
  readonly id: string;
  readonly enabled: boolean;
}

interface Enrolled extends Speaker {
  readonly mode: string;
  readonly agent: unknown;
}

interface Reported extends Speaker {
  readonly live?: { readonly reachable: boolean } | null | undefined;
}

/** Of the progress of an apply. */
interface Waiting {
  readonly phase: string;
  readonly waiting_for?: readonly string[];
}

/**
 * Whether the setting names canaries, and none of them can go first: then an apply to all speakers goes to nobody.
 * @param canaryIds the setting `deploy_canary_speaker_ids`
 */
export function lacksCanary(canaryIds: readonly string[], speakers: readonly Enrolled[]): boolean {
  if (canaryIds.length === 0 || !speakers.some(({ enabled }) => enabled)) return false;
  const ids = new Set(canaryIds.map((id) => id.toLowerCase()));
  return !speakers.some((speaker) => ids.has(speaker.id) && speaker.enabled && !hasNoNode(speaker));
}

/** The canaries that an apply waits for, where all of them are out of reach. */
export function awayCanaries<T extends Reported>(
  { progress }: { readonly progress?: Waiting | null },
  speakers: readonly T[],
): readonly T[] {
  if (progress?.phase !== 'canary') return [];
  const waitedFor = new Set(progress.waiting_for);
  const canaries = speakers.filter(({ id }) => waitedFor.has(id));
  return canaries.every(({ live }) => live?.reachable === false) ? canaries : [];
}

/** Enabled speakers that are none of these. */
export function othersThan<T extends Speaker>(canaries: readonly Speaker[], speakers: readonly T[]): T[] {
  const ids = new Set(canaries.map(({ id }) => id));
  return speakers.filter((speaker) => speaker.enabled && !ids.has(speaker.id));
}
