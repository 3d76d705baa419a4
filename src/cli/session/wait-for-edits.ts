/** Waits for what edits lead to. */
import type { Job } from '#client';
import { EXIT } from '../process/command-error.ts';
import { requireNoneHeld } from './held.ts';
import type { Session } from './run-remote.ts';
import { waitForChain, type WaitOptions } from './wait.ts';

/**
 * An edit leads to a revision by itself: asked for, the build that has it is waited for. Other modules that are held are no matter of it.
 * @returns the exit code
 */
export async function waitForEdits(
  session: Session,
  moduleIds: readonly string[],
  options: WaitOptions,
): Promise<number> {
  if (options.wait === undefined) return EXIT.ok;
  const job = (await (await session.client.request('POST', '/v1/revisions')).json()) as Job;
  const { exitCode } = await waitForChain(session, job, options);
  await requireNoneHeld(session, moduleIds);
  return exitCode;
}
