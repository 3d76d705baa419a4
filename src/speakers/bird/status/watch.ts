/** Waits until BIRD does what its configuration says. */
import { setTimeout as sleep } from 'node:timers/promises';
import { SpeakerError } from '../../speaker.ts';
import type { BirdState } from './read-status.ts';
import type { Configuration } from '../config/render.ts';
import { findFaults, isSent, markOf } from './verify.ts';

const LOOK_MILLISECONDS = 100;
/** Milliseconds in which BIRD sends its routes to peers. A slower peer is not waited for here. */
const SENDING = 10_000;
const BUSY = 'BIRD has not answered since it was given the new configuration';

export interface WatchOptions {
  readonly look: () => Promise<BirdState>;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** The directory that is ours, and the file that must include it. */
  readonly directory: string;
  readonly mainConfig: string;
}

/** @throws {SpeakerError} `verification_failed` with what is wrong; `config_not_included` at once */
export async function untilRight(configuration: Configuration, options: WatchOptions): Promise<void> {
  const { look, timeout, signal, directory, mainConfig } = options;
  const deadline = performance.now() + timeout;
  let sentBy: number | null = null;
  for (;;) {
    const state = await look().catch(ifBusy);
    const faults = state === null ? [BUSY] : findFaults(configuration, state);
    if (state !== null && faults.length === 0) {
      sentBy ??= performance.now() + Math.min(SENDING, timeout / 2);
      if (isSent(configuration, state) || performance.now() > sentBy) return;
    } else if (state !== null && !state.reconfiguring && markOf(state, configuration.tag) === null)
      throw new SpeakerError(
        'config_not_included',
        `BIRD does not read what is in ${directory}: add the line  include "${directory}/*.conf";  to ${mainConfig}`,
      );
    else if (performance.now() > deadline) throw new SpeakerError('verification_failed', faults.join('; '));
    await sleep(LOOK_MILLISECONDS, undefined, { signal });
  }
}

/** BIRD may answer late while it processes a million new routes. */
function ifBusy(error: unknown): null {
  if (error instanceof SpeakerError && error.code === 'speaker_unreachable') return null;
  throw error;
}
