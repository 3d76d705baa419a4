import type { Job, Schemas } from '#client';
import { begun } from './revisions.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { requireNoneHeld } from '../session/held.ts';
import type { Session } from '../session/run-remote.ts';
import type { WaitOptions } from '../session/wait.ts';

type Module = Schemas['Module'];

async function find(session: Session, name: string): Promise<Module> {
  return (await session.names.find(NOUNS.module, name)) as unknown as Module;
}

export async function refresh(session: Session, name: string, options: WaitOptions): Promise<void> {
  const { id } = await find(session, name);
  const path = `${NOUNS.module.path}/${id}/refresh`;
  const job = (await (await session.client.request('POST', path)).json()) as Job;
  await begun(session, job, options);
  if (options.wait === undefined) return;
  await requireNoneHeld(session, [id]);
}

/** Releases what is held now, whatever guardrails it breaks: who does so says why. */
export async function release(
  session: Session,
  name: string,
  options: WaitOptions & { readonly reason?: string | undefined },
): Promise<void> {
  const { id, held } = await find(session, name);
  if (held === null) throw new CommandError(`The module ${name} is not held`, EXIT.conflict);
  const override = [...new Set(held.findings.map(({ code }) => code))];
  const body = { override, reason: options.reason };
  const path = `${NOUNS.module.path}/${id}/release`;
  await begun(session, (await (await session.client.request('POST', path, { body })).json()) as Job, options);
}
