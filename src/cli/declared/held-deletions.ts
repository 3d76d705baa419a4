/** Modules that a prune has deleted, and that routers keep since a guardrail holds that: no file has them, and no module is there to be held. */
import { deletedHeld } from '../session/held.ts';
import type { Session } from '../session/run-remote.ts';

/** Their ids: those that this key has deleted. What others delete is no matter of these files. */
export async function heldDeletions(session: Session): Promise<string[]> {
  const held = new Set((await deletedHeld(session)).map(({ id }) => id));
  if (held.size === 0) return [];
  const { key } = await session.client.get('/v1/auth/session');
  const own: string[] = [];
  for await (const { id, removed_by: by } of session.client.list('/v1/removed-modules'))
    if (held.has(id) && by === `key:${key.name}`) own.push(id);
  return own;
}
