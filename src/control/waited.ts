/** Trials that their client may give up: whoever does, and writes then, is not to wait for the locks of what nobody reads. */
import { Problem } from '../api/problems/problem.ts';

/**
 * @param gone aborts when nobody waits any more
 * @throws {Problem} `busy`, once it is aborted
 */
export function requireWaited(gone: AbortSignal | undefined): void {
  if (gone?.aborted === true) throw new Problem('busy', 'Nobody waits any more for what this would do.');
}

/** Does work that ends with the signal, as a task of a thread does. @throws {Problem} `busy`, once it is aborted */
export async function whileWaited<T>(gone: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  requireWaited(gone);
  try {
    return await work();
  } catch (error) {
    requireWaited(gone);
    throw error;
  }
}
