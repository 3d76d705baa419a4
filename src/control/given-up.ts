/** Trials that their client has given up: whoever does, and writes then, is not to wait for the locks of what nobody reads. */
import { Problem } from '../api/problems/problem.ts';

/**
 * @param gone aborts when the client has gone
 * @throws {Problem} `busy`, once it is aborted
 */
export function refuseGivenUp(gone: AbortSignal | undefined): void {
  if (gone?.aborted === true) throw new Problem('busy', 'Nobody waits any more for what this would do.');
}

/** Does work that ends with the signal, as a task of a thread does. @throws {Problem} `busy`, once it is aborted */
export async function unlessGivenUp<T>(gone: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  refuseGivenUp(gone);
  try {
    return await work();
  } catch (error) {
    refuseGivenUp(gone);
    throw error;
  }
}
