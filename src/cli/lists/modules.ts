import type { Job } from '#client';
import { begun } from '../revisions/revisions.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { requireNoneHeld } from '../session/held.ts';
import type { Session } from '../session/run-remote.ts';
import type { WaitOptions } from '../session/wait.ts';

export async function refresh(session: Session, name: string, options: WaitOptions): Promise<number> {
  const id = await session.names.idOf('module', name);
  const path = `${NOUNS.module.path}/${id}/refresh`;
  const job = (await (await session.client.request('POST', path)).json()) as Job;
  const exitCode = await begun(session, job, options);
  if (options.wait !== undefined) await requireNoneHeld(session, [id]);
  return exitCode;
}
