/** What is said of an apply that failed. */
import { Problem } from '../../api/problems/problem.ts';
import { SpeakerError } from '../../speakers/speaker.ts';
import { ProvisionalApplyError } from '../../speakers/verification/try-out.ts';
import type { ApplyEnd } from '../../store/rollout/applies.ts';

export type Failure = Extract<ApplyEnd, { readonly error: string }>;

/** Files of the machine may be quoted, which tenants do not read. */
export function quotesDaemon(error: unknown): boolean {
  if (!(error instanceof SpeakerError)) return false;
  return error.isOfDaemon || quotesDaemon(error.cause);
}

export function failureOf(error: unknown): Failure {
  const code = error instanceof SpeakerError || error instanceof Problem ? error.code : null;
  const words = error instanceof Error ? error.message : String(error);
  return { code, error: words, ...(error instanceof ProvisionalApplyError ? { peers: error.peers } : {}) };
}
