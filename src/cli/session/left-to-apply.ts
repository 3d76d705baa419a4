/** Revisions that nobody brings to routers by themselves: whoever waits for routers would wait for nothing. */
import type { Schemas } from '#client';
import { CommandError, EXIT } from '../process/command-error.ts';
import type { Session } from './run-remote.ts';

/**
 * That something applies the revision, or has applied it. An apply that a freeze stops fails by itself, and says so.
 * @throws {CommandError} where `auto_apply` is off and no speaker has the revision
 */
export async function requireApplied({ client, contextWords }: Session, revisionId: string): Promise<void> {
  const { settings } = await client.get('/v1/settings');
  if (settings.auto_apply) return;
  const answer = await client.request('GET', `/v1/revisions/${revisionId}`);
  const { number, state, applied_on: speakers } = (await answer.json()) as Schemas['Revision'];
  if (state !== 'ready' || speakers.length > 0) return;
  const line = `prefixcast${contextWords} revision apply ${number} --wait`;
  throw new CommandError(
    `Revision ${number} is built, and nothing announces it by itself, since auto_apply is off. Announce it: ${line}`,
    EXIT.held,
  );
}
